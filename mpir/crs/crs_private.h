/* What the files of the in-process checkpointer share.
 *
 * One checkpoint, as an observer sees it:
 *   idle -> thread-context callbacks (helper thread) -> stopping: every other thread gets the stop signal, runs its
 *   signal-context callbacks and parks -> held: the helper saves the process -> released with an outcome: every thread
 *   goes on in its callbacks, then runs its hooks, then the handler returns -> idle.
 * A restarted process wakes up in "held", in the helper thread, and goes on from there with the outcome "restarted".
 *
 * Between stop and release the helper may not call malloc, stdio or anything with a lock: a parked thread may own it. */
#ifndef DVM_MPIR_CRS_PRIVATE_H
#define DVM_MPIR_CRS_PRIVATE_H
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>
#include "mpir/crs/context.h"
#include "dvmcr.h"
#include "mpir/image/image_format.h"
#include "mpir/crs/protocol.h"

#define CRS_THREADS_MAX 4096
#define CRS_PENDING_MAX 257  /* queued signals kept over a restart, and one to see that there are no more */
#define CRS_CALLBACKS_MAX 32 /* per thread, and of the helper */
#define CRS_TIMERS_MAX 256
/* What is written in each forked child: together with what has a value at the start, on one page, which the child must copy. */
#define CRS_FORKED __attribute__((section(".data")))
#define CRS_TLS __attribute__((tls_model("initial-exec")))

struct crs_callback {
  dvmcr_callback_f fn;
  void *arg;
  int id; /* 0 if free */
};

/* The callbacks of one context, and how far the present checkpoint has run through them (last registered first). */
struct crs_chain {
  struct crs_callback callbacks[CRS_CALLBACKS_MAX];
  unsigned count;
  unsigned left;     /* callbacks not yet entered in this checkpoint */
  int (*bottom)(void); /* what comes after the last: park, or save the process */
  bool running;
  struct crs_callback *current; /* that is being run, or NULL */
};

/* One stopped thread. */
struct crs_record {
  struct mpir_image_thread image;
  ucontext_t *frame; /* signal frame on the thread's stack */
  atomic_uint take;  /* the helper asks the parked thread to take its pending signals once more */
};

/* What a thread knows of itself. */
struct mpir_crs_self {
  struct crs_chain chain;
  struct crs_record *record;
  unsigned epoch;              /* last stop this thread took part in */
  volatile unsigned critical;  /* depth of critical sections */
  volatile unsigned deferred;  /* a stop signal came inside one */
  volatile unsigned interrupted; /* stopped inside a wrapped call, nothing else came */
  volatile bool remade;        /* stopped in a bare call, which the handler's return makes again */
  uint64_t arguments[2];       /* its first and third, as they were */
  volatile uintptr_t inside;   /* frame of the wrapper that makes a call; 0: none */
  unsigned filters;            /* seccomp filters that this thread has installed, and those before */
  bool registered, helper;
  volatile bool waiting;       /* inside the waitpoint */
  int64_t used_before_ns;      /* processor time in the lives before */
  pid_t tid;                   /* 0: this and the next are not known yet */
  uint64_t robust_list, robust_length, clear_tid;
};

struct crs_pending {
  int tid; /* 0: for the process */
  siginfo_t info;
};

/* All that the parts share; part of every image, so that a restarted process finds it as it was. */
struct crs_state {
  atomic_uint stopping;        /* 1 while threads are asked to stop */
  atomic_uint epoch;           /* counts stops */
  atomic_uint claimed, arrived, left; /* threads: took a record; parked; read their outcome */
  atomic_uint resumed;         /* threads that came back from the restorer */
  atomic_uint release;         /* futex: parked threads wait while it is their stop's number less one */
  atomic_int outcome;          /* of the last release: 0 continue, 1 restart, -E... */
  atomic_uint again;           /* the release is only for a moment: the same checkpoint stops the threads anew */
  atomic_int abort_code;       /* set by a callback that refuses */
  atomic_uint waiting;         /* threads in the waitpoint */
  atomic_uint settings_changed; /* the program has called prctl for what threads otherwise inherit */
  atomic_int lock_future;      /* flags of mlockall for mappings to come */
  atomic_uint fork_unsafe;     /* the program uses MADV_DONTFORK or WIPEONFORK: a forked copy lacks pages */
  atomic_int pending_count;
  atomic_uint pending_lost;    /* more signals were pending than there is room for */
  int64_t stopped_at_ns;       /* monotonic clock at the stop */
  _Atomic int64_t lost_ns;     /* time spent stopped, over all checkpoints and restarts */
  uint64_t personality;        /* of the main thread */
  bool main_ended;             /* it has; its number stays until the last thread ends */
  pid_t pid, helper_tid;
  int stop_signal, hold_signal, ask_signal; /* ask_signal 0: none */
  int listen_fd;
  bool installed;              /* our signal handlers stand: they are not to be replaced */
  unsigned sequence;           /* images taken */
  /* Large ones last: what each forked child writes is on one page. */
  struct mpir_restart_info restart;
  struct crs_pending pending[CRS_PENDING_MAX];
  struct crs_record records[CRS_THREADS_MAX]; /* the last used one is the helper's */
  struct {
    pid_t tid;
    int64_t ns;
  } used_before[CRS_THREADS_MAX]; /* processor time of the threads at the last stop */
};

extern struct crs_state crs __asm__("mpir_crs_state"); /* its symbol stands among the program's own where that is linked statically */
extern __thread struct mpir_crs_self mpir_crs_self CRS_TLS;

/* crs_stop.c */
int mpir_crs_stop_init(void);
/* Stops all threads but the caller.  Returns 0, or -ETIMEDOUT or a callback's refusal with the text in 'why' (all threads
 * are then to be released with that outcome by mpir_crs_release). */
int mpir_crs_stop(unsigned timeout_ms, char *why, size_t size);
/* Lets the threads go and waits until each has read its outcome. */
void mpir_crs_release(int outcome);
unsigned mpir_crs_stopped_threads(void);
/* Notes the actions of our signals once they are installed; puts them back if the program has replaced them by bare system calls. */
void mpir_crs_stop_installed(void);
void mpir_crs_stop_take_back(void);
/* The calls in which threads waited shortly before the stop. */
struct crs_waiting_call {
  pid_t tid;
  long number;
  uint64_t stack, pc; /* as they are on return */
};
extern struct crs_waiting_call mpir_crs_waiting[CRS_THREADS_MAX];
extern unsigned mpir_crs_waiting_count;
/* The main thread has ended, and there is no other but the caller. */
bool mpir_crs_stop_is_alone(void);
/* In a restarted process whose main thread had ended: until it has again. */
void mpir_crs_stop_await_main_ended(void);
/* Asks the calling thread to take part in a stop now if one is under way. */
void mpir_crs_stop_self(void);

/* Notes the settings of prctl(2) that the program was started with. */
void mpir_crs_settings_init(void);
/* crs_calls.c: called by our handlers: when the signal broke off a system call that would have gone on without it, the wrapper that made it is
 * told; a bare one is made again when the handler returns. */
void mpir_crs_note_interruption(ucontext_t *frame);
/* The same when the signal tells in which call the thread waited; -1: it does not. */
void mpir_crs_note_interruption_of(ucontext_t *frame, long call);
/* Before our handler returns: signals that have come since are the program's to see, as the end of its call.  'alone': the program has no other
 * thread, which could fork. */
void mpir_crs_yield_to_others(ucontext_t *frame, bool alone);
/* Fills in what the calling thread can say about itself, all but the context and the signal frame. */
void mpir_crs_record_fill(struct mpir_image_thread *image);

/* crs_pending.c: by the stopped thread itself: takes its own pending signals; gives back those of 'tid', 0 for the process's, which is for
 * the main thread to do, or the helper if that has ended. */
void mpir_crs_pending_take_own(pid_t tid);
void mpir_crs_pending_give(pid_t tid);
/* By the helper: takes those of the process.  Returns whether there were any. */
bool mpir_crs_pending_take_process(void);
/* By the helper, when all stand: those that threads which stood later have sent to threads that stood earlier, and those of the process. */
void mpir_crs_pending_take_late(void);
/* Takes pending signals that have come since the threads were stopped: those of the process, and those of the threads to which 'timers'
 * send theirs.  Returns whether there were any. */
bool mpir_crs_pending_take(const struct mpir_image_timer *timers, unsigned count);

/* crs_chain.c: runs the callbacks that are left, then the bottom.  Returns the outcome. */
int mpir_crs_chain_run(struct crs_chain *chain);
struct crs_chain *mpir_crs_helper_chain(void);
/* That of the calling thread. */
struct crs_chain *mpir_crs_chain_running(void);

/* crs_hold.c: a thread whose callbacks have run waits for those of all others, if it is to; 'epoch': the stop that it took part in. */
void mpir_crs_hold(unsigned epoch, int outcome);
/* By the helper: all have run. */
void mpir_crs_hold_end(void);

/* crs_wrap.c: nothing; who calls it has the wrappers in the program. */
void mpir_crs_wrap_linked(void);
/* Finds libc's functions that cannot be looked for when they are called. */
void mpir_crs_wrap_init(void);

/* crs_lazy.c: descriptor on which the process that gives a lazily restarted one its memory is heard; -1 if there is none.  It says that all has
 * been given, or its end is ours. */
int mpir_crs_lazy_fd(void);
int mpir_crs_lazy_heard(void); /* 0, or -EIO when some cannot be given */
void mpir_crs_lazy_after_fork(void);
/* Before the stop: has all memory given.  Returns 0, or -EIO with the text in 'why' where the image is damaged. */
int mpir_crs_lazy_fill(char *why, size_t size);

/* crs_confine.c */
void mpir_crs_confine_init(void);
/* prctl(2) or seccomp(2): a filter that it installs is noted. */
long mpir_crs_confine_call(long number, const long *a);
void mpir_crs_confine_after_fork(void);
/* Before the stop: 0, or -EOPNOTSUPP with the text in 'why' when a seccomp filter does not permit a checkpoint, or cannot be restored. */
int mpir_crs_confine_check(char *why, size_t size);

/* crs_timer.c: in a forked child. */
void mpir_crs_timer_after_fork(void);

/* crs_semaphores.c: in a forked child. */
void mpir_crs_semaphores_after_fork(void);

/* crs_collect.c: at the start, in a forked child, and in a restarted process: the namespaces that it is in. */
void mpir_crs_namespaces_note(void);

/* crs_helper.c */
void mpir_crs_helper_wake(void);
/* Outside of handlers, before what only a helper that is always there can serve, or could not be made after: other threads, callbacks of the
 * program, seccomp filters. */
void mpir_crs_helper_require(void);
/* In a restarted process, while its threads stand: the connections of its life before are not there. */
void mpir_crs_helper_restarted(void);

/* crs_shared.c: called before the stop.  Returns 0, or -EOPNOTSUPP with the text in 'why' when another process has mapped
 * memory of ours that has no name: an image would hold a copy that nobody shares. */
int mpir_crs_shared_check(char *why, size_t size);

/* crs_save.c: called with all threads stopped, returns with all released.  Returns 0 when the image lies at 'path', 1
 * when the process has been restarted from it, or -E... with the reason in 'reply'.  'connection' and 'other' are descriptors
 * that are not the program's, or -1. */
int mpir_crs_save(const struct crs_request *request, const char *path, struct crs_reply *reply, int connection, int other);
/* Takes leave of the copy that has written the image, which may not have ended yet; called when the answer has been given. */
void mpir_crs_save_reap(void);

/* In a forked child: the restart command waits for its parent. */
void mpir_crs_save_after_fork(void);

/* crs_group.c: the process as a member of a set.  Sends CRS_STOPPED and takes the order, whose path goes into the reply.
 * Returns 0, or -ECANCELED when there is no order. */
int mpir_crs_group_begin(int connection, struct crs_reply *reply);
/* Says that all is copied, and what will not come back as it was, and waits for the others; nothing if the process is saved alone.  Returns 0 or -ECANCELED. */
int mpir_crs_group_copied(const struct crs_request *request, int connection, const char *notices);
/* Where the image that is written to 'path' will be found. */
const char *mpir_crs_group_name(const struct crs_request *request, const char *path);
/* CRS_OBJECT_* of an object, 0 if it is none of the set's. */
uint32_t mpir_crs_group_object(uint64_t device, uint64_t inode);

/* crs_hooks.c */
int mpir_crs_hooks_init(void);
/* On each thread when it goes on: the debugger's hook, which may hold it, then the program's for the outcome. */
void mpir_crs_hooks_run(int outcome);
void mpir_crs_hooks_run_helper(int outcome);
void mpir_crs_hooks_after_restart(bool debug, int outer_pid);
/* Tells a debugger on standard error that it may attach, if one means to come: "MPIR_debug_info) host:pid".  After a
 * restart the restart command tells it, whose standard error the debugger reads. */
void mpir_crs_hooks_announce(void);
void mpir_crs_hooks_await_waiting(void);
/* A debugger is attached to this process. */
bool mpir_crs_hooks_traced(void);
/* By a gdb under a server of 'dvm debug', which lets go when it is asked. */
bool mpir_crs_hooks_traced_by_ours(void);
/* Gives one that was told to detach the time for it. */
void mpir_crs_hooks_await_detach(void);
struct plain_text;
void mpir_crs_hooks_name_tracer(struct plain_text *t); /* why nobody is saved: who is attached */
/* A child has no debugger, whatever its parent has. */
void mpir_crs_hooks_after_fork(void);
/* Finds out whether a debugger means to come back after this checkpoint, and opens a gate that nobody else would open.  'asked': it was
 * asked for with --crdebug; 'traced_before': one was attached before it was told to detach. */
void mpir_crs_hooks_expect(bool asked, bool traced_before);
void mpir_crs_hooks_await_held(void);
void mpir_crs_hooks_note_image(const char *path); /* of the request at hand; "" if there is none */
void mpir_crs_hooks_strings(int outer_pid);
#endif

/* Checkpoints of the calling process: callbacks around them, critical sections, requests.  See dvmcr(3).
 *
 * Kinds of threads (after BLCR's phases): callbacks registered as DVMCR_THREAD_CONTEXT run first, in the library's own
 * helper thread, and may call anything.  When all of them have reached the checkpoint, every other thread is stopped by
 * a signal; one that has called dvmcr_init() first runs its DVMCR_SIGNAL_CONTEXT callbacks inside that signal's handler
 * (async-signal-safe calls only), all others just stop.  Where a thread waits for a lock of libc that a stopped one has, all are
 * let go and stopped anew: signal-context callbacks then see -EAGAIN and are run once more. */
#ifndef DVMCR_H
#define DVMCR_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A callback calls dvmcr_checkpoint(); code before that call runs before the checkpoint, code after it afterwards.  One
 * that returns 0 without having called it is taken to have called it at its end; any other value refuses the checkpoint. */
typedef int (*dvmcr_callback_f)(void *arg);

enum { DVMCR_THREAD_CONTEXT = 0, DVMCR_SIGNAL_CONTEXT = 1 };

enum { /* argument of dvmcr_checkpoint */
       DVMCR_READY = 0,
       DVMCR_REFUSE = 1,    /* no checkpoint: this process can never be saved; the request fails with -ECANCELED */
       DVMCR_NOT_NOW = 2,   /* no checkpoint now; the request fails with -EAGAIN */
       DVMCR_OMIT = 4,      /* leave this process out: the request fails with -ENODATA */
};
/* Or'ed with DVMCR_REFUSE or DVMCR_NOT_NOW: the request fails with -code, 1 to 65535, instead. */
#define DVMCR_CODE(code) (((code) & 0xffff) << 8)

/* Makes the calling thread one that runs signal-context callbacks.  Idempotent.  Returns a client number >= 1. */
int dvmcr_init(void);
/* Registers a callback; signal-context ones belong to the calling thread, which must have called dvmcr_init().  The last
 * registered runs first.  Returns an id >= 1, -ENOSPC when 32 are registered, -EINVAL, or -EPERM without dvmcr_init(). */
int dvmcr_callback_add(dvmcr_callback_f fn, void *arg, int context);
/* Changes a registered callback.  fn NULL removes it.  Returns 0 or -ENOENT. */
int dvmcr_callback_replace(int id, dvmcr_callback_f fn, void *arg, int context);
/* The same for the callback that calls it.  Returns 0, or -EINVAL outside callbacks. */
int dvmcr_callback_replace_self(dvmcr_callback_f fn, void *arg);
/* Only from a callback: goes on with the checkpoint.  Returns 0 when the process continues after it, 1 when it has been
 * restarted from the image, -E... when there was no checkpoint.  With a forked copy (the default) the image is still
 * being written when 0 is returned; later errors are reported to the requester. */
int dvmcr_checkpoint(int flags);

/* A thread between enter and leave is not stopped; a checkpoint waits, up to its time-out.  Calls nest; keep the sections short.  May be called
 * from signal handlers. */
void dvmcr_enter(void);
void dvmcr_leave(void);
/* -EBUSY when a checkpoint is waiting, and then nothing is entered. */
int dvmcr_try_enter(void);

/* Hooks run on every thread's own stack when it goes on, in the stop signal's handler. */
typedef void (*dvmcr_hook_f)(int event);
enum {
  DVMCR_HOOK_CONTINUE = 0, /* a checkpoint was taken */
  DVMCR_HOOK_RESTART = 1, /* restarted from an image */
  DVMCR_HOOK_FAILED = 2, /* there was none */
  DVMCR_HOOK_EVENTS = 3,
};
/* Sets the process's hook for an event, NULL removes it.  Returns the one before; NULL also for an event that there is none of. */
dvmcr_hook_f dvmcr_hook_set(int event, dvmcr_hook_f fn);
enum { /* kinds of threads */
       DVMCR_PLAIN = 0, /* have not called dvmcr_init() */
       DVMCR_REGISTERED = 1,
       DVMCR_HELPER = 2, /* the library's own, if it has run thread-context callbacks; only by dvmcr_hook_set_for */
       DVMCR_KINDS = 3,
};
/* The same for one kind of threads; 'number' is given to the hook instead of the event. */
dvmcr_hook_f dvmcr_hook_set_for(int event, int kind, dvmcr_hook_f fn, int number);

struct dvmcr_options {
  size_t size; /* sizeof(struct dvmcr_options) */
  const char *path; /* image file, folder ending in '/', or NULL */
  unsigned flags; /* DVMCR_ALL_FILES ... */
  unsigned stop_timeout_ms; /* 0: 10000 */
  unsigned keep; /* images of this process to keep, 0: all */
  int signal; /* sent to the process when the image is whole, 0: none */
  int scope; /* DVMCR_AUTO ... */
  pid_t target; /* process, group or session that is meant; 0: this process, and its group or session */
};
enum { /* what is saved, with all descendants as one set */
       DVMCR_AUTO = 0, /* this process, with its children if it has any */
       DVMCR_GROUP = 1,
       DVMCR_SESSION = 2,
       DVMCR_TREE = 3,
       DVMCR_PROCESS = 4, /* the process alone; refused if it has children */
};
enum {
  DVMCR_ALL_FILES = 1, /* mapped files too, libraries and program included: the image needs none of them */
  DVMCR_NO_FORK = 2, /* threads stand until the image is written; without it a forked copy writes while they go on */
  DVMCR_ALLOW_TRACED = 4, /* a debugger that holds the process is not a reason to refuse */
  DVMCR_NO_SYNC = 8, /* the image is not forced to the disk: a crash of the machine may lose it */
  DVMCR_SAVE_FILES = 1 << 12, /* contents of open files too */
  DVMCR_STRICT = 1 << 13, /* refuse if anything would not be restored as it was */
};

/* Asks for a checkpoint and returns at once.  Sets, and other processes than this, are saved by the command that 'dvm run' has noted in
 * the environment.  options NULL: defaults.  Returns a ticket >= 1, -ENOSPC
 * when 16 requests are open, -EINVAL, or -ENAMETOOLONG. */
int dvmcr_request(const struct dvmcr_options *options);
/* The state of a request: -EINPROGRESS while it is open; else as dvmcr_wait, and the ticket is given back. */
int dvmcr_poll(int ticket, char *path, size_t size);
/* Waits for a request, timeout_ms < 0 without limit.  Returns 0 with the image's path in 'path' (cut to 'size'; may be
 * NULL), 1 in the process restarted from it, or -E... with the reason in 'path'; -EINPROGRESS after the time-out. */
int dvmcr_wait(int ticket, char *path, size_t size, int timeout_ms);

/* Waits as dvmcr_wait does, but keeps the ticket.  Returns 1 when the request is done, 0 after the time-out, -EINVAL for a number that is not a ticket. */
int dvmcr_done(int ticket, int timeout_ms);
/* The reason for a request's failure, or what will not be restored as it was: cut to 'size', terminated.  To be called before the ticket is given back.  Returns the bytes that it takes with
 * its end, 0 if there is none. */
int dvmcr_message(int ticket, char *text, size_t size);

/* What a callback may want to know of the checkpoint under way. */
struct dvmcr_current {
  const char *path; /* of the image; valid until the callback returns */
  int signal; /* that the process will get when the image is whole, 0: none */
  pid_t requester; /* process that has asked for it, perhaps this one */
};
/* Returns 0, or -EINVAL outside callbacks. */
int dvmcr_current(struct dvmcr_current *current);
/* Image that this life of the process was restarted from; "" in its first.  The text stays, and is another one after the next restart. */
const char *dvmcr_restarted_from(void);

/* Only from a callback: other processes are saved with this one, all with their descendants, as one set.  scope: DVMCR_PROCESS, DVMCR_TREE,
 * DVMCR_GROUP or DVMCR_SESSION; target: the process's, group's or session's number.  Where a process is saved alone, the checkpoint is broken
 * off and begun anew as one of the set: callbacks first see -EAGAIN.  Returns 0, -ESRCH, -EPERM, -ENOSPC after 16, or -EINVAL, also outside callbacks. */
int dvmcr_forward(int scope, pid_t target);

/* Whether threads whose own callbacks have run go on at once, or wait until those of all threads and of the helper have. */
enum { /* scope */
       DVMCR_HOLD_THREAD = 0, /* the calling thread */
       DVMCR_HOLD_REGISTERED = 1, /* threads that have called dvmcr_init() and have no setting of their own */
       DVMCR_HOLD_PLAIN = 2, /* all other threads without one */
};
enum { /* when */
       DVMCR_HOLD_READ = -1, /* changes nothing */
       DVMCR_HOLD_NONE = 0,
       DVMCR_HOLD_CONTINUE = 1, /* after a checkpoint, taken or not */
       DVMCR_HOLD_RESTART = 2, /* in the restarted process */
       DVMCR_HOLD_BOTH = 3,
       DVMCR_HOLD_DEFAULT = 4, /* of a thread: what its kind has; of a kind: none */
};
/* Returns the setting before, or -EINVAL.  A thread-context callback that waits, behind dvmcr_checkpoint(), for a thread that is held waits for ever. */
int dvmcr_hold(int scope, int when);

/* 1 while a checkpoint of this process is under way, else 0. */
int dvmcr_status(void);
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

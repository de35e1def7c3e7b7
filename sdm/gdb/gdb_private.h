/* The inside of the gdb back end: gdb.c has the process and its commands, gdb_record.c what it says unasked, gdb_run.c what
 * sets programs running, gdb_break.c breakpoints, gdb_look.c what only looks, gdb_raw.c
 * lines for gdb as they are, gdb_facts.c what
 * the run-time library of a checked program knows, gdb_mpi.c errors that MPI has found, gdb_python.c what only gdb's Python can tell. */
#ifndef SDM_GDB_PRIVATE_H
#define SDM_GDB_PRIVATE_H
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "sdm/gdb/backend.h"
#include "sdm/bytes.h"
#include "sdm/gdb/mi.h"
#include "sdm/gdb/term.h"

struct gdb_pending;
/* A reply has come.  If there is a call, errors are told to it instead; and so is the end of gdb. */
typedef void (*gdb_reply_f)(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r);

struct gdb_pending {
  uint64_t token;
  gdb_reply_f fn;
  struct sdm_call *call; /* may be NULL */
  struct dvm_text text;  /* console output while it ran */
  bool calls;            /* may call a function of the program, which may take for ever */
  bool errors_too;       /* 'fn' gets them, although there is a call */
  bool mismatch;         /* gdb has warned that a core may be of another program */
  json_t *kept;          /* of an earlier step */
  uint64_t at;           /* the address that was asked for */
  const char *failed;    /* told to the call in place of gdb's own error, or NULL */
  struct gdb_pending *next;
};

struct sdm_gdb_break {
  long long id; /* the front end's; 0: deleted */
  char *number; /* gdb's; NULL: a new gdb does not have it yet */
  json_t *args; /* how it was asked for, kept up to date */
  bool diagnostic; /* at the run-time library's own place for it */
  bool lasts;      /* a new gdb gets it too */
};

struct sdm_backend {
  struct sdm_backend_host host;
  char *path;
  pid_t pid;
  int to, from, err;
  struct sdm_watch *from_watch, *err_watch;
  struct sdm_mi mi;
  uint64_t token;
  struct gdb_pending *first, **last;
  struct sdm_gdb_break *breaks;
  size_t nbreaks;
  struct sdm_term *term;
  bool interrupting; /* we asked for the next stop */
  bool stale;        /* .. and another one came first, see sdm_gdb_signal_stale */
  int core_signal;   /* of the core file; 0: none */
  pid_t program;     /* that gdb runs or ran; 0: none yet */
  bool launched;     /* by us, on our terminal */
  bool running;      /* as gdb said last; not while it calls a function */
  bool fatal_only;   /* signals that the program handles or ignores are passed on without a stop */
  bool passing;      /* .. one is */
  bool left;         /* gdb has left it, and has said nothing of its end */
  json_t *place;     /* the frame where it stopped last, owned; or NULL */
  json_t *handled;   /* what the user said of signals, owned; or NULL */
  bool python;       /* this gdb has our functions (gdb_python.c) */
  int thread; /* of the last stop: gdb wants it named beside a frame */
  struct dvm_text last_error;
  struct gdb_facts *facts; /* gdb_facts.c's, owned */
  bool not_parallel;       /* no array of the program is distributed over ranks */
  json_t *returning; /* a stop at a diagnostic, until the program has come back from the run-time library; owned */
  struct gdb_checkpoint *checkpoint; /* gdb_checkpoint.c's, owned; NULL: nothing yet */
  bool asked_checkpoint;  /* whether this program can be saved was looked at */
  bool python_checkpoint; /* this gdb has the functions for it */
  struct gdb_end *end; /* gdb_end.c's, owned */
  bool core;           /* there is no process */
  json_t *ended; /* told when the output before it is out; NULL: nothing waits */
};

/* gdb.c.  Sends a command: "FMT\n" with a token before it.  'fn' gets the reply, 'call' is answered for it when there is
 * none.  Never NULL; the pending command stays the back end's. */
struct gdb_pending *sdm_gdb_send(struct sdm_backend *b, struct sdm_call *call, gdb_reply_f fn, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool sdm_gdb_ready(struct sdm_backend *b, struct sdm_call *c); /* a gdb runs; else 'c' has failed */
bool sdm_gdb_start(struct sdm_backend *b, struct sdm_call *c); /* the same, and starts one */
int sdm_gdb_open_term(struct sdm_backend *b, struct dvm_error *err); /* the program's terminal, if it is not there yet */
void sdm_gdb_pending_free(struct gdb_pending *p);

/* gdb_record.c */
#define GDB_LOG_MARK "@dvm-log "
void sdm_gdb_on_record(void *arg, const struct sdm_mi_record *r);
void sdm_gdb_stopped(struct sdm_backend *b, const json_t *r); /* the program has stopped or ended, as gdb says it */
const char *sdm_gdb_field(const json_t *j, const char *key); /* a text; NULL if there is none */
void sdm_gdb_put_text(json_t *to, const char *key, const char *s);
void sdm_gdb_put_place(json_t *to, const json_t *frame); /* function, file, line */
void sdm_gdb_put_where(const struct sdm_backend *b, struct dvm_text *t, const struct sdm_call *c);

void sdm_gdb_note_place(struct sdm_backend *b, const json_t *frame); /* it stands there; NULL: not known */
bool sdm_gdb_is_at_place(const struct sdm_backend *b, const json_t *frame);

const char *sdm_gdb_no_frame(const struct sdm_call *c); /* gdb_look.c: what gdb says where no program is */

/* gdb_raw.c.  A stop without a reason and a place: true if its place is asked for, and told then. */
bool sdm_gdb_stopped_nowhere(struct sdm_backend *b, const json_t *stop);

/* gdb_signal.c */
void sdm_gdb_signal_handle(struct sdm_backend *b, const char *what); /* the user's words of "handle" */
bool sdm_gdb_signal_passed(struct sdm_backend *b, const json_t *stop); /* true: it is for the program alone, which runs on */
void sdm_gdb_signal_printed(struct sdm_backend *b, const char *text); /* what gdb writes while the program runs */
void sdm_gdb_signal_stale(struct sdm_backend *b, bool stale);
bool sdm_gdb_signal_of_call(const struct sdm_backend *b,
                            const json_t *stop); /* of a function that gdb called: gdb goes back, and says so */
bool sdm_gdb_signal_end_call(struct sdm_backend *b, int signal); /* false: gdb calls none */

/* gdb_end.c.  The program is 'program' now, and gdb has it; or it has it no more. */
void sdm_gdb_end_watch(struct sdm_backend *b, pid_t program);
void sdm_gdb_end_forget(struct sdm_backend *b);
void sdm_gdb_end_free(struct sdm_backend *b);

/* gdb_break.c */
long long sdm_gdb_break_id(const struct sdm_backend *b, const char *number); /* the front end's, of gdb's; 0: none */
void sdm_gdb_restore_breaks(struct sdm_backend *b);

/* gdb_facts.c */
bool sdm_gdb_facts_stop(const struct sdm_backend *b, const char *number); /* is it a breakpoint on diagnostics? */
void sdm_gdb_facts_stopped(struct sdm_backend *b, json_t *event); /* completes the event (stolen), and tells it in the end */
/* The program stops while it returns from a diagnostic: true if that was all that it stopped for. */
bool sdm_gdb_facts_returned(struct sdm_backend *b, const json_t *stop);
void sdm_gdb_facts_forget(struct sdm_backend *b); /* the program runs on */
/* Reads for the call; 'kept' has the "address" of an element, and "evaluate" if its value is wanted: then sdm_gdb_facts_value goes on. */
void sdm_gdb_facts_read(struct sdm_backend *b, struct sdm_call *c, json_t *kept);

/* gdb_mpi.c */
bool sdm_gdb_mpi_stop(const json_t *event); /* does it stand where MPI comes to with an error? */
void sdm_gdb_mpi_stopped(struct sdm_backend *b, json_t *event); /* completes the event (stolen), and tells it in the end */

/* gdb_facts_value.c */
void sdm_gdb_facts_owner(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_facts_elsewhere(struct sdm_backend *b, struct sdm_call *c);
bool sdm_gdb_facts_evaluate(struct sdm_backend *b, struct sdm_call *c); /* true: it answers, now or later */
void sdm_gdb_facts_value(struct sdm_backend *b, struct sdm_call *c, const json_t *element, const json_t *kept); /* element: or NULL */
void sdm_gdb_evaluate_plain(struct sdm_backend *b, struct sdm_call *c); /* gdb_look.c: whatever lies there */

/* gdb_python.c.  Runs our function 'name' with 'args' in gdb's Python; its answer ends the call, or 'fn' gets the reply. */
extern const char *const sdm_gdb_python_hex[],
    *const sdm_gdb_checkpoint_hex[]; /* the functions, as hexadecimal text in pieces; NULL ends it */
void sdm_gdb_python_ignore(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r); /* a reply that nobody wants */
struct gdb_pending *sdm_gdb_python(struct sdm_backend *b, struct sdm_call *c, const json_t *args, const char *name, gdb_reply_f fn);
json_t *sdm_gdb_python_answer(const struct gdb_pending *p,
                              struct dvm_text *why); /* a new reference, or NULL with the reason added to 'why' */

/* gdb_cache.c */
void sdm_gdb_use_cache(struct sdm_backend *b); /* of a gdb that has just been started */

/* gdb_checkpoint.c and its neighbours (gdb_checkpoint.h) */
void sdm_gdb_checkpoint_expect(struct sdm_backend *b); /* a program may be there soon that can be saved */
bool sdm_gdb_checkpoint_first_stop(struct sdm_backend *b, json_t *stop); /* true: it has taken the event, and tells it later */
bool sdm_gdb_checkpoint_quiet(const struct sdm_backend *b); /* what gdb tells now is not for the front end */
bool sdm_gdb_checkpoint_stopped(struct sdm_backend *b, const char *number, bool ended); /* true: nobody else need know */
void sdm_gdb_checkpoint_stands(struct sdm_backend *b, bool stands); /* the front end knows that the program stands, or runs */
void sdm_gdb_checkpoint_forget(struct sdm_backend *b); /* another program, or none */
void sdm_gdb_checkpoint_leave(struct sdm_backend *b); /* gdb will leave the program for good */
void sdm_gdb_checkpoint_gone(struct sdm_backend *b); /* gdb has died */
void sdm_gdb_checkpoint_resume(struct sdm_backend *b); /* the front end takes output again */
bool sdm_gdb_checkpoint_defer(struct sdm_backend *b, struct sdm_call *c); /* true: it is run later */
bool sdm_gdb_checkpoint_kills(const struct sdm_backend *b); /* the program does not end with gdb, but is ours */
bool sdm_gdb_checkpoint_away(const struct sdm_backend *b); /* gdb has left it, to be saved */
void sdm_gdb_checkpoint_free(struct sdm_backend *b);
bool sdm_gdb_save_interrupt(struct sdm_backend *b, struct sdm_call *c); /* both true: that was all */
bool sdm_gdb_save_kill(struct sdm_backend *b, struct sdm_call *c);

/* Rows of the table. */
void sdm_gdb_save(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_restart(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_images(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_inspect(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_sources(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_launch(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_attach(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_core(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_cont(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_step(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_next(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_stepi(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_nexti(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_advance(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_finish(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_until(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_interrupt(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_detach(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_kill(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_break(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_watch(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_delete(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_enable(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_disable(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_condition(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_ignore(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_stack(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_variables(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_evaluate(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_type(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_handle(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_list(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_raw(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_registers(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_memory(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_threads(struct sdm_backend *b, struct sdm_call *c);
void sdm_gdb_dvm(struct sdm_backend *b, struct sdm_call *c);

/* In the child that becomes gdb: loads libdvmgdb into it where it cannot write this processor's registers. */
void sdm_gdb_preload(void);

/* Whether watchpoints in the debug registers stop programs on this machine; asked of a process of its own, once. */
bool sdm_gdb_hardware_watchpoints(void);
#endif

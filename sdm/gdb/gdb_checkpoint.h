/* Checkpoints under gdb: gdb_checkpoint.c knows whether the program can be saved, gdb_save.c saves it, gdb_restart.c restarts it, gdb_door.c
 * hears requests while it stands, gdb_child.c runs commands.  gdb leaves the program for a checkpoint, so that nothing of it is in the image:
 *   armed -> (asked for by the front end, or from outside) -> held: each thread is sent into the gate, gdb has detached -> saved, by the
 *   command or by who asked -> gdb comes back, each thread is led out to where it was -> armed.
 * Meanwhile commands wait (sdm_gdb_checkpoint_defer).  See docs/checkpoint-debugging.md. */
#ifndef SDM_GDB_CHECKPOINT_H
#define SDM_GDB_CHECKPOINT_H
#include "sdm/gdb/gdb_private.h"

struct gdb_child;

/* What the program has said of itself when gdb came to it. */
struct gdb_checkpointer {
  pid_t pid;
  char *command, *restart, *listing, *controller; /* owned */
  uint64_t served_at, with_at, gate_at, debugger_at; /* addresses of its variables */
};

enum gdb_checkpoint_step {
  CHECKPOINT_NONE,
  CHECKPOINT_ARMING,
  CHECKPOINT_HOLDING,
  CHECKPOINT_SAVING,
  CHECKPOINT_RETURNING,
  CHECKPOINT_ENDING,
  CHECKPOINT_STARTING,
  CHECKPOINT_TAKING
};

struct gdb_deferred {
  struct sdm_call *call;
  struct gdb_deferred *next;
};

struct gdb_checkpoint {
  struct gdb_checkpointer of;
  bool armed;
  char *detach_break; /* gdb's number of the breakpoint where the program says that it is to be left; owned, or NULL */
  enum gdb_checkpoint_step step;
  bool quiet; /* what gdb tells of the program is of our own doing */
  bool asked, asked_runs; /* the program was asked for another checkpoint while gdb came back from the last one; it ran before */
  bool runs, stop; /* the program ran, and is to run on; somebody wants it to stop instead */
  bool cancelled, process_over; /* the front end does not want it any more; the program ended before its command */
  bool owes_end; /* the program was ended for a restart, and the front end does not know */
  bool restarted; /* it is our restart command's child and not gdb's */
  bool again; /* gdb has attached to it: it does not end with gdb any more */
  json_t *told; /* a stop that is told when gdb has settled; owned */
  struct sdm_call *call; /* the front end's, that is under way; NULL: nobody's here */
  struct gdb_deferred *deferred, **last;
  struct gdb_child *child, *keeper; /* a command that runs; the one that waits for the restarted program */
  struct gdb_child *listing;
  struct sdm_call *listing_call;
  json_t *last_saved; /* .. of the last checkpoint, for who names its image later; owned */
  json_t *saved; /* breakpoints as they are, for the file beside the image; owned */
  char *handle, *failure; /* of what is under way; owned, or NULL */
  json_int_t number; /* the front end's, of the checkpoint; 0: none */
  uint32_t served; /* requests before this one */
  int process; /* a descriptor of it, whose end it tells; -1 */
  struct sdm_watch *process_watch;
  struct sdm_timer *look_timer, *timer; /* of saving, of restarting */
  json_t *others; /* processes that a restart command has announced; owned */
  int looks; /* at whether a process is gone */
  int door; /* our copy of the socket on which it is asked for checkpoints; -1 */
  int door_number; /* .. the descriptor's number there */
  struct sdm_watch *door_watch;
};

/* gdb_checkpoint.c */
struct gdb_checkpoint *sdm_gdb_checkpoint_of(struct sdm_backend *b); /* made when it is first asked for */
/* Runs our Python function 'name' (stolen args); 'fn' gets a reply behind its end: sdm_gdb_checkpoint_answer.  What gdb tells meanwhile is dropped. */
void sdm_gdb_checkpoint_python(struct sdm_backend *b, const char *name, json_t *args, gdb_reply_f fn);
/* A new reference; or NULL with the reason, owned, in *why. */
json_t *sdm_gdb_checkpoint_answer(struct sdm_backend *b, const struct gdb_pending *p, char **why);
void sdm_gdb_checkpoint_know(struct sdm_backend *b, const json_t *facts); /* of the program that gdb has now */
void sdm_gdb_checkpoint_done(struct sdm_backend *b, json_t *result,
                             const char *failure); /* nothing is under way any more; result is stolen */
json_t *sdm_gdb_checkpoint_stop(struct sdm_backend *b, const char *reason, const json_t *place); /* an event */
bool sdm_gdb_checkpoint_watch_process(struct sdm_backend *b, pid_t pid, sdm_watch_f ended); /* false: it is not there */
void sdm_gdb_checkpoint_leave_process(struct sdm_backend *b);
json_t *sdm_gdb_checkpoint_end(const struct sdm_backend *b, pid_t pid); /* the event that tells how a process has ended that gdb has left */
/* Where the breakpoints of an image lie: beside it, or in the folder of a job's for rank 'rank'.  Owned. */
char *sdm_gdb_checkpoint_points(const char *path, long long rank);
char *sdm_gdb_checkpoint_path(const char *handle); /* a handle is a shell's word: the file.  Owned; NULL if it is none */

/* gdb_save.c */
void sdm_gdb_save_by_request(struct sdm_backend *b, bool runs); /* it is to be left, for a request of the front end's or of somebody else */
void sdm_gdb_break_note(struct sdm_backend *b, const json_t *args, const char *number); /* gdb has it already */
void sdm_gdb_break_renumber(struct sdm_backend *b, const json_t *numbers); /* {gdb's number before: now} */
/* gdb_restart.c */
void sdm_gdb_restart_go(struct sdm_backend *b); /* the program before is over */
/* gdb_door.c */
void sdm_gdb_door_open(struct sdm_backend *b);
void sdm_gdb_door_close(struct sdm_backend *b);

/* gdb_child.c: a command by the shell.  'line' gets each line of its output, without the end of line; 'end' its exit status, after which it is
 * gone; the caller frees it in no other case than to be rid of it.  'terminal': its standard input and output are the program's, and its standard error is
 * handed on as the program's after 'line' has said so (true); else both are read. */
struct gdb_child *sdm_gdb_child_start(struct sdm_backend *b, const char *command, bool terminal,
                                      bool (*line)(struct sdm_backend *b, const char *text),
                                      void (*end)(struct sdm_backend *b, int status, const char *output));
void sdm_gdb_child_free(struct gdb_child *c); /* ends it */
void sdm_gdb_child_interrupt(struct gdb_child *c); /* its end follows */
void sdm_gdb_child_resume(struct gdb_child *c); /* the front end takes output again; NULL is fine */
#endif

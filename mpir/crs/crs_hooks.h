/* The debugger's interface to checkpoints (MPIR symbols): Hursey's design, figures 5.8 to 5.11 and table 5.2.
 * See docs/checkpoint-debugging.md. */
#ifndef DVM_MPIR_CRS_HOOKS_H
#define DVM_MPIR_CRS_HOOKS_H
#pragma GCC visibility push(default)

extern volatile int MPIR_checkpointable;              /* 1 */
extern volatile int MPIR_debug_with_checkpoint;       /* the debugger means to come back after a checkpoint */
extern volatile int MPIR_checkpoint_debug_gate;       /* nonzero: waiting threads may go */
extern char *MPIR_controller_hostname;
extern char *MPIR_checkpoint_command;                 /* complete, with the process number */
extern char *MPIR_restart_command;                    /* a handle is appended */
extern char *MPIR_checkpoint_listing_command;
extern volatile int MPIR_checkpoint_hold_signal;      /* ours: queued to each stopped thread before detaching */
extern volatile int MPIR_checkpoint_stop_signal;
extern volatile int MPIR_checkpoint_helper_tid;       /* ours: the designated thread, never held */
extern volatile int MPIR_checkpoint_held_threads;     /* ours: to how many the hold signal was queued; set back to 0 */
extern volatile int MPIR_checkpoint_debugger_pid;     /* ours: the debugger; should it end, waiting threads are let go.  0: unknown */
extern volatile int MPIR_checkpoint_busy;             /* ours: a checkpoint is under way, threads may be parked */
extern volatile unsigned MPIR_checkpoint_served;      /* ours: counts requests that have been answered, well or not */

extern char *MPIR_checkpoint_last;                    /* ours: the handle of the last request's image, quoted; empty if there is none */

/* Empty; called before a checkpoint is requested.  A debugger that finds its breakpoint here is to detach. */
int MPIR_checkpoint_debugger_detach(void);
/* Holds the calling thread until the gate opens; the designated thread is let through at once, and a thread that
 * already waits does not wait twice. */
void MPIR_checkpoint_debugger_waitpoint(void);
void MPIR_checkpoint_debugger_breakpoint(void);
/* Runs on every thread when it goes on after a checkpoint.  'state' is the outcome: 0 continue, 1 restart, -E.... */
void *MPIR_checkpoint_debugger_crs_hook(int state);
#pragma GCC visibility pop
#endif

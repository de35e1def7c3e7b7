/* The parts of the helper thread: what it waits for, what it runs, and who is told. */
#ifndef DVM_MPIR_CRS_HELPER_H
#define DVM_MPIR_CRS_HELPER_H
#include "mpir/crs/crs_private.h"

/* crs_start.c: what the program was started with. */
extern struct crs_defaults {
  struct crs_request request; /* where a request says nothing; its flags hold for every image */
  char folder[CRS_PATH_MAX];
  unsigned period_ms;         /* between images that nobody asks for; 0: none */
} mpir_crs_defaults;

/* crs_helper.c: runs until a helper on demand may leave; others for ever. */
void mpir_crs_helper_serve(void);
/* At the start, and in a child: a thread, or what can make one when it is asked for.  Returns 0 or -E... */
int mpir_crs_helper_start(bool on_demand);
/* Forks, and the end of the main thread; called by that. */
void mpir_crs_helper_watch(void);
void mpir_crs_helper_on_ask(int sig, siginfo_t *info, void *frame);

/* crs_run.c: one checkpoint from start to end.  'connection': of the command that asks, or -1; 'requester': its process, 0: this one.  Returns
 * 0, 1 in the restarted process, or -E.... */
int mpir_crs_run(struct crs_request *request, struct crs_reply *reply, int connection, pid_t requester);
unsigned mpir_crs_runs(void); /* so far, well or not */
void mpir_crs_run_after_fork(void);

/* crs_names.c: makes the folder, and a name that is free if the request has none. */
void mpir_crs_name_choose(const struct crs_request *request, char *path, size_t size);
/* Removes this process's images before the last 'keep'. */
void mpir_crs_name_retain(const struct crs_request *request, const char *path);

/* crs_connection.c: sets crs.listen_fd, -1 where the name is still held. */
void mpir_crs_connection_listen(void);
void mpir_crs_connection_listen_again(void);
void mpir_crs_connection_serve(void);
void mpir_crs_connection_after_fork(void);
void mpir_crs_connection_restarted(void);

/* crs_tickets.c */
void mpir_crs_tickets_serve(void);
/* A checkpoint that nobody waits for: the failure is told on standard error. */
void mpir_crs_tickets_serve_default(void);
bool mpir_crs_tickets_asked(void);
/* Where the command answers that leads one for us; -1: none does. */
int mpir_crs_tickets_fd(void);
void mpir_crs_tickets_answer(void); /* it has answered, or ended */
void mpir_crs_tickets_forget_led(void);
/* A process that was restarted as a member of a set that it had asked for. */
void mpir_crs_tickets_restarted(void);
void mpir_crs_tickets_after_fork(void);
/* The signal asked for, once whoever asked has the answer: it may be the end of the process. */
void mpir_crs_signal_done(const struct crs_request *request, int rc);
#endif

/* The controller's end of what commands say to a job. */
#ifndef MPIR_JOB_SOCKET_H
#define MPIR_JOB_SOCKET_H
#include <poll.h>
#include "mpir/commands/job_protocol.h"

enum { JOB_SOCKET_POLLED = 10 }; /* descriptors at most */

struct mpir_job_socket;
/* What the controller does when it is asked. */
struct mpir_job_served {
  void *arg;
  void (*describe)(void *arg, struct job_answer *answer);
  int (*begins)(void *arg);  /* a checkpoint is to begin; -E...: it cannot */
  void (*stands)(void *arg); /* all ranks stand */
  void (*ends)(void *arg);   /* they are about to be killed */
  void (*saved)(void *arg, const char *path);
};
/* 'name' "": none.  NULL with the reason in 'err': the name is another job's. */
struct mpir_job_socket *mpir_job_socket_open(const char *name, const struct mpir_job_served *served, struct dvm_error *err);
/* Fills in what is to be waited for; returns how many. */
int mpir_job_socket_poll(const struct mpir_job_socket *s, struct pollfd *fds);
void mpir_job_socket_serve(struct mpir_job_socket *s);
/* A checkpoint is under way. */
bool mpir_job_socket_busy(const struct mpir_job_socket *s);
void mpir_job_socket_give_up(struct mpir_job_socket *s); /* who leads it is told so */
void mpir_job_socket_close(struct mpir_job_socket *s);
#endif

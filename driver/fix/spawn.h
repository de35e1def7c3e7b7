/* Programs that 'dvm fix' runs: with streams of their own, and ended when it is. */
#ifndef DVM_FIX_SPAWN_H
#define DVM_FIX_SPAWN_H
#include "base/error.h"
#include "driver/list.h"

struct fix_spawn {
  const struct dvm_list *command;
  bool input;           /* it reads standard input, from where that was at the beginning, if that is a file; else there is none */
  const char *out, *err; /* files that are made for its streams; NULL: ours */
  const char *options;  /* DVM_OPTIONS, or NULL: unset */
  const char *folder;   /* where it is started; NULL: here */
  const struct dvm_list *environment; /* NAME=VALUE beside ours, or NULL */
};

/* From here on SIGINT, SIGQUIT, SIGTERM and SIGHUP end what runs, and are remembered. */
void fix_spawn_begin(void);
/* The signal that came, or 0. */
int fix_spawn_stopped(void);
/* Runs the program and waits for it; 'status' is as from waitpid.  -EINTR: a signal has come. */
int fix_spawn(const struct fix_spawn *s, int *status, struct dvm_error *err);
#endif

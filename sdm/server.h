/* A debug server: commands from the tree go to a back end, its answers, events and output go up. */
#ifndef SDM_SERVER_H
#define SDM_SERVER_H
#include "sdm/backend.h"
#include "sdm/sdm.h"

struct sdm_server_options {
  const struct sdm_backend_ops *backend;
  const char *backend_path;
  bool oob; /* program I/O by the server's own stdio instead of the tree */
  bool inside; /* in a program that has other things to do: its signals are left alone */
  void (*progress)(struct sdm_ctx *c); /* in place of waiting in sdm_progress; NULL: that */
};

/* Runs until the session ends: 0, or a negative code. */
int sdm_server_run(struct sdm_options *o, const struct sdm_server_options *s, struct dvm_error *err);
#endif

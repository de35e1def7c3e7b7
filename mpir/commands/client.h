/* Asking a checkpointable process for a checkpoint. */
#ifndef DVM_MPIR_CLIENT_H
#define DVM_MPIR_CLIENT_H
#include <stdbool.h>
#include <sys/types.h>
#include "base/error.h"
#include "mpir/crs/protocol.h"

/* What is to be saved.  The processes of a tree, group or session are saved as a set, with all their descendants. */
enum mpir_scope {
  MPIR_SCOPE_AUTO,    /* the process, and its descendants if it has children */
  MPIR_SCOPE_PROCESS, /* the process; refused if it has children */
  MPIR_SCOPE_TREE,    /* the process and its descendants, as a set */
  MPIR_SCOPE_GROUP,   /* of processes: 'pid' is its number */
  MPIR_SCOPE_SESSION,
};

/* Sends the request and waits for the answer, at most until the process ends.  'pid' is the process as seen from here.
 * Returns 0 with an image at reply->path, or -E... */
int mpir_client_checkpoint(pid_t pid, enum mpir_scope scope, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err);

/* A connection to the process's checkpointer, which may just be starting, or -E...; 'once': without waiting for it. */
int mpir_client_connect(pid_t pid, bool once, struct dvm_error *err);
/* Until an answer has begun, or the connection ended.  -EBUSY: a debugger holds the process and does not let it answer. */
int mpir_client_await(pid_t pid, int fd, unsigned limit_ms, struct dvm_error *err);
int mpir_client_receive(int fd, struct crs_reply *reply);
/* Calls 'child' with each child of the process, of all its threads, but for copies of it that write an image, until one call does not return 0;
 * returns what that has returned. */
int mpir_client_each_child(pid_t pid, int (*child)(void *arg, pid_t pid), void *arg);
bool mpir_client_has_children(pid_t pid);

/* client_set.c */
int mpir_client_set(pid_t pid, enum mpir_scope scope, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err);
#endif

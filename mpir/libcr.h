/* BLCR's user interface, as far as programs use it for callbacks, critical sections, hooks and requests of their own
 * process, on top of dvmcr.h.  Link with -ldvmcr.  Differences are in docs/checkpoint.md. */
#ifndef DVM_LIBCR_H
#define DVM_LIBCR_H
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "dvmcr.h"

typedef int cr_client_id_t;
typedef int cr_callback_id_t;
typedef dvmcr_callback_f cr_callback_t;
typedef int cr_hook_event_t;
typedef void (*cr_hook_fn_t)(cr_hook_event_t event);

#define CR_THREAD_CONTEXT DVMCR_THREAD_CONTEXT
#define CR_SIGNAL_CONTEXT DVMCR_SIGNAL_CONTEXT
#define CR_CHECKPOINT_READY DVMCR_READY
#define CR_CHECKPOINT_PERM_FAILURE DVMCR_REFUSE
#define CR_CHECKPOINT_TEMP_FAILURE DVMCR_NOT_NOW
#define CR_CHECKPOINT_OMIT DVMCR_OMIT
#define CR_SCOPE_PROC 0
#define CR_CHKPT_PTRACED_ALLOW DVMCR_ALLOW_TRACED
#define CR_CHKPT_DUMP_EXEC DVMCR_ALL_FILES
#define CR_CHKPT_DUMP_PRIVATE DVMCR_ALL_FILES
#define CR_CHKPT_DUMP_ALL DVMCR_ALL_FILES
/* Values of cr_checkpoint() and errno. */
#define CR_EPERMFAIL ECANCELED
#define CR_ETEMPFAIL EAGAIN
#define CR_EOMITTED ENODATA
#define CR_ENOSUPPORT ENOSYS
#define CR_ERESTARTED 1016
#define CR_STATE_IDLE 0
#define CR_STATE_ATTEMPTED 1
#define CR_POLL_CHKPT_ERR_PRE (-1)
#define CR_POLL_CHKPT_ERR_POST (-2)

enum { CR_HOOK_CONT_NO_CALLBACKS, CR_HOOK_CONT_SIGNAL_CONTEXT, CR_HOOK_CONT_THREAD_CONTEXT,
       CR_HOOK_RSTRT_NO_CALLBACKS, CR_HOOK_RSTRT_SIGNAL_CONTEXT, CR_HOOK_RSTRT_THREAD_CONTEXT };

typedef struct {
  int cr_version, cr_scope;
  pid_t cr_target;       /* 0 or this process */
  int cr_fd;             /* the image takes the name under which this was opened */
  int cr_signal;         /* sent when the image is whole; 0 none */
  unsigned cr_timeout;   /* seconds; 0: the default */
  unsigned cr_flags;
} cr_checkpoint_args_t;

typedef struct { int ticket; } cr_checkpoint_handle_t;

static inline int cr_result(int rc)
{
  if (rc >= 0)
    return rc;
  errno = -rc;
  return -1;
}

static inline cr_client_id_t cr_init(void) { return dvmcr_init(); }
static inline cr_callback_id_t cr_register_callback(cr_callback_t fn, void *arg, int flags)
{
  return cr_result(dvmcr_callback_add(fn, arg, flags));
}
static inline int cr_replace_callback(cr_callback_id_t id, cr_callback_t fn, void *arg, int flags)
{
  return cr_result(dvmcr_callback_replace(id, fn, arg, flags));
}
static inline int cr_checkpoint(int flags) { return dvmcr_checkpoint(flags); }
static inline int cr_enter_cs(cr_client_id_t id) { (void)id; dvmcr_enter(); return 0; }
static inline int cr_leave_cs(cr_client_id_t id) { (void)id; dvmcr_leave(); return 0; }
static inline int cr_tryenter_cs(cr_client_id_t id) { (void)id; return cr_result(dvmcr_try_enter()); }
static inline int cr_status(void) { return dvmcr_status() ? CR_STATE_ATTEMPTED : CR_STATE_IDLE; }
static inline const char *cr_strerror(int code)
{
  return code == CR_ERESTARTED ? "restarted from the checkpoint" : strerror(code);
}

/* One hook serves all kinds of threads of the event. */
static inline cr_hook_fn_t cr_register_hook(cr_hook_event_t event, cr_hook_fn_t fn)
{
  return dvmcr_hook_set(event < CR_HOOK_RSTRT_NO_CALLBACKS ? DVMCR_HOOK_CONTINUE : DVMCR_HOOK_RESTART, fn);
}

static inline int cr_initialize_checkpoint_args_t(cr_checkpoint_args_t *args)
{
  memset(args, 0, sizeof(*args));
  args->cr_fd = -1;
  return 0;
}

static inline int cr_request_checkpoint(cr_checkpoint_args_t *args, cr_checkpoint_handle_t *handle)
{
  struct dvmcr_options o;
  char link[64], path[4096];
  ssize_t n;

  if (args->cr_target && args->cr_target != getpid())
    return cr_result(-ENOSYS);
  memset(&o, 0, sizeof(o));
  o.size = sizeof(o);
  o.flags = args->cr_flags;
  o.signal = args->cr_signal;
  o.stop_timeout_ms = args->cr_timeout * 1000;
  if (args->cr_fd >= 0) {
    snprintf(link, sizeof(link), "/proc/self/fd/%d", args->cr_fd);
    n = readlink(link, path, sizeof(path) - 1);
    if (n < 0)
      return -1;
    path[n] = '\0';
    o.path = path;
  }
  handle->ticket = dvmcr_request(&o);
  return handle->ticket < 0 ? cr_result(handle->ticket) : 0;
}

/* Requests without a handle: nobody waits for the outcome. */
static inline int cr_request_fd(int fd)
{
  cr_checkpoint_args_t args;
  cr_checkpoint_handle_t handle;

  cr_initialize_checkpoint_args_t(&args);
  args.cr_fd = fd;
  return cr_request_checkpoint(&args, &handle);
}
static inline int cr_request(void) { return cr_request_fd(-1); }
static inline int cr_request_file(const char *path)
{
  struct dvmcr_options o;
  int rc;

  memset(&o, 0, sizeof(o));
  o.size = sizeof(o);
  o.path = path;
  rc = dvmcr_request(&o);
  return rc < 0 ? cr_result(rc) : 0;
}

/* 1 when it is done; 0 after the time-out; CR_POLL_CHKPT_ERR_POST with errno CR_ERESTARTED in the restarted process. */
static inline int cr_poll_checkpoint(cr_checkpoint_handle_t *handle, struct timeval *timeout)
{
  int rc = dvmcr_wait(handle->ticket, NULL, 0, timeout ? (int)(timeout->tv_sec * 1000 + timeout->tv_usec / 1000) : -1);

  if (rc == -EINPROGRESS)
    return 0;
  if (rc == 0)
    return 1;
  errno = rc > 0 ? CR_ERESTARTED : -rc;
  return rc == -EINVAL ? CR_POLL_CHKPT_ERR_PRE : CR_POLL_CHKPT_ERR_POST;
}
static inline int cr_wait_checkpoint(cr_checkpoint_handle_t *handle, struct timeval *timeout)
{
  return cr_poll_checkpoint(handle, timeout);
}
static inline int cr_reap_checkpoint(cr_checkpoint_handle_t *handle) { (void)handle; return 0; }
#endif

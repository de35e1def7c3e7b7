/* BLCR's user interface on top of dvmcr.h: what programs call for callbacks, critical sections, hooks, hold control, requests and their
 * forwarding works; requests for restarts exist but fail with CR_ENOSUPPORT.  Link with -ldvmcr.  Differences are in
 * docs/checkpoint.md. */
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

typedef int cr_version_t;
typedef int cr_client_id_t;
typedef int cr_callback_id_t;
typedef int cr_scope_t;
typedef dvmcr_callback_f cr_callback_t;
typedef unsigned cr_spinlock_t;
typedef unsigned long cr_checkpoint_handle_t, cr_restart_handle_t;

#define CR_CHECKPOINT_ARGS_VERSION 1
#define CR_RESTART_ARGS_VERSION 1
#define CR_MAX_CALLBACKS 32
#define CR_ID_CALLBACK (-1)
#define CR_SPINLOCK_INITIALIZER 0u
#define CR_THREAD_CONTEXT DVMCR_THREAD_CONTEXT
#define CR_SIGNAL_CONTEXT DVMCR_SIGNAL_CONTEXT
#define CR_CHECKPOINT_READY DVMCR_READY
#define CR_CHECKPOINT_PERM_FAILURE DVMCR_REFUSE
#define CR_CHECKPOINT_PERM_FAILURE_CODE(code) (DVMCR_REFUSE | DVMCR_CODE(code))
#define CR_CHECKPOINT_TEMP_FAILURE DVMCR_NOT_NOW
#define CR_CHECKPOINT_TEMP_FAILURE_CODE(code) (DVMCR_NOT_NOW | DVMCR_CODE(code))
#define CR_CHECKPOINT_OMIT DVMCR_OMIT
enum { CR_SCOPE_PROC, CR_SCOPE_PGRP, CR_SCOPE_SESS, CR_SCOPE_TREE };
/* Flags of requests.  Those that are zero ask for what happens anyway. */
#define CR_CHKPT_PTRACED_ALLOW DVMCR_ALLOW_TRACED
#define CR_CHKPT_PTRACED_SKIP 0
#define CR_CHKPT_ASYNC_ERR 0
#define CR_CHKPT_DUMP_EXEC DVMCR_ALL_FILES
#define CR_CHKPT_DUMP_PRIVATE DVMCR_ALL_FILES
#define CR_CHKPT_DUMP_SHARED DVMCR_ALL_FILES
#define CR_CHKPT_DUMP_ALL DVMCR_ALL_FILES
#define CR_RSTRT_ASYNC_ERR 0
#define CR_RSTRT_RESTORE_PID 0
#define CR_RSTRT_RESTORE_PGID 0
#define CR_RSTRT_RESTORE_SID 0
/* Values of cr_checkpoint() and errno. */
#define CR_EPERMFAIL ECANCELED
#define CR_ETEMPFAIL EAGAIN
#define CR_EOMITTED ENODATA
#define CR_ENOSUPPORT ENOSYS
#define CR_ERESTARTED 1016
#define CR_ENOINIT 1017
#define CR_ENOTCB 1018
enum { CR_STATE_IDLE, CR_STATE_PENDING, CR_STATE_ACTIVE };
#define CR_POLL_CHKPT_ERR_PRE (-1)
#define CR_POLL_CHKPT_ERR_POST (-2)
#define CR_POLL_CHKPT_ERR_LOG (-3)
#define CR_POLL_RSTRT_ERR_PRE (-1)
#define CR_POLL_RSTRT_ERR_POST (-2)
#define CR_POLL_RSTRT_ERR_LOG (-3)
enum { CR_HOLD_SCOPE_THREAD, CR_HOLD_SCOPE_INIT, CR_HOLD_SCOPE_UNINIT };
#define CR_HOLD_READ DVMCR_HOLD_READ
#define CR_HOLD_NONE DVMCR_HOLD_NONE
#define CR_HOLD_CONT DVMCR_HOLD_CONTINUE
#define CR_HOLD_RSTRT DVMCR_HOLD_RESTART
#define CR_HOLD_BOTH DVMCR_HOLD_BOTH
#define CR_HOLD_DFLT DVMCR_HOLD_DEFAULT

typedef enum {
  CR_HOOK_CONT_SIGNAL_CONTEXT,
  CR_HOOK_CONT_THREAD_CONTEXT,
  CR_HOOK_CONT_NO_CALLBACKS,
  CR_HOOK_RSTRT_SIGNAL_CONTEXT,
  CR_HOOK_RSTRT_THREAD_CONTEXT,
  CR_HOOK_RSTRT_NO_CALLBACKS,
  CR_NUM_HOOKS
} cr_hook_event_t;
typedef void (*cr_hook_fn_t)(cr_hook_event_t event);
#define CR_HOOK_FN_ERROR ((cr_hook_fn_t)~0ul)

typedef struct cr_checkpoint_args {
  cr_version_t cr_version;
  cr_scope_t cr_scope;   /* CR_SCOPE_PROC */
  pid_t cr_target;       /* 0 or this process */
  int cr_fd;             /* the image takes the name under which this was opened */
  int cr_signal;         /* sent when the image is whole; 0 none */
  unsigned cr_timeout;   /* seconds; 0: the default */
  unsigned cr_flags;
} cr_checkpoint_args_t;

struct cr_rstrt_relocate; /* opaque, not supported */
typedef struct cr_restart_args {
  cr_version_t cr_version;
  int cr_fd, cr_signal;
  unsigned cr_flags;
  struct cr_rstrt_relocate *cr_relocate;
} cr_restart_args_t;

struct cr_checkpoint_info {
  int signal;
  const char *dest;      /* of the image */
  pid_t requester, target;
  cr_scope_t scope;
};
struct cr_restart_info {
  pid_t requester;       /* 0: not known */
  const char *src;
};

static inline int cr_result(int rc) {
  if (rc >= 0)
    return rc;
  errno = rc == -EPERM ? CR_ENOINIT : -rc;
  return -1;
}

/* ---- callbacks, critical sections ------------------------------------------------------------------------------------- */

/* With BLCR all threads wait for the callbacks of all, unless they say otherwise. */
static inline cr_client_id_t cr_init(void) {
  for (int scope = DVMCR_HOLD_REGISTERED; scope <= DVMCR_HOLD_PLAIN; scope++)
    if (dvmcr_hold(scope, DVMCR_HOLD_READ) == DVMCR_HOLD_DEFAULT)
      dvmcr_hold(scope, DVMCR_HOLD_BOTH);
  return dvmcr_init();
}
static inline cr_callback_id_t cr_register_callback(cr_callback_t fn, void *arg, int flags) {
  return cr_result(dvmcr_callback_add(fn, arg, flags));
}
static inline int cr_replace_callback(cr_callback_id_t id, cr_callback_t fn, void *arg, int flags) {
  return cr_result(dvmcr_callback_replace(id, fn, arg, flags));
}
static inline int cr_replace_self(cr_callback_t fn, void *arg, int flags) {
  (void)flags;
  if (!dvmcr_callback_replace_self(fn, arg))
    return 0;
  errno = CR_ENOTCB;
  return -1;
}
static inline int cr_checkpoint(int flags) {
  int rc = dvmcr_checkpoint(flags);

  return rc == -EINVAL ? -CR_ENOTCB : rc;
}
static inline int cr_enter_cs(cr_client_id_t id) {
  (void)id;
  dvmcr_enter();
  return 0;
}
static inline int cr_leave_cs(cr_client_id_t id) {
  (void)id;
  dvmcr_leave();
  return 0;
}
static inline int cr_tryenter_cs(cr_client_id_t id) {
  (void)id;
  return dvmcr_try_enter() ? 1 : 0;
}
static inline int cr_status(void) { return dvmcr_status() ? CR_STATE_ACTIVE : CR_STATE_IDLE; }
static inline int cr_inc_persist(void) { return 0; } /* a thread's data live as long as the thread */
static inline int cr_dec_persist(void) { return 0; }

static inline const char *cr_strerror(int code) {
  switch (code) {
  case CR_ERESTARTED: return "restarted from the checkpoint";
  case CR_ENOINIT: return "cr_init() has not been called";
  case CR_ENOTCB: return "not called from a callback";
  default: return strerror(code);
  }
}

/* NULL outside callbacks. */
static inline const struct cr_checkpoint_info *cr_get_checkpoint_info(void) {
  static __thread struct cr_checkpoint_info info;
  struct dvmcr_current now;

  if (dvmcr_current(&now))
    return NULL;
  info.signal = now.signal;
  info.dest = now.path;
  info.requester = now.requester;
  info.target = getpid();
  info.scope = CR_SCOPE_PROC;
  return &info;
}
static inline const struct cr_restart_info *cr_get_restart_info(void) {
  static __thread struct cr_restart_info info;

  info.src = dvmcr_restarted_from();
  return *info.src ? &info : NULL;
}

static inline cr_hook_fn_t cr_register_hook(cr_hook_event_t event, cr_hook_fn_t fn) {
  static const int kinds[] = {DVMCR_REGISTERED, DVMCR_HELPER, DVMCR_PLAIN};

  if ((int)event < 0 || event >= CR_NUM_HOOKS) {
    errno = EINVAL;
    return CR_HOOK_FN_ERROR;
  }
  return (cr_hook_fn_t)dvmcr_hook_set_for(event < CR_HOOK_RSTRT_SIGNAL_CONTEXT ? DVMCR_HOOK_CONTINUE : DVMCR_HOOK_RESTART, kinds[event % 3],
                                          (dvmcr_hook_f)fn, (int)event);
}

/* The numbers of both are the same.  CR_HOLD_READ is -1: errno tells a mistake. */
static inline int cr_hold_ctrl(int scope, int flags) {
  if (flags == CR_HOLD_DFLT && scope != CR_HOLD_SCOPE_THREAD)
    return cr_result(-EINVAL);
  return cr_result(dvmcr_hold(scope, flags));
}

static inline void cr_spinlock_init(cr_spinlock_t *lock) { *lock = CR_SPINLOCK_INITIALIZER; }
static inline int cr_spinlock_trylock(cr_spinlock_t *lock) { return !__sync_lock_test_and_set(lock, 1u); }
static inline void cr_spinlock_lock(cr_spinlock_t *lock) {
  while (!cr_spinlock_trylock(lock))
    ;
}
static inline void cr_spinlock_unlock(cr_spinlock_t *lock) { __sync_lock_release(lock); }

/* ---- requests --------------------------------------------------------------------------------------------------------- */

static inline int cr_initialize_checkpoint_args_t(cr_checkpoint_args_t *args) {
  memset(args, 0, sizeof(*args));
  args->cr_version = CR_CHECKPOINT_ARGS_VERSION;
  args->cr_fd = -1;
  return 0;
}

static inline int cr_request_checkpoint(cr_checkpoint_args_t *args, cr_checkpoint_handle_t *handle) {
  struct dvmcr_options o;
  char link[64], path[4096];
  ssize_t n;
  int ticket;

  if ((int)args->cr_scope < 0 || args->cr_scope > CR_SCOPE_TREE)
    return cr_result(-EINVAL);
  memset(&o, 0, sizeof(o));
  o.size = sizeof(o);
  o.flags = args->cr_flags;
  o.signal = args->cr_signal;
  o.stop_timeout_ms = args->cr_timeout * 1000;
  o.scope = args->cr_scope == CR_SCOPE_PROC ? DVMCR_PROCESS : (int)args->cr_scope; /* the numbers are the same */
  o.target = args->cr_target;
  if (!o.target)
    o.target = args->cr_scope == CR_SCOPE_PGRP ? getpgrp() : args->cr_scope == CR_SCOPE_SESS ? getsid(0) : 0;
  if (args->cr_fd >= 0) {
    snprintf(link, sizeof(link), "/proc/self/fd/%d", args->cr_fd);
    n = readlink(link, path, sizeof(path) - 1);
    if (n < 0)
      return -1;
    path[n] = '\0';
    o.path = path;
  }
  ticket = dvmcr_request(&o);
  *handle = ticket < 0 ? 0 : (cr_checkpoint_handle_t)ticket;
  return ticket < 0 ? cr_result(ticket) : 0;
}

/* Requests without a handle: nobody waits for the outcome. */
static inline int cr_request_fd(int fd) {
  cr_checkpoint_args_t args;
  cr_checkpoint_handle_t handle;

  cr_initialize_checkpoint_args_t(&args);
  args.cr_fd = fd;
  return cr_request_checkpoint(&args, &handle);
}
static inline int cr_request(void) { return cr_request_fd(-1); }
static inline int cr_request_file(const char *path) {
  struct dvmcr_options o;
  int rc;

  memset(&o, 0, sizeof(o));
  o.size = sizeof(o);
  o.path = path;
  rc = dvmcr_request(&o);
  return rc < 0 ? cr_result(rc) : 0;
}

static inline int cr_forward_checkpoint(cr_scope_t scope, pid_t target) {
  int rc = (int)scope < 0 || scope > CR_SCOPE_TREE ? -EINVAL : 0;

  if (!dvmcr_status())
    rc = -CR_ENOTCB;
  if (!rc)
    rc = dvmcr_forward(scope == CR_SCOPE_PROC ? DVMCR_PROCESS : (int)scope, target ? target : getpid());
  return cr_result(rc);
}

static inline int cr_milliseconds(const struct timeval *timeout) {
  return timeout ? (int)(timeout->tv_sec * 1000 + timeout->tv_usec / 1000) : -1;
}

/* 1 when it is done, 0 after the time-out; it is still to be reaped. */
static inline int cr_wait_checkpoint(cr_checkpoint_handle_t *handle, struct timeval *timeout) {
  return cr_result(dvmcr_done((int)*handle, cr_milliseconds(timeout)));
}
/* The bytes that the messages take, 0 if there are none. */
static inline int cr_log_checkpoint(cr_checkpoint_handle_t *handle, unsigned len, char *text) {
  return cr_result(dvmcr_message((int)*handle, text, len));
}
/* 1; -1 with errno CR_ERESTARTED in the restarted process, EAGAIN when it is not done, or what went wrong. */
static inline int cr_reap_checkpoint(cr_checkpoint_handle_t *handle) {
  int rc = dvmcr_poll((int)*handle, NULL, 0);

  if (rc == 0)
    return 1;
  errno = rc > 0 ? CR_ERESTARTED : rc == -EINPROGRESS ? EAGAIN : -rc;
  return -1;
}
/* The three together; *text is the caller's to free. */
static inline int cr_poll_checkpoint_msg(cr_checkpoint_handle_t *handle, struct timeval *timeout, char **text) {
  int rc = cr_wait_checkpoint(handle, timeout);

  if (text)
    *text = NULL;
  if (rc <= 0)
    return rc ? CR_POLL_CHKPT_ERR_PRE : 0;
  if (text) {
    rc = cr_log_checkpoint(handle, 0, NULL);
    *text = rc > 0 ? (char *)malloc((size_t)rc) : NULL;
    if (*text)
      cr_log_checkpoint(handle, (unsigned)rc, *text);
  }
  return cr_reap_checkpoint(handle) < 0 ? CR_POLL_CHKPT_ERR_POST : 1;
}
static inline int cr_poll_checkpoint(cr_checkpoint_handle_t *handle, struct timeval *timeout) {
  return cr_poll_checkpoint_msg(handle, timeout, NULL);
}

/* ---- restarts: 'dvm restart' does them -------------------------------------------------------------------------------- */

static inline int cr_initialize_restart_args_t(cr_restart_args_t *args) {
  memset(args, 0, sizeof(*args));
  args->cr_version = CR_RESTART_ARGS_VERSION;
  args->cr_fd = -1;
  return 0;
}
static inline int cr_request_restart(cr_restart_args_t *args, cr_restart_handle_t *handle) {
  (void)args;
  *handle = 0;
  return cr_result(-CR_ENOSUPPORT);
}
static inline int cr_wait_restart(cr_restart_handle_t *handle, struct timeval *timeout) {
  (void)handle;
  (void)timeout;
  return cr_result(-EINVAL);
}
static inline int cr_log_restart(cr_restart_handle_t *handle, unsigned len, char *text) {
  (void)handle;
  (void)len;
  (void)text;
  return cr_result(-EINVAL);
}
static inline int cr_reap_restart(cr_restart_handle_t *handle) { return cr_log_restart(handle, 0, NULL); }
static inline int cr_poll_restart_msg(cr_restart_handle_t *handle, struct timeval *timeout, char **text) {
  if (text)
    *text = NULL;
  return cr_wait_restart(handle, timeout) < 0 ? CR_POLL_RSTRT_ERR_PRE : 0;
}
static inline int cr_poll_restart(cr_restart_handle_t *handle, struct timeval *timeout) {
  return cr_poll_restart_msg(handle, timeout, NULL);
}
#endif

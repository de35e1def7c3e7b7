/* The rest of BLCR's interface: error codes of a program's own, callbacks that replace themselves, hooks of each kind of thread, what a
 * callback may ask, requests step by step, and what is only there by name.  blcr_rest IMAGE */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <libcr.h>

#define OWN_CODE 4242

static volatile int hooks[CR_NUM_HOOKS], second_calls;
static volatile bool refuse = true, informed, restarted_from;
static const char *image;
static cr_spinlock_t lock = CR_SPINLOCK_INITIALIZER;

static void check(bool ok, const char *what)
{
  if (ok)
    return;
  fprintf(stderr, "blcr_rest: %s: %s\n", what, cr_strerror(errno));
  exit(3);
}

static int second(void *arg)
{
  (void)arg;
  second_calls++;
  return 0; /* as if it had called cr_checkpoint() at its end */
}

static int first(void *arg)
{
  const struct cr_checkpoint_info *info = cr_get_checkpoint_info();
  int rc;

  (void)arg;
  informed = info && strcmp(info->dest, image) == 0 && info->requester == getpid() && info->target == getpid() &&
             info->scope == CR_SCOPE_PROC && info->signal == 0;
  rc = cr_checkpoint(refuse ? CR_CHECKPOINT_TEMP_FAILURE_CODE(OWN_CODE) : CR_CHECKPOINT_READY);
  if (refuse)
    return rc == -OWN_CODE ? 0 : -1;
  if (rc > 0) {
    const struct cr_restart_info *from = cr_get_restart_info();

    restarted_from = from && strcmp(from->src, image) == 0;
  }
  return cr_replace_self(second, NULL, CR_THREAD_CONTEXT);
}

static int in_signal(void *arg)
{
  (void)arg;
  cr_spinlock_lock(&lock);
  cr_spinlock_unlock(&lock);
  return cr_checkpoint(CR_CHECKPOINT_READY) < 0 && !refuse;
}

static void on_hook(cr_hook_event_t event) { hooks[event]++; }

/* Each thread runs its hooks before it goes on. */
static bool has_run(cr_hook_event_t event)
{
  for (int tries = 0; !hooks[event] && tries < 10000; tries++)
    usleep(1000);
  return hooks[event];
}

static void *plain(void *arg)
{
  for (;;)
    pause();
  return arg;
}

static cr_checkpoint_handle_t request(int fd)
{
  cr_checkpoint_args_t args;
  cr_checkpoint_handle_t handle;

  check(!cr_initialize_checkpoint_args_t(&args), "cr_initialize_checkpoint_args_t");
  args.cr_scope = CR_SCOPE_PROC;
  args.cr_fd = fd;
  args.cr_flags = CR_CHKPT_ASYNC_ERR;
  check(!cr_request_checkpoint(&args, &handle), "cr_request_checkpoint");
  return handle;
}

static void look_at_names(void)
{
  cr_restart_args_t args;
  cr_restart_handle_t handle;
  cr_checkpoint_args_t other;
  cr_checkpoint_handle_t none;

  check(cr_forward_checkpoint(CR_SCOPE_TREE, getppid()) < 0 && errno == CR_ENOTCB, "cr_forward_checkpoint");
  check(!cr_initialize_restart_args_t(&args) && cr_request_restart(&args, &handle) < 0 && errno == CR_ENOSUPPORT, "cr_request_restart");
  check(cr_poll_restart(&handle, NULL) == CR_POLL_RSTRT_ERR_PRE && cr_reap_restart(&handle) < 0, "cr_poll_restart");
  cr_initialize_checkpoint_args_t(&other);
  other.cr_scope = (cr_scope_t)9;
  check(cr_request_checkpoint(&other, &none) < 0 && errno == EINVAL, "a request for nobody");
  check(cr_hold_ctrl(CR_HOLD_SCOPE_UNINIT, CR_HOLD_NONE) == CR_HOLD_BOTH &&
        cr_hold_ctrl(CR_HOLD_SCOPE_UNINIT, CR_HOLD_READ) == CR_HOLD_NONE, "cr_hold_ctrl");
  check(cr_inc_persist() >= 0 && cr_dec_persist() >= 0, "cr_inc_persist");
  check(!cr_get_checkpoint_info() && cr_replace_self(second, NULL, CR_THREAD_CONTEXT) < 0 && errno == CR_ENOTCB &&
        cr_checkpoint(CR_CHECKPOINT_READY) == -CR_ENOTCB, "calls from outside callbacks");
  cr_spinlock_init(&lock);
  check(cr_spinlock_trylock(&lock) && !cr_spinlock_trylock(&lock), "cr_spinlock_trylock");
  cr_spinlock_unlock(&lock);
  check(cr_register_hook(CR_NUM_HOOKS, on_hook) == CR_HOOK_FN_ERROR, "a hook of no event");
}

int main(int argc, char **argv)
{
  cr_checkpoint_handle_t handle;
  char *text = NULL;
  pthread_t id;
  int fd, rc;

  if (argc < 2)
    return 2;
  image = argv[1];
  check(cr_register_callback(in_signal, NULL, CR_SIGNAL_CONTEXT) < 0 && errno == CR_ENOINIT, "without cr_init");
  check(cr_init() >= 0 && cr_register_callback(first, NULL, CR_THREAD_CONTEXT) >= 0 &&
        cr_register_callback(in_signal, NULL, CR_SIGNAL_CONTEXT) >= 0, "cr_register_callback");
  for (int event = 0; event < CR_NUM_HOOKS; event++)
    check(!cr_register_hook((cr_hook_event_t)event, on_hook), "cr_register_hook");
  check(!pthread_create(&id, NULL, plain, NULL), "pthread_create");
  look_at_names();
  fd = open(image, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  handle = request(fd);
  check(cr_poll_checkpoint_msg(&handle, NULL, &text) == CR_POLL_CHKPT_ERR_POST && errno == OWN_CODE && text && *text, "the code of the program's own");
  check(informed, "cr_get_checkpoint_info");
  free(text);
  refuse = false;
  handle = request(fd);
  check(cr_wait_checkpoint(&handle, NULL) > 0, "cr_wait_checkpoint");
  rc = cr_reap_checkpoint(&handle);
  if (rc > 0) { /* the first life */
    check(has_run(CR_HOOK_CONT_SIGNAL_CONTEXT) && has_run(CR_HOOK_CONT_THREAD_CONTEXT) && has_run(CR_HOOK_CONT_NO_CALLBACKS), "hooks");
    kill(getpid(), SIGKILL);
    pause();
  }
  check(rc < 0 && errno == CR_ERESTARTED, "cr_reap_checkpoint");
  check(has_run(CR_HOOK_RSTRT_SIGNAL_CONTEXT) && has_run(CR_HOOK_RSTRT_THREAD_CONTEXT) && has_run(CR_HOOK_RSTRT_NO_CALLBACKS), "missing hooks");
  check(hooks[CR_HOOK_RSTRT_SIGNAL_CONTEXT] == 1 && hooks[CR_HOOK_RSTRT_THREAD_CONTEXT] == 1 && hooks[CR_HOOK_RSTRT_NO_CALLBACKS] == 1 &&
        !hooks[CR_HOOK_CONT_SIGNAL_CONTEXT], "hooks of the restart");
  check(restarted_from && second_calls == 0, "cr_get_restart_info");
  handle = request(-1);
  check(cr_poll_checkpoint(&handle, NULL) == 1 && second_calls == 1, "the callback that has replaced itself");
  puts("as before");
  return 0;
}

/* Hold control of BLCR: by default no thread goes on before the callbacks of all have run; without it a callback may wait for one that has.
 * blcr_hold IMAGE */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <libcr.h>

static volatile bool callback_over, wait_for_thread, gone_on_early, restarted;
static volatile int gone_on;

static void check(bool ok, const char *what)
{
  if (ok)
    return;
  fprintf(stderr, "blcr_hold: %s: %s\n", what, cr_strerror(errno));
  exit(3);
}

static int in_helper(void *arg)
{
  int rc = cr_checkpoint(CR_CHECKPOINT_READY);

  (void)arg;
  restarted = rc > 0;
  if (wait_for_thread)
    while (!gone_on) /* for ever, if the thread is held */
      usleep(1000);
  else
    usleep(100000); /* a thread that is not held goes on meanwhile */
  callback_over = true;
  return rc < 0;
}

/* Before the thread goes on. */
static void on_hook(cr_hook_event_t event)
{
  (void)event;
  gone_on_early = gone_on_early || !callback_over;
  gone_on++;
}

static void *plain(void *arg)
{
  for (;;)
    pause();
  return arg;
}

static int checkpoint(const char *image)
{
  int fd = open(image, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  cr_checkpoint_handle_t handle;
  cr_checkpoint_args_t args;

  cr_initialize_checkpoint_args_t(&args);
  args.cr_scope = CR_SCOPE_PROC;
  args.cr_fd = fd;
  callback_over = gone_on_early = false;
  gone_on = 0;
  check(!cr_request_checkpoint(&args, &handle) && cr_wait_checkpoint(&handle, NULL) > 0, "request");
  fd = cr_reap_checkpoint(&handle) > 0 ? 0 : errno;
  for (int tries = 0; gone_on < 2 && tries < 10000; tries++)
    usleep(1000);
  check(gone_on == 2, "the threads do not go on");
  return fd;
}

int main(int argc, char **argv)
{
  pthread_t id;

  if (argc < 2)
    return 2;
  check(cr_init() >= 0 && cr_register_callback(in_helper, NULL, CR_THREAD_CONTEXT) >= 0, "cr_register_callback");
  cr_register_hook(CR_HOOK_CONT_SIGNAL_CONTEXT, on_hook);
  cr_register_hook(CR_HOOK_CONT_NO_CALLBACKS, on_hook);
  cr_register_hook(CR_HOOK_RSTRT_SIGNAL_CONTEXT, on_hook);
  cr_register_hook(CR_HOOK_RSTRT_NO_CALLBACKS, on_hook);
  check(!pthread_create(&id, NULL, plain, NULL), "pthread_create");
  check(cr_hold_ctrl(CR_HOLD_SCOPE_INIT, CR_HOLD_READ) == CR_HOLD_BOTH && cr_hold_ctrl(CR_HOLD_SCOPE_UNINIT, CR_HOLD_READ) == CR_HOLD_BOTH &&
        cr_hold_ctrl(CR_HOLD_SCOPE_THREAD, CR_HOLD_READ) == CR_HOLD_DFLT, "the settings at the start");
  check(cr_hold_ctrl(CR_HOLD_SCOPE_UNINIT, CR_HOLD_DFLT) < 0 && errno == EINVAL && cr_hold_ctrl(3, CR_HOLD_NONE) < 0 && errno == EINVAL &&
        cr_hold_ctrl(CR_HOLD_SCOPE_THREAD, 17) < 0, "a setting that there is not");
  check(!checkpoint(argv[1]) && !gone_on_early, "held when it continues");
  check(cr_hold_ctrl(CR_HOLD_SCOPE_UNINIT, CR_HOLD_RSTRT) == CR_HOLD_BOTH, "of threads without cr_init");
  check(cr_hold_ctrl(CR_HOLD_SCOPE_THREAD, CR_HOLD_RSTRT) == CR_HOLD_DFLT, "of this thread");
  wait_for_thread = true;
  check(!checkpoint(argv[1]) && gone_on_early, "not held when it continues");
  wait_for_thread = false;
  if (!checkpoint(argv[1])) { /* the first life */
    kill(getpid(), SIGKILL);
    pause();
  }
  check(restarted && !gone_on_early, "held in the restarted process");
  puts("as before");
  return 0;
}

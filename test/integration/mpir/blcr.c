/* A program as it was written for BLCR: callbacks, a critical section, hooks, a request of its own.  blcr IMAGE */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <libcr.h>

static int thread_calls, signal_calls, last_result = -1;
static volatile int hooked;

static int save_state(void *arg)
{
  int rc;

  ++*(int *)arg;
  rc = cr_checkpoint(CR_CHECKPOINT_READY);
  if (rc < 0)
    return -1;
  last_result = rc;
  return 0;
}

static int not_now(void *arg)
{
  (void)arg;
  cr_checkpoint(CR_CHECKPOINT_TEMP_FAILURE);
  return 0;
}

static void restarted(cr_hook_event_t event) { hooked += event >= 0; }

static void fail(const char *what)
{
  fprintf(stderr, "blcr: %s: %s\n", what, cr_strerror(errno));
  exit(3);
}

static int checkpoint_to(int fd, cr_checkpoint_handle_t *handle)
{
  cr_checkpoint_args_t args;
  int rc;

  cr_initialize_checkpoint_args_t(&args);
  args.cr_scope = CR_SCOPE_PROC;
  args.cr_target = getpid();
  args.cr_fd = fd;
  args.cr_timeout = 30;
  if (cr_request_checkpoint(&args, handle) < 0)
    fail("cr_request_checkpoint");
  do
    rc = cr_poll_checkpoint(handle, NULL);
  while (rc < 0 && errno == EINTR);
  return rc;
}

int main(int argc, char **argv)
{
  cr_client_id_t client = cr_init();
  cr_callback_id_t refuser;
  cr_checkpoint_handle_t handle;
  int fd, rc;

  if (argc < 2 || client < 0)
    return 2;
  if (cr_register_callback(save_state, &thread_calls, CR_THREAD_CONTEXT) < 0 ||
      cr_register_callback(save_state, &signal_calls, CR_SIGNAL_CONTEXT) < 0)
    fail("cr_register_callback");
  cr_register_hook(CR_HOOK_RSTRT_SIGNAL_CONTEXT, restarted);
  if (cr_enter_cs(client) || cr_leave_cs(client) || cr_tryenter_cs(client) || cr_leave_cs(client))
    fail("critical section");
  refuser = cr_register_callback(not_now, NULL, CR_THREAD_CONTEXT);
  fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (checkpoint_to(fd, &handle) >= 0 || errno != CR_ETEMPFAIL)
    fail("the callback's refusal is not told");
  if (cr_replace_callback(refuser, save_state, &thread_calls, CR_THREAD_CONTEXT) < 0)
    fail("cr_replace_callback");
  rc = checkpoint_to(fd, &handle);
  if (rc == 1) { /* the first life, with the image whole */
    kill(getpid(), SIGKILL);
    pause();
  }
  if (rc != CR_POLL_CHKPT_ERR_POST || errno != CR_ERESTARTED || last_result != 1)
    fail("not restarted");
  if (thread_calls < 2 || signal_calls < 1 || !hooked)
    fail("callbacks or hooks have not run");
  puts("as before");
  return 0;
}

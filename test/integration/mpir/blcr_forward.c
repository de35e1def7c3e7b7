/* Forwarding of BLCR: a process whose callback adds others to the checkpoint.  blcr_forward NAME [CONTEXT SCOPE TARGET..]: forwards to the targets
 * from a callback of CONTEXT ("thread", "signal"), SCOPE being BLCR's number; says NAME when it has been restarted, and ends. */
#include <libcr.h>

static const char *name;
static cr_scope_t scope;
static char **targets;
static volatile int restarted, failures;

static int callback(void *arg)
{
  (void)arg;
  for (char **t = targets; *t; t++)
    if (cr_forward_checkpoint(scope, atoi(*t)) < 0) {
      fprintf(stderr, "forward to %s: %s\n", *t, cr_strerror(errno)); /* in this test nobody is inside of stdio */
      failures++;
    }
  if (cr_checkpoint(failures ? CR_CHECKPOINT_PERM_FAILURE : CR_CHECKPOINT_READY) > 0)
    restarted = 1;
  failures = 0;
  return 0;
}

static void on_restart(cr_hook_event_t event) { restarted = event > 0; }

int main(int argc, char **argv)
{
  if (argc < 2 || cr_init() < 0)
    return 2;
  name = argv[1];
  if (argc > 3) {
    scope = (cr_scope_t)atoi(argv[3]);
    targets = argv + 4;
    if (cr_register_callback(callback, NULL, strcmp(argv[2], "signal") ? CR_THREAD_CONTEXT : CR_SIGNAL_CONTEXT) < 0)
      return 3;
  }
  if (cr_forward_checkpoint(CR_SCOPE_PROC, getpid()) >= 0 || errno != CR_ENOTCB)
    return 4;
  cr_register_hook(CR_HOOK_RSTRT_SIGNAL_CONTEXT, on_restart);
  fprintf(stderr, "ready\n");
  while (!restarted)
    usleep(10000);
  printf("%s runs again\n", name);
  return 0;
}

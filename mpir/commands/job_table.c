/* What a debugger of MPI programs looks for in the process that has started them (the MPIR process acquisition interface), and what one
 * that takes checkpoints looks for. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mpir/commands/job_private.h"
#include "mpir/commands/list.h"

enum { SPAWNED = 1, ABORTING = 2 };

typedef struct {
  char *host_name, *executable_name;
  int pid;
} MPIR_PROCDESC;

MPIR_PROCDESC *MPIR_proctable;
int MPIR_proctable_size;
volatile int MPIR_being_debugged;
volatile int MPIR_debug_state;
char *MPIR_debug_abort_string;
int MPIR_i_am_starter;      /* we are no rank */
int MPIR_partial_attach_ok; /* ranks that nobody attaches to go on */
volatile int MPIR_checkpointable;
char *MPIR_controller_hostname;
char *MPIR_checkpoint_command, *MPIR_restart_command, *MPIR_checkpoint_listing_command;

int MPIR_Breakpoint(void);
__attribute__((noinline)) int MPIR_Breakpoint(void) {
  __asm__ volatile(""); /* keeps the call */
  return 0;
}

static char *own_program(pid_t pid) {
  char path[64], file[PATH_MAX];
  snprintf(path, sizeof(path), "/proc/%d/exe", pid);
  ssize_t n = readlink(path, file, sizeof(file) - 1);
  file[n > 0 ? n : 0] = 0;
  return strdup(file);
}

static char *quote(const char *path) {
  char *to = NULL;
  size_t size;
  FILE *f = open_memstream(&to, &size);
  if (f) {
    mpir_list_quote(f, path);
    fclose(f);
  }
  return to;
}

/* Commands that a debugger can type on this host, in the form of figure 5.11 of Hursey's thesis (docs/checkpoint-debugging.md). */
static void fill_commands(void) {
  char self[PATH_MAX], checkpoints[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
  self[n > 0 ? n : 0] = 0;
  char *slash = strrchr(self, '/');
  if (slash)
    *slash = 0;
  if (mpir_list_folder(checkpoints, sizeof(checkpoints)))
    *checkpoints = 0;
  char *folder = quote(self), *images = quote(checkpoints);
  if (asprintf(&MPIR_checkpoint_command, "%s/dvm-checkpoint --crdebug --hnp-jobid %d", folder, getpid()) < 0 ||
      asprintf(&MPIR_restart_command, "%s/dvm-restart --crdebug", folder) < 0 ||
      asprintf(&MPIR_checkpoint_listing_command, "%s/dvm-checkpoint -l --crdebug %s", folder, images) < 0)
    abort();
  free(folder);
  free(images);
}

void mpir_table_fill(const struct job *j, const char *program) {
  static char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  MPIR_controller_hostname = host;
  MPIR_checkpointable = j->checkpointable;
  fill_commands();
  MPIR_PROCDESC *table = calloc(j->nranks, sizeof(*table));
  int n = 0;
  for (uint32_t i = 0; table && i < j->nranks; i++)
    if (j->pids[i])
      table[n++] = (MPIR_PROCDESC){j->hosts ? strdup(mpir_hosts_name(j->hosts, mpl_state(j->shared, i)->node)) : host,
                                   program ? strdup(program) : own_program(j->pids[i]), j->pids[i]};
  MPIR_proctable = table;
  MPIR_proctable_size = n;
}

/* As 'dvm restart --debug' does. */
void mpir_table_print(void) {
  for (int i = 0; i < MPIR_proctable_size; i++)
    fprintf(stderr, "MPIR_debug_info) %s:%d\n", MPIR_proctable[i].host_name, MPIR_proctable[i].pid);
}

bool mpir_table_wanted(void) { return MPIR_being_debugged; }

void mpir_table_tell(void) {
  MPIR_debug_state = SPAWNED;
  MPIR_Breakpoint();
}

void mpir_table_abort(const char *why) {
  MPIR_debug_abort_string = strdup(why);
  MPIR_debug_state = ABORTING;
  if (MPIR_being_debugged)
    MPIR_Breakpoint();
}

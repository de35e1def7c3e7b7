#include "mpir/commands/job_start.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "mpir/commands/list.h"
#include "mpir/mpi/segment.h"

/* The library lies beside the command in a build folder, else where it was installed: BIN/../LIB. */
static int find_library(char *folder, size_t folder_size, char *library, size_t size) {
  static const char *const places[] = {"%s/libdvmcr.so", "%s/../" DVM_LIBRARY_FOLDER "/libdvmcr.so"};
  ssize_t n = readlink("/proc/self/exe", folder, folder_size - 1);
  char *slash;

  if (n < 0)
    return -errno;
  folder[n] = '\0';
  slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    int len = snprintf(library, size, places[i], folder);

    if (len > 0 && (size_t)len < size && access(library, R_OK) == 0)
      return 0;
  }
  return -ENOENT;
}

int mpir_job_preload(void) {
  char folder[PATH_MAX], library[PATH_MAX + 64], checkpoints[PATH_MAX];
  const char *before = getenv("LD_PRELOAD");
  char *all;

  if (find_library(folder, sizeof(folder), library, sizeof(library))) {
    fprintf(stderr, "dvm run: error: libdvmcr.so is neither next to this command nor installed\n");
    return -ENOENT;
  }
  if (asprintf(&all, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") < 0)
    return -ENOMEM;
  setenv("LD_PRELOAD", all, 1);
  setenv("DVMCR_BINDIR", folder, 1);
  if (!mpir_list_folder(checkpoints, sizeof(checkpoints)))
    setenv("DVMCR_DIR", checkpoints, 0);
  free(all);
  return 0;
}

int mpir_job_folder(void) {
  char checkpoints[PATH_MAX];

  if (!mpir_list_folder(checkpoints, sizeof(checkpoints)))
    setenv("DVMCR_DIR", checkpoints, 0);
  return 0;
}

/* libmpi lies in 'mpi' beside the command in a build folder, else in the library folder. */
int mpir_job_layer(char *folder, size_t size) {
  static const char *const places[] = {"%s/mpi", "%s/../" DVM_LIBRARY_FOLDER "/dvm/mpi"};
  char self[PATH_MAX], library[PATH_MAX + 32];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

  self[n > 0 ? n : 0] = '\0';
  *strrchr(self, '/') = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    snprintf(folder, size, places[i], self);
    snprintf(library, sizeof(library), "%s/libmpi.so.40", folder);
    if (!access(library, R_OK))
      return 0;
  }
  return -ENOENT;
}

/* The memory of a job is a file, too, and 'ulimit -f' is meant for the program's. */
static struct rlimit file_limit;
static bool lifted;

void mpir_job_lift_file_limit(void) {
  struct rlimit most;
  lifted = !getrlimit(RLIMIT_FSIZE, &file_limit) && file_limit.rlim_cur != file_limit.rlim_max;
  signal(SIGXFSZ, SIG_IGN); /* then it is an error, which is told */
  most = (struct rlimit){file_limit.rlim_max, file_limit.rlim_max};
  if (lifted)
    setrlimit(RLIMIT_FSIZE, &most);
}

static void put_file_limit_back(void) {
  signal(SIGXFSZ, SIG_DFL);
  if (lifted)
    setrlimit(RLIMIT_FSIZE, &file_limit);
}

static void set_number(const char *name, uint32_t n) {
  char text[16];
  snprintf(text, sizeof(text), "%u", n);
  setenv(name, text, 1);
}

/* As under mpirun. */
static void set_environment(const struct mpir_place *w) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", MPL_RANK_VARIABLE};
  static const char *const locals[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK"};
  for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++)
    set_number(ranks[i], w->rank);
  for (size_t i = 0; i < sizeof(locals) / sizeof(*locals); i++)
    set_number(locals[i], w->local);
  set_number("OMPI_COMM_WORLD_SIZE", w->nranks);
  set_number("OMPI_UNIVERSE_SIZE", w->nranks);
  set_number("OMPI_COMM_WORLD_LOCAL_SIZE", w->nlocal);
  set_number(MPL_FD_VARIABLE, (uint32_t)w->segment);
  setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 0); /* as the message layer does for C: what is printed comes at once */
  if (w->checkpointable)
    setenv("DVMCR_JOB", "1", 1);
  const char *before = getenv("LD_LIBRARY_PATH");
  char *path;
  if (asprintf(&path, "%s%s%s", w->library, before && *before ? ":" : "", before ? before : "") > 0)
    setenv("LD_LIBRARY_PATH", path, 1);
}

_Noreturn void mpir_job_become(const struct mpir_place *w, char **argv, pid_t parent, const sigset_t *mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  sigprocmask(SIG_SETMASK, mask, NULL);
  put_file_limit_back();
  set_environment(w);
  if (w->last)
    w->last(w->arg, w->rank);
  if (w->rank) { /* standard input is rank 0's */
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    if (null > 0)
      close(null);
  }
  execvp(argv[0], argv);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", argv[0], strerror(errno));
  _exit(127);
}

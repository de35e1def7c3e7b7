/* Programs that were compiled as shared objects, one after another in one job: starting an MPI job for each would take most of the time.
 * usage: group FOLDER NAME..      runs FOLDER/NAME.so's main, its output in FOLDER/NAME.out of rank 0 */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int run(const char *folder, const char *name, int rank) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s.so", folder, name);
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*program)(int, char **) = object ? (int (*)(int, char **))dlsym(object, "program_main") : NULL;
  if (!program) {
    fprintf(stderr, "%s: %s\n", name, dlerror());
    return 1;
  }
  if (getenv("GROUP_ALL")) /* each rank's own output, its errors behind */
    snprintf(path, sizeof(path), "%s/%s.%d.out", folder, name, rank);
  else
    snprintf(path, sizeof(path), "%s/%s.out", folder, name);
  int to = open(rank && !getenv("GROUP_ALL") ? "/dev/null" : path, O_CREAT | O_TRUNC | O_WRONLY, 0666), kept = dup(1);
  if (to < 0 || kept < 0 || dup2(to, 1) < 0)
    return 1;
  char *args[] = {(char *)name, NULL};
  int status = program(1, args);
  fflush(NULL);
  dup2(kept, 1);
  close(kept);
  close(to);
  if (status)
    fprintf(stderr, "%s: status %d on rank %d\n", name, status, rank);
  return status;
}

void __dvmp_begin(void);

int main(int argc, char **argv) {
  int rank = 0, on, bad = 0;
  __dvmp_begin();
  MPI_Initialized(&on);
  if (on)
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 2; i < argc; i++)
    bad |= run(argv[1], argv[i], rank);
  return bad;
}

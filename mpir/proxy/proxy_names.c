/* The files in which processes of Open MPI on one host share memory (its part 'vader').  All who need them have them mapped when MPI_Init is over everywhere; their
   names are of no use from then on, and would be left behind by processes that are killed together with their mpirun. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mpir/proxy/proxy.h"

enum { NAME_MAX_BYTES = 4096 };
static char own[NAME_MAX_BYTES]; /* the file of this process, or "" */

/* ".../vader_segment.HOST.USER.JOB.RANK", with the rank on this host. */
static bool is_own(const char *path) {
  const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK"), *last = strrchr(path, '.');
  return rank && last && !strcmp(last + 1, rank);
}

void proxy_names_drop(void) {
  char line[NAME_MAX_BYTES];
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && !*own && fgets(line, sizeof(line), maps)) {
    char *path = strchr(line, '/');
    line[strcspn(line, "\n")] = 0;
    if (path && strstr(path, "/vader_segment.") && is_own(path) && !unlink(path))
      strcpy(own, path);
  }
  if (maps)
    fclose(maps);
}

/* MPI_Finalize says so when it has nothing to remove. */
void proxy_names_give_back(void) {
  const int fd = *own ? open(own, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd >= 0)
    close(fd);
}

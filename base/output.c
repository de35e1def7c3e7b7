#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void nothing(int signal) { (void)signal; }

void dvm_output_begin(void) {
  /* A handler, since exec takes it off; an ignored signal would stay so. */
  struct sigaction s = {.sa_handler = nothing, .sa_flags = SA_RESTART}, before;
  if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
    sigaction(SIGXFSZ, &s, NULL);
  for (int fd = 0; fd <= 2; fd++) /* opened the wrong way round, reading and writing fails as if it were closed */
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) < 0)
      break;
}

int dvm_output_end(int status) {
  bool lost = ferror(stdout);
  errno = 0;
  lost |= fflush(stdout) != 0;
  if (!lost)
    return status;
  if (errno)
    fprintf(stderr, "dvm: error: cannot write to standard output: %s\n", strerror(errno));
  else
    fprintf(stderr, "dvm: error: some of the output could not be written; is the disk full?\n");
  return status ? status : 1;
}

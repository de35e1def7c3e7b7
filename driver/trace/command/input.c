#define _GNU_SOURCE
#include "driver/trace/command/input.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_all(int fd, const char *from, size_t n) {
  while (n) {
    ssize_t rc = write(fd, from, n);
    if (rc < 0 && errno == EINTR)
      continue;
    if (rc < 0)
      return -errno;
    from += rc;
    n -= (size_t)rc;
  }
  return 0;
}

/* Until the end of the input, or of us. */
_Noreturn static void pass_on(int kept, int to) {
  static char part[1 << 16];
  ssize_t n;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN); /* of the terminal: the program decides */
  signal(SIGQUIT, SIG_IGN);
  while ((n = read(0, part, sizeof(part))) > 0 || (n < 0 && errno == EINTR))
    if (n > 0 && (write_all(kept, part, (size_t)n) || write_all(to, part, (size_t)n)))
      break;
  _exit(0);
}

static int relay(struct dvmt_input *in, struct dvm_error *err) {
  int ends[2];
  in->kept = memfd_create("dvm-input", MFD_CLOEXEC);
  if (in->kept < 0 || pipe2(ends, O_CLOEXEC))
    return dvm_error_errno(err, "cannot save standard input for the second run");
  in->relay = fork();
  if (!in->relay) {
    close(ends[0]);
    pass_on(in->kept, ends[1]);
  }
  int rc = in->relay < 0 || dup2(ends[0], 0) < 0 ? dvm_error_errno(err, "cannot save standard input for the second run") : 0;
  close(ends[0]);
  close(ends[1]);
  return rc;
}

int dvmt_input_begin(struct dvmt_input *in, struct dvm_error *err) {
  struct stat s;
  *in = (struct dvmt_input){.at = -1, .kept = -1};
  if (fstat(0, &s))
    return 0; /* there is none */
  if (S_ISREG(s.st_mode))
    in->at = lseek(0, 0, SEEK_CUR);
  return S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode) ? relay(in, err) : 0;
}

void dvmt_input_again(struct dvmt_input *in) {
  if (in->at >= 0)
    lseek(0, in->at, SEEK_SET);
  if (in->relay > 0) {
    kill(in->relay, SIGKILL);
    while (waitpid(in->relay, NULL, 0) < 0 && errno == EINTR)
      continue;
    lseek(in->kept, 0, SEEK_SET);
    dup2(in->kept, 0);
  }
  if (in->kept >= 0)
    close(in->kept);
  *in = (struct dvmt_input){.at = -1, .kept = -1};
}

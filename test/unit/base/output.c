/* What a command may rely on between the two calls, each case in a process of its own. */
#include "base/output.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { DIED = 255 };

static int status_of(int (*body)(void)) {
  int status;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid)
    _exit(body());
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : DIED;
}

/* Each returns 0 if all is well, else the number of what is not. */

static int closed(void) {
  char c;
  for (int fd = 0; fd <= 2; fd++)
    close(fd);
  dvm_output_begin();
  if (open("/dev/zero", O_RDONLY | O_CLOEXEC) < 3)
    return 1;
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
      return 2;
  if (read(0, &c, 1) >= 0 || errno != EBADF)
    return 3;
  for (int fd = 1; fd <= 2; fd++)
    if (write(fd, "x", 1) >= 0 || errno != EBADF)
      return 4;
  return 0;
}

static int open_ones_stay(void) {
  int before[3], n = open("/dev/zero", O_RDONLY);
  for (int fd = 0; fd <= 2; fd++)
    before[fd] = fcntl(fd, F_GETFD);
  dvm_output_begin();
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) != before[fd])
      return 1;
  return open("/dev/zero", O_RDONLY) != n + 1;
}

static int beyond_limit(void) {
  const struct rlimit one = {1, 1};
  char path[] = "/tmp/dvm-output-XXXXXX";
  int fd = mkstemp(path);
  unlink(path);
  if (fd < 0 || setrlimit(RLIMIT_FSIZE, &one))
    return 1;
  dvm_output_begin();
  return write(fd, "ab", 2) == 1 && write(fd, "b", 1) < 0 && errno == EFBIG ? 0 : 2;
}

static int ignored_limit(void) {
  struct sigaction s;
  signal(SIGXFSZ, SIG_IGN);
  dvm_output_begin();
  return sigaction(SIGXFSZ, NULL, &s) || s.sa_handler != SIG_IGN;
}

/* Standard output is held back, so that it is lost in the end. */
static int full(int status) {
  int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), quiet = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (dup2(fd, 1) < 0 || dup2(quiet, 2) < 0)
    return DIED;
  fputs("x", stdout);
  return dvm_output_end(status);
}
static int full_and_well(void) { return full(0); }
static int full_and_failed(void) { return full(66); }
static int nothing_lost(void) { return dvm_output_end(0); }
static int only_failed(void) { return dvm_output_end(7); }

static void test_streams(void **state) {
  (void)state;
  assert_int_equal(status_of(closed), 0);
  assert_int_equal(status_of(open_ones_stay), 0);
}

static void test_limit(void **state) {
  (void)state;
  assert_int_equal(status_of(beyond_limit), 0);
  assert_int_equal(status_of(ignored_limit), 0);
}

static void test_end(void **state) {
  (void)state;
  assert_int_equal(status_of(full_and_well), 1);
  assert_int_equal(status_of(full_and_failed), 66);
  assert_int_equal(status_of(nothing_lost), 0);
  assert_int_equal(status_of(only_failed), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams), cmocka_unit_test(test_limit), cmocka_unit_test(test_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

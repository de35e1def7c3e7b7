/* What stands at the path of an output decides whether a file may be renamed to it. */
#include "base/path.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/dvm-path-XXXXXX";

static int judged(const char *name, const char *words) {
  struct dvm_error err = DVM_ERROR_INIT;
  int rc = dvm_path_replaceable(name, &err);
  assert_int_equal(err.code, rc);
  if (rc) {
    assert_non_null(strstr(err.text, name));
    assert_non_null(strstr(err.text, words));
  }
  return rc;
}

static void socket_at(const char *name) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  strcpy(a.sun_path, name);
  assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
  close(fd);
}

static void test_replaceable(void **state) {
  (void)state;
  int fd = open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0400);
  assert_true(fd >= 0);
  close(fd);
  assert_int_equal(symlink("file", "link"), 0);
  assert_int_equal(symlink("nothing", "dangling"), 0);
  assert_int_equal(judged("file", ""), 0);
  assert_int_equal(judged("link", ""), 0);
  assert_int_equal(judged("dangling", ""), 0);
  assert_int_equal(judged("new", ""), 0);
  assert_int_equal(judged("none/new", ""), 0);
  assert_int_equal(judged("file/new", ""), 0);
  assert_int_equal(judged("", ""), 0);
}

static void test_not(void **state) {
  (void)state;
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(mkdir("sub", 0700), 0);
  socket_at("socket");
  assert_int_equal(symlink("/dev/null", "device"), 0);
  assert_int_equal(symlink("pipe", "link to a pipe"), 0);
  assert_int_equal(symlink("sub", "link to a folder"), 0);
  assert_int_equal(judged("pipe", "not a regular file"), -EPERM);
  assert_int_equal(judged("socket", "not a regular file"), -EPERM);
  assert_int_equal(judged("/dev/null", "not a regular file"), -EPERM);
  assert_int_equal(judged("device", "not a regular file"), -EPERM);
  assert_int_equal(judged("link to a pipe", "not a regular file"), -EPERM);
  assert_int_equal(judged("sub", "is a folder"), -EISDIR);
  assert_int_equal(judged("sub/", "is a folder"), -EISDIR);
  assert_int_equal(judged("link to a folder", "is a folder"), -EISDIR);
}

static void test_executable(void **state) {
  char there[64];
  (void)state;
  assert_int_equal(mkdir("bin", 0700), 0);
  int fd = open("bin/prog", O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  assert_true(fd >= 0);
  close(fd);
  assert_true(dvm_path_executable("bin/prog"));
  assert_false(dvm_path_executable("bin"));
  assert_false(dvm_path_executable("./file"));
  assert_false(dvm_path_executable("bin/none"));
  snprintf(there, sizeof there, "/nowhere:%s/bin", folder);
  setenv("PATH", there, 1);
  assert_true(dvm_path_executable("prog"));
  assert_false(dvm_path_executable("none"));
  assert_false(dvm_path_executable(""));
  setenv("PATH", "/nowhere", 1);
  assert_false(dvm_path_executable("prog"));
  assert_int_equal(chdir("bin"), 0);
  setenv("PATH", "/nowhere:", 1);
  assert_true(dvm_path_executable("prog"));
  unsetenv("PATH");
  assert_true(dvm_path_executable("sh"));
  assert_false(dvm_path_executable("prog"));
  assert_int_equal(chdir("..") | unlink("bin/prog") | rmdir("bin"), 0);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  static const char *const names[] = {"file", "link", "dangling", "pipe", "socket", "device", "link to a pipe", "link to a folder"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unlink(names[i]);
  return rmdir("sub") | chdir("/") | rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_replaceable), cmocka_unit_test(test_not), cmocka_unit_test(test_executable)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* A process whose name is made to deceive, in the states that it can be in. */
#include "base/process.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { PARENT = 4, EXIT_CODE = 52 };

static pid_t make_child(void) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid) {
    prctl(PR_SET_NAME, "a) Z 1 (b) R");
    raise(SIGSTOP);
    _exit(3);
  }
  assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
  return pid;
}

static void test_states(void **state) {
  (void)state;
  char text[64];
  pid_t pid = make_child();
  assert_int_equal(dvm_process_state(pid), 'T');
  assert_int_equal(dvm_process_stat(pid, PARENT), getpid());
  assert_true(dvm_process_status(pid, "Name:", text, sizeof(text)));
  assert_string_equal(text, "a) Z 1 (b) R");
  assert_false(dvm_process_status(pid, "Nothing:", text, sizeof(text)));
  assert_int_equal(dvm_process_last(pid, "PPid:", -1), getpid());
  assert_int_equal(dvm_process_last(pid, "Nothing:", -7), -7);
  kill(pid, SIGCONT);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_int_equal(dvm_process_state(pid), 'Z');
  assert_int_equal(dvm_process_stat(pid, EXIT_CODE), 3 << 8);
  waitpid(pid, NULL, 0);
}

static void test_none(void **state) {
  (void)state;
  char text[8] = "";
  pid_t pid = make_child();
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  assert_int_equal(dvm_process_state(pid), 0);
  assert_int_equal(dvm_process_stat(pid, PARENT), 0);
  assert_false(dvm_process_status(pid, "Name:", text, sizeof(text)));
  assert_int_equal(dvm_process_last(pid, "NSpid:", -3), -3);
}

static void test_end(void **state) {
  (void)state;
  pid_t pid = make_child();
  const long start = dvm_process_stat(pid, DVM_STAT_START);
  assert_true(start > 0);
  dvm_process_end(pid, start + 1); /* another process, which has the number now */
  assert_int_equal(dvm_process_state(pid), 'T');
  dvm_process_end(pid, start);
  assert_int_equal(dvm_process_state(pid), 'Z');
  int how;
  assert_int_equal(waitpid(pid, &how, 0), pid);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  dvm_process_end(pid, start);
  dvm_process_end(0, 0);
}

static void test_own(void **state) {
  (void)state;
  char text[4];
  assert_int_equal(dvm_process_last(getpid(), "NSpid:", -1), getpid());
  assert_int_equal(dvm_process_stat(getpid(), 1000), 0);
  char name[8];
  dvm_process_name(0, name, sizeof(name));
  assert_string_equal(name, "?");
  dvm_process_name(getpid(), name, sizeof(name));
  assert_string_equal(name, "unit_ba"); /* cut */
  assert_true(dvm_process_status(getpid(), "State:", text, sizeof(text)));
  assert_string_equal(text, "R (");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_states), cmocka_unit_test(test_none), cmocka_unit_test(test_end),
                                     cmocka_unit_test(test_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The process: exit status by every way out, forks, limits of the report, report files, threads, signal handlers. */
#include "play.h"
#include "runtime/report/diag.h"
#include "runtime/data/mem.h"
#include "runtime/report/report.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct played out;

/* One error (and 'more' others, each at a line of its own). */
static void wrong(int more) {
  double *p = malloc(64);
  __dvmrt_heap_new(p, 64);
  for (int i = 0; i <= more; i++)
    touch(p, 8, access_site("r", 10 + i, 5, "T *p\nV p\nS 8\nY f\nG h\n"), NULL, DVMRT_READ);
}

static void by_return(void) { wrong(0); }
static void by_exit(void) { wrong(0), exit(3); }
static void by_exit_now(void) { wrong(0), _exit(3); }
static void by_exit_c99(void) { wrong(0), _Exit(3); }
static void by_quick_exit(void) { wrong(0), quick_exit(3); }
static void by_signal(void) {
  wrong(0);
  signal(SIGTERM, SIG_DFL);
  raise(SIGTERM);
}
static void in_order(void) { _exit(5); }

static void test_ways_out(void **state) {
  (void)state;
  void (*const ways[])(void) = {by_return, by_exit, by_exit_now, by_exit_c99, by_quick_exit};
  for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
    play(ways[i], 0, &out);
    assert_int_equal(out.status, 66);
    expect_text(&out, "[dvm-uninitialized]");
    expect_text(&out, "dvm: 1 error (1 occurrence) in ");
  }
  play(in_order, 0, &out);
  assert_int_equal(out.status, 5);
  expect_silent(&out);
}

/* Death by a signal stays one, and what was found is on the screen. */
static void test_signal(void **state) {
  (void)state;
  play(by_signal, 0, &out);
  assert_int_equal(out.status, -SIGTERM);
  expect_text(&out, "t.c:10:5: error: '*p' is read before any value was assigned to it [dvm-uninitialized]\n");
}

static void forks(void) {
  wrong(0);
  pid_t pid = fork();
  if (!pid)
    exit(4);
  int raw;
  waitpid(pid, &raw, 0);
  fprintf(stderr, "child: %d\n", WEXITSTATUS(raw));
}

static void vforks(void) {
  wrong(0);
  pid_t pid = vfork();
  if (!pid)
    _exit(4);
  int raw;
  waitpid(pid, &raw, 0);
  fprintf(stderr, "child: %d\n", WEXITSTATUS(raw));
}

/* A child starts at zero; the parent's sum is printed once. */
static void test_fork(void **state) {
  (void)state;
  void (*const ways[])(void) = {forks, vforks};
  for (int i = 0; i < 2; i++) {
    play(ways[i], 0, &out);
    expect_text(&out, "child: 4\n");
    assert_int_equal(out.status, 66);
    const char *sum = strstr(out.err, "dvm: 1 error");
    assert_non_null(sum);
    assert_null(strstr(sum + 1, "dvm: 1 error"));
  }
}

static void set_options(const char *text) {
  struct dvmrt_options o;
  struct dvm_error err = DVM_ERROR_INIT;
  dvmrt_options_default(&o);
  assert_int_equal(dvmrt_options_parse(&o, text, &err), 0);
  assert_true(dvmrt_mem_enter());
  dvmrt_diag_init(&o);
  assert_int_equal(dvmrt_report_open(&o, &err), 0);
  dvmrt_mem_leave();
}

static void few(void) { set_options("max_errors=2:exitcode=9"), wrong(4); }
static void halting(void) { set_options("halt_on_error=1"), wrong(4), fprintf(stderr, "went on\n"); }
static void without(void) { set_options("checks=-uninitialized"), wrong(4); }
static void coloured(void) { set_options("color=always"), wrong(0); }
static void with_stats(void) { set_options("stats=1"); }

static void test_limits(void **state) {
  (void)state;
  play(few, 0, &out);
  expect_text(&out, "t.c:11:5: error:");
  expect_no_text(&out, "t.c:12:5: error:");
  expect_text(&out, "dvm: 2 diagnostics have been shown (max_errors); the rest of the run is not checked\n");
  expect_text(&out, "dvm: 2 errors (at least 2 occurrences) in ");
  assert_int_equal(out.status, 9);
  play(halting, 0, &out);
  expect_text(&out, "t.c:10:5: error:");
  expect_text(&out, "dvm: 1 error");
  expect_no_text(&out, "t.c:11:5: error:");
  expect_no_text(&out, "went on");
  assert_int_equal(out.status, 66);
  play(without, 7, &out);
  expect_silent(&out);
  assert_int_equal(out.status, 7);
  play(coloured, 0, &out);
  expect_text(&out, "\033[1;31merror:\033[0m");
  play(with_stats, 0, &out);
  expect_text(&out, "dvm: 0 errors in ");
  assert_int_equal(out.status, 0);
}

static char report[64];
static void reporting(void) {
  char options[256];
  snprintf(options, sizeof(options), "report=%s.jsonl:report=%s.sarif", report, report);
  set_options(options);
  wrong(1);
  wrong(0);
}

static void crashing(void) {
  reporting();
  raise(SIGKILL);
}

static void read_report(const char *ending, char *text, size_t size) {
  char path[128];
  snprintf(path, sizeof(path), "%s.%s", report, ending);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  text[fread(text, 1, size - 1, f)] = 0;
  fclose(f);
  unlink(path);
}

static unsigned occurrences(const char *text, const char *what) {
  unsigned n = 0;
  for (; (text = strstr(text, what)); text++)
    n++;
  return n;
}

static void test_reports(void **state) {
  (void)state;
  static char text[65536];
  snprintf(report, sizeof(report), "runtime-process-%d", (int)getpid());
  play(reporting, 0, &out);
  read_report("jsonl", text, sizeof(text));
  assert_int_equal(occurrences(text, "\"id\":\"dvm-uninitialized\""), 2);
  assert_int_equal(occurrences(text, "\"count\":2"), 1);
  read_report("sarif", text, sizeof(text));
  assert_int_equal(occurrences(text, "\"ruleId\":\"dvm-uninitialized\""), 2);
  assert_non_null(strstr(text, "]}]}\n"));
  play(crashing, 0, &out);
  assert_int_equal(out.status, -SIGKILL);
  read_report("jsonl", text, sizeof(text));
  assert_int_equal(occurrences(text, "\"id\":"), 2);
  read_report("sarif", text, sizeof(text));
  assert_non_null(strstr(text, "]}]}\n"));
}

static double shared_data[512];
static void *thread(void *unused) {
  (void)unused;
  struct dvmrt_site *w = access_site("w", 30, 1, "T x\nV x\nS 8\nG g\n");
  for (int i = 0; i < 512; i++)
    touch(&shared_data[i], 8, w, NULL, DVMRT_WRITE);
  wrong(0); /* other threads' reads are not judged */
  return NULL;
}

static void threads(void) {
  pthread_t t[4];
  access_site("w", 30, 1, "T x\nV x\nS 8\nG g\n");
  access_site("r", 10, 5, "T *p\nV p\nS 8\nY f\nG h\n");
  __dvmrt_heap_new(shared_data, sizeof(shared_data));
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, thread, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  for (int i = 0; i < 512; i++)
    touch(&shared_data[i], 8, access_site("r", 31, 1, "T x\nV x\nS 8\nG g\n"), NULL, DVMRT_READ);
}

static void test_threads(void **state) {
  (void)state;
  play(threads, 0, &out);
  expect_silent(&out);
}

/* Code that interrupts the runtime and comes back to it does nothing, and nothing hangs. */
static void test_reentrancy(void **state) {
  (void)state;
  assert_true(dvmrt_mem_enter());
  assert_false(dvmrt_mem_enter());
  struct dvmrt_site *c = site("K parallel 1\nF t.c\nP 1 1\nN 1 i\n");
  int runs = 0;
  while (__dvmrt_enter(c, FRAME, NULL)) {
    runs++;
    __dvmrt_leave(c, FRAME);
  }
  assert_int_equal(runs, 1);
  pid_t pid = fork();
  if (!pid)
    _exit(dvmrt_mem_inside() ? 5 : 6);
  int raw;
  waitpid(pid, &raw, 0);
  assert_int_equal(WEXITSTATUS(raw), 5);
  assert_true(dvmrt_mem_inside());
  dvmrt_mem_leave();
}

/* A handler ends the process while the runtime is at work: no sum, but the status. */
static void ends_inside(void) {
  wrong(0);
  if (dvmrt_mem_enter())
    exit(3);
}

static void test_end_inside(void **state) {
  (void)state;
  play(ends_inside, 0, &out);
  assert_int_equal(out.status, 66);
  expect_no_text(&out, "dvm: 1 error");
}

int main(void) {
  site("K r\nF t.c\nP 1 1\n");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ways_out), cmocka_unit_test(test_signal),  cmocka_unit_test(test_fork),       cmocka_unit_test(test_limits),
      cmocka_unit_test(test_reports),  cmocka_unit_test(test_threads), cmocka_unit_test(test_reentrancy), cmocka_unit_test(test_end_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

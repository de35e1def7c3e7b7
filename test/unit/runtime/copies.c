/* What memory lacks goes with its copies, byte by byte; outside of loops neither side gets words for it. */
#include "play.h"
#include "runtime/data/doubt.h"
#include "runtime/data/shadow.h"
#include <stdio.h>
#include <string.h>

enum { BYTES = 8192, COUNT = 128, VALUED = 40, AT = 3 };

static void need(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "not so: %s\n", what);
  exit(1);
}

static double *block(void) {
  double *p = aligned_alloc(4096, BYTES);
  need(p, "memory");
  memset(p, 0, BYTES);
  __dvmrt_heap_new(p, BYTES);
  return p;
}

static void copies(void) {
  struct dvmrt_site *w = access_site("w", 5, 3, "T to\nV to\nS 8\nY f\nN e\n"),
                    *r = access_site("r", 5, 7, "T from\nV from\nS 8\nY f\nN e\n");
  struct dvmrt_site *use = access_site("r", 6, 9, "T to[i]\nV to\nS 8\nY f\n");
  double *from = block(), *to = block();
  __dvmrt_assign(from, VALUED * sizeof *from);
  __dvmrt_copy_at(to + AT, from, COUNT * sizeof *from, w, r);
  need(dvmrt_shadow_told_by_bits((uintptr_t)from, BYTES), "the source has no words");
  need(dvmrt_shadow_told_by_bits((uintptr_t)to, BYTES), "the target has no words");
  for (int i = 0; i < COUNT; i++)
    need(dvmrt_doubt_any((uintptr_t)&to[AT + i], sizeof *to) == (i >= VALUED), "each element is as its source is");
  touch(&to[AT + VALUED - 1], sizeof *to, use, NULL, DVMRT_READ);
  touch(&to[AT + VALUED], sizeof *to, use, NULL, DVMRT_READ);
  __dvmrt_assign(from, BYTES);
  __dvmrt_copy_at(to, from, BYTES, w, r);
  need(!dvmrt_doubt_any((uintptr_t)to, BYTES), "all of it has a value");
}

static void test_copies(void **state) {
  (void)state;
  static struct played p;
  play(copies, 0, &p);
  expect_no_text(&p, "not so");
  expect_text(&p, "t.c:6:9: error: 'to[i]' is read before any value was assigned to it [dvm-uninitialized]\n");
  expect_no_text(&p, "2 times");
  assert_int_equal(p.status, 66);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

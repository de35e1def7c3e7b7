/* Each id on the generic path, played by hand: the wrong program is reported in the right form, its twin is silent. */
#include "play.h"
#include <stdio.h>

enum { N = 10 };
static double A[N][N] __attribute__((aligned(64))), B[N][N] __attribute__((aligned(64)));

#define FILE_POS(l, c) "F t.c\nP " #l " " #c "\n"

static void declare(void) {
  __dvmrt_direct(site("K array\n" FILE_POS(1, 9) "A A af8 & 8 2 10 10\nD block block\nW 1:1 1:1\n"), ARGS(P(A)));
  __dvmrt_direct(site("K array\n" FILE_POS(2, 9) "A B af8 & 8 2 10 10\nG A af8 & 8 2 10 10\nX a0:1:0\nX a1:1:0\nN 2 i j\nW 1:1 1:1\n"),
                 ARGS(P(B), P(A)));
}

static void put(double (*X)[N], int i, int j, struct dvmrt_site *s) { touch(&X[i][j], 8, s, ARGS(i, j), DVMRT_WRITE); }
static void get(double (*X)[N], int i, int j, struct dvmrt_site *s) { touch(&X[i][j], 8, s, ARGS(i, j), DVMRT_READ); }

static void fill(void) {
  struct dvmrt_site *wa = access_site("w", 5, 3, "T A[i][j]\nV A\nS 8\nG s\nX o\nX o\n");
  struct dvmrt_site *wb = access_site("w", 6, 3, "T B[i][j]\nV B\nS 8\nG s\nX o\nX o\n");
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      put(A, i, j, wa);
      put(B, i, j, wb);
    }
  }
}

/* parallel([i][j] on B[i][j]): B[i][j] = A[i + di][j + dj] */
static void stencil(const char *clauses, int nargs_more, int di, int dj) {
  char text[1024], x[128];
  snprintf(text, sizeof(text),
           "K parallel 1\n" FILE_POS(10, 9) "N 2 i j\nO B af8 & 8 2 10 10\nX a0:1:0\nX a1:1:0\nS 1 1\n"
                                            "U A & r\nU B & w\n%s",
           clauses);
  struct dvmrt_site *c = site(text);
  snprintf(x, sizeof(x), "T A[i%+d][j%+d]\nV A\nS 8\nG s\nC 1\nD 0\nX a0:1:%d\nX a1:1:%d\n", di, dj, di, dj);
  struct dvmrt_site *r = access_site("r", 13, 17, x);
  struct dvmrt_site *w = access_site("w", 13, 7, "T B[i][j]\nV B\nS 8\nG s\nC 1\nD 1\nX a0:1:0\nX a1:1:0\n");
  (void)nargs_more;
  while (__dvmrt_enter(c, FRAME, ARGS(P(B), P(A), P(B), P(A), P(A)))) {
    for (int64_t i = 1; i < N - 1; i++) {
      __dvmrt_row(c);
      for (int64_t j = 1; j < N - 1; j++) {
        iteration(ARGS(i, j), 2);
        get(A, (int)i + di, (int)j + dj, r);
        put(B, (int)i, (int)j, w);
      }
    }
    __dvmrt_leave(c, FRAME);
  }
}

static void right(void) {
  declare();
  fill();
  stencil("H A af8 & 8 2 10 10\n", 1, -1, 0);
  stencil("", 0, 0, 0);
}

/* As if the loop had counted so far; the iterations themselves would take too long. */
static void many(void) {
  struct dvmrt_site *c = site("K parallel 1\n" FILE_POS(20, 9) "N 1 i\nO B af8 & 8 2 10 10\nX c0\nX e\nS 1\n");
  declare();
  while (__dvmrt_enter(c, FRAME, ARGS(P(B)))) {
    __dvmrt_row(c);
    iteration(ARGS(0), 1);
    __dvmrt_now.write += 1u << 31;
    iteration(ARGS(1), 1);
    __dvmrt_leave(c, FRAME);
  }
}

static void test_many(void **state) {
  (void)state;
  struct played p;
  play(many, 0, &p);
  expect_text(&p, "dvm: warning: t.c:20: more than 1073741824 iterations in one execution of this parallel loop");
  assert_int_equal(p.status, 0);
}

static void stale(void) {
  declare();
  fill();
  stencil("H A af8 & 8 2 10 10\n", 1, -1, 0);
  fill();
  stencil("", 0, 0, 1);
}

static void nonlocal(void) {
  declare();
  fill();
  stencil("H A af8 & 8 2 10 10\nW 1:1 1:1 corner\n", 1, -1, 1);
  stencil("H A af8 & 8 2 10 10\n", 1, -1, 2);
}

static void corner(void) {
  declare();
  fill();
  stencil("H A af8 & 8 2 10 10\n", 1, 1, 1);
}

static void uninitialized(void) {
  declare();
  stencil("", 0, 0, 0);
}

/* parallel([i] on V[i]) across nothing: V[i] = V[i - 1] */
static double V[N] __attribute__((aligned(64)));
static void recurrence(void) {
  __dvmrt_direct(site("K array\n" FILE_POS(1, 9) "A V af8 & 8 1 10\nD block\n"), ARGS(P(V)));
  struct dvmrt_site *fill_site = access_site("w", 5, 3, "T V[i]\nV V\nS 8\nG s\nX o\n");
  for (int i = 0; i < N; i++)
    touch(&V[i], 8, fill_site, ARGS(i), DVMRT_WRITE);
  struct dvmrt_site *c = site("K parallel 2\n" FILE_POS(10, 9) "N 1 i\nO V af8 & 8 1 10\nX a0:1:0\nS 1\nH V af8 & 8 1 10\nU V & w\n");
  struct dvmrt_site *r = access_site("r", 12, 12, "T V[i - 1]\nV V\nS 8\nG s\nC 2\nD 0\nX a0:1:-1\n");
  struct dvmrt_site *w = access_site("w", 12, 5, "T V[i]\nV V\nS 8\nG s\nC 2\nD 0\nX a0:1:0\n");
  while (__dvmrt_enter(c, FRAME, ARGS(P(V), P(V), P(V)))) {
    for (int64_t i = 1; i < N; i++) {
      iteration(&i, 1);
      touch(&V[i - 1], 8, r, ARGS(i - 1), DVMRT_READ);
      touch(&V[i], 8, w, ARGS(i), DVMRT_WRITE);
    }
    __dvmrt_leave(c, FRAME);
  }
}

static void out_of_bounds(void) {
  declare();
  get(A, 0, 12, access_site("r", 9, 4, "T A[k][m]\nV A\nS 8\nG s\nX o\nX o\n"));
}

static struct played out;

static void test_right(void **state) {
  (void)state;
  play(right, 3, &out);
  expect_silent(&out);
  assert_int_equal(out.status, 3);
}

static void test_stale(void **state) {
  (void)state;
  play(stale, 3, &out);
  fputs(out.err, stdout);
  expect_text(&out, "t.c:13:17: error: 'A[1][2]' is read from the shadow edge, which has not been renewed since 'A' was written "
                    "[dvm-shadow-stale]\n");
  expect_text(&out, "t.c:5:3: note: 'A' was last written here\n");
  expect_text(&out, "t.c:10:9: note: in this parallel loop, iteration (i=1, j=1)");
  expect_text(&out, "help: add 'shadow_renew(A)' to the directive at t.c:10\n");
  expect_text(&out, "dvm: t.c:13:17 [dvm-shadow-stale] 64 times; smallest clause: shadow_renew(A[0:0][0:1])\n");
  expect_text(&out, "dvm: 1 error (64 occurrences) in ");
  expect_text(&out, " s; 2 parallel loops, 2 arrays\n");
  assert_int_equal(out.status, 66);
}

static void test_nonlocal(void **state) {
  (void)state;
  play(nonlocal, 0, &out);
  fputs(out.err, stdout);
  expect_text(&out, "t.c:13:17: error: 'A[0][3]' is read outside the iteration's own part and its shadow edge "
                    "[dvm-nonlocal-access]\n");
  expect_text(&out, "t.c:1:9: note: 'A' is distributed here with shadow[1:1][1:1]\n");
  expect_text(&out, "help: give dimension 2 of 'A' a shadow edge of [1:2]");
  assert_int_equal(out.status, 66);
}

static void test_corner(void **state) {
  (void)state;
  play(corner, 0, &out);
  fputs(out.err, stdout);
  expect_text(&out, "'A[2][2]' is read from a corner of the shadow edge");
  expect_text(&out, "smallest clause: shadow_renew(A[0:1][0:1](corner))");
}

static void test_uninitialized(void **state) {
  (void)state;
  play(uninitialized, 0, &out);
  expect_text(&out, "t.c:13:17: error: 'A[1][1]' is read before any value was assigned to it [dvm-uninitialized]\n");
  expect_text(&out, "t.c:1:9: note: 'A' is declared here\n");
  assert_int_equal(out.status, 66);
}

static void test_recurrence(void **state) {
  (void)state;
  play(recurrence, 0, &out);
  fputs(out.err, stdout);
  expect_text(&out, "t.c:12:12: error: 'V[1]' is read here, but iteration (i=1) has written it: flow dependence, distance (1) "
                    "[dvm-loop-dependence]\n");
  expect_text(&out, "t.c:12:5: note: 'V[1]' was written here, in iteration (i=1)\n");
  expect_text(&out, "help: add 'across(V[1:0])' to the directive at t.c:10\n");
  expect_text(&out, "[dvm-loop-dependence] 8 times; smallest clause: across(V[1:0])\n");
}

static void test_out_of_bounds(void **state) {
  (void)state;
  play(out_of_bounds, 0, &out);
  expect_text(&out, "t.c:9:4: error: 'A[0][12]' is out of bounds: index 12 of dimension 2 is not in 0..9 [dvm-out-of-bounds]\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right),      cmocka_unit_test(test_many),          cmocka_unit_test(test_stale),
      cmocka_unit_test(test_nonlocal),   cmocka_unit_test(test_corner),        cmocka_unit_test(test_uninitialized),
      cmocka_unit_test(test_recurrence), cmocka_unit_test(test_out_of_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reductions read off a line of source. */
#include "runtime/report/guess.h"
#include "play.h"
#include <string.h>

static void guess(const char *before, const char *line, const char *name, const char *want) {
  const char *at = strstr(line, name);
  const char *got = dvmrt_guess_in(before, line, (uint32_t)(at - line) + 1, name);
  if ((got == NULL) != (want == NULL) || (got && strcmp(got, want)))
    fail_msg("'%s': got %s, want %s", line, got ? got : "none", want ? want : "none");
}

static void test_forms(void **state) {
  (void)state;
  guess("", "  s += x[i];", "s", "sum");
  guess("", "  s-=x;", "s", "sum");
  guess("", "  h[key[i]] += x;", "h", "sum");
  guess("", "  h[i][j + 1]++;", "h", "sum");
  guess("", "  h[i", "h", NULL);
  guess("", "  hits++;", "hits", "sum");
  guess("", "  mean(k) = mean(k) + row(k)", "mean", "sum");
  guess("", "  lo(k) = min(lo(k), row(k))", "lo", "min");
  guess("", "  mean(k) = row(k) + mean(k)", "mean", "sum");
  guess("", "  fine = fine .and. x > 0", "fine", "and");
  guess("", "  FINE = X > 0 .OR. FINE", "FINE", "or");
  guess("", "  fine = fine .and. x .or. y", "fine", NULL);
  guess("      IF (X .GT. TOP) THEN", "        TOP = X", "TOP", "max");
  guess("", "  ++hits;", "hits", "sum");
  guess("", "  s = s + x[i];", "s", "sum");
  guess("", "  s = x[i] + s;", "s", "sum");
  guess("", "  p *= x;", "p", "product");
  guess("", "  bits |= 1 << i;", "bits", "or");
  guess("", "  bits &= m;", "bits", "and");
  guess("", "  bits ^= m;", "bits", "xor");
  guess("", "  m = fmax(m, x);", "m", "max");
  guess("", "  m = Min(x, m);", "m", "min");
  guess("", "  m = x > m ? x : m;", "m", "max");
  guess("", "  m = m > x ? x : m;", "m", "min");
  guess("", "  m = m > x ? m : x;", "m", "max");
  guess("", "  m = (x >= m) ? (m) : x;", "m", "min");
  guess("", "  h[i] = h[i] < x ? h[i] : x;", "h", "min");
  guess("    if (a[i] > m)", "      m = a[i];", "m", "max");
  guess("    if (m >= a[i])", "      m = a[i];", "m", "min");
  guess("", "  h[k] = h[k] + x;", "h", "sum");
  guess("", "  h[k] = 1 + h[k];", "h", "sum");
  guess("", "  h[k[i]][j] = x > h[k[i]][j] ? x : h[k[i]][j];", "h", "max");
  guess("    if (h[k] > x)", "      h[k] = x;", "h", "min");
  guess("", "  h[k] = h[k", "h", NULL);
  guess("    if (!(x <= m))", "      m = x;", "m", "max");
  guess("    if (!(m <= x))", "      m = x;", "m", "min");
  guess("    if (!(!(x <= m)))", "      m = x;", "m", "min");
  guess("", "  m = !(x > m) ? m : x;", "m", "max");
  guess("", "  t = t * 2 + 1;", "t", NULL);
  guess("", "  t = t * (2 + 1);", "t", "product");
  guess("", "  t = t * -x;", "t", "product");
  guess("", "  t = t * 1e-3;", "t", "product");
  guess("", "  t = t * 2 % 7;", "t", NULL);
  guess("", "  t = t & 1 | x;", "t", NULL);
  guess("", "  t = t | 1 << i;", "t", "or");
  guess("", "  t = t + p->x * 2;", "t", "sum");
  guess("", "  t = 1 + 2 * t;", "t", NULL);
  guess("", "  t = 3 * a + t;", "t", "sum");
  guess("", "  t = x - t;", "t", NULL);
  guess("", "  t = u;", "t", NULL);
  guess("", "  t = u + tt;", "t", NULL);
  guess("", "  t == u;", "t", NULL);
}

static void test_ends(void **state) {
  (void)state;
  assert_null(dvmrt_guess_in("", "", 1, "s"));
  assert_null(dvmrt_guess_in("", "s", 0, "s"));
  assert_null(dvmrt_guess_in("", "s", 9, "s"));
  assert_null(dvmrt_guess_in("", "s", 1, "s"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

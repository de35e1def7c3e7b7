/* A wrapper of memcpy learns its length when it is put inline: what it brings without a value is found in the variable that it fills,
 * in a loop that is asked for all of its turns too, and a variable that it does not fill has none either. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *wrapped(void *to, const void *from, size_t n) { return memcpy(to, from, n); }

static double value_at(const void *p) {
  double v;
  wrapped(&v, p, sizeof v);
  return v;
  //     ^ error dvm-uninitialized 'v'
}

static double half(const void *p) {
  float v[2];
#ifdef RIGHT
  v[1] = 0;
#endif
  wrapped(v, p, sizeof *v);
  return v[1];
  //     ^ error dvm-uninitialized 'v[1]'
}

static double sum(const char *p, long n) {
  double s = 0, t = 0;
  for (; n > 1; n -= 2, p += 16) {
    s += value_at(p);
    t += value_at(p + 8);
  }
  return s * t;
}

static double unless(const void *p, int which) {
  double v;
#ifdef RIGHT
  v = 1;
#endif
  if (which)
    wrapped(&v, p, sizeof v);
  return v;
  //     ^ error dvm-uninitialized 'v'
}

int main(int argc, char **argv) {
  (void)argv;
  long n = argc + 99;
  double *d = malloc(n * sizeof *d), all = 0;
  if (!d)
    return 1;
  for (long i = 0; i < n; i++)
    if (i != n - 3)
      d[i] = i;
#ifdef RIGHT
  d[n - 3] = 0;
#endif
  all += sum((char *)d, n) + sum((char *)d, 40) + half(d) + unless(d, 1) + unless(d, argc > 1);
  puts(all < 1e300 ? "done" : "large");
  free(d);
  return 0;
}

/* Elements are sent to who prints them where the text shows a distributed array: not through a pointer that no directive names. */
// TWIN
#include <stdio.h>
#define N 40

#pragma dvm array distribute[block]
double a[N];

#ifdef RIGHT
#define NAMED a
#else
#define NAMED q
#endif

#ifdef RIGHT
#pragma dvm inherit(p)
#endif
static void show(const double *p) {
  printf("%g\n", p[10]);
  //             ^ error dvm-sequential-access 'p[10]'
  // stderr help: put '#pragma dvm inherit.p.' before the function if 'p' is its parameter, or name 'a' itself
}

#ifdef RIGHT
#pragma dvm inherit(p)
#endif
static double last(const double *p) {
  double x;
#ifdef RIGHT
#pragma dvm remote_access(p[N - 1])
#endif
  x = p[N - 1];
  //  ^ error dvm-sequential-access 'p[39]'
  // stderr help: put '#pragma dvm inherit.p.' before the function if 'p' is its parameter, or name 'a' itself, and the statement under 'remote_access'
  return x;
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  const double *q = a;
  (void)q;
  show(a);
  printf("%g\n", last(a));
  fprintf(stdout, "%g %g\n", NAMED[1],
          //                 ^ error dvm-sequential-access 'NAMED[1]'
          a[2]);
  return 0;
}

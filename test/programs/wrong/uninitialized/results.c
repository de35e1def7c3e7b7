/* Results that functions put where a pointer of theirs leads: on every way, on some, after having read it, or kept for later. */
#include <stdio.h>
#include <stdlib.h>
#define KEPT __attribute__((noinline))
#define N 10
#pragma dvm array distribute[block]
static double a[N];
static int never;

static KEPT void always(double x, double *low, double *high) {
  *low = x - 1;
  if (high)
    *high = x + 1;
}
static KEPT int sometimes(double x, double *out) {
  if (x < 0)
    return -1;
  *out = x;
  return 0;
}
static KEPT int passed_on(double x, double *out) { return sometimes(x, out); }
static KEPT void passed_always(double x, double *out) { always(x, out, NULL); }
static KEPT void adds(double x, double *sum) {
  *sum += x;
//^ error dvm-uninitialized '*sum'
}
static KEPT void in_loop(int n, double *last) {
  for (int i = 0; i < n; i++)
    *last = i;
}
static KEPT void until(int n, double *last) {
  do
    *last = n;
  while (n-- > 0);
}
static KEPT void two(double *to, const double *from) { *to = *from + 1; }
//                                                           ^ error dvm-uninitialized '*from'
static KEPT void half(float *part) { *part = 1; }
static double *kept;
static KEPT void keeps(double *later) { kept = later; }
static KEPT void ends(double x, double *out) {
  if (x < 0)
    exit(1);
  *out = x;
}

int main(void) {
  double low, high, one, passed, several, last, ended;
  always(1, &low, &high);
  passed_always(2, &one);
  in_loop(N, &several);
  until(2, &last);
  ends(3, &ended);
  printf("%g %g %g %g %g %g\n", low, high, one, several, last, ended);

  double missing;
  if (passed_on(never - 1, &missing))
    printf("%g\n", missing);
  //               ^ error dvm-uninitialized 'missing'
  passed_on(2, &passed);
  printf("%g\n", passed);
  double added;
  adds(1, &added);
  double no_turn;
  in_loop(never, &no_turn);
  printf("%g\n", no_turn);
  //             ^ error dvm-uninitialized 'no_turn'
  double same;
  two(&same, &same);
  union { double whole; float parts[2]; } u;
  half(&u.parts[0]);
  printf("%g\n", u.parts[1]);
  //             ^ error dvm-uninitialized 'u.parts[1]'
  double later;
  keeps(&later);
  printf("%g\n", *kept);
  //             ^ error dvm-uninitialized '*kept'
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    double x, y;
    always(i, &x, &y);
    a[i] = x + y;
  }
  printf("%g\n", a[3]);
  return 0;
}

/* A variable cannot be private and the result of a reduction at once. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

double sweep(void) {
  double s = 0, t;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) private(t) reduction(sum(s))
#else
#pragma dvm parallel([i] on a[i]) private(t, s) reduction(sum(s))
//                                           ^~~~~~~~~~~~~~~~~~ compile-error 's'
#endif
  for (int i = 0; i < N; i++) {
    t = i;
    s += t;
  }
  return s;
}

/* Brackets and words that are missing: the place where something else was expected. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

void sweep(void) {
  double s = 0, t = 0;
#ifndef RIGHT
#pragma dvm parallel([i on a[i])
//                      ^ compile-error .
  for (int i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] a[i])
//                       ^ compile-error .
  for (int i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) private(s, )
//                                           ^ compile-error .
  for (int i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) private(s; t)
//                                         ^ compile-error .
  for (int i = 0; i < N; i++)
    a[i] = 0;
#endif
  (void)s, (void)t;
}

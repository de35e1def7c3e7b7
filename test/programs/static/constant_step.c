/* The step of a loop has the wrong sign or is no constant of the nest. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

void sweep(int n) {
  int i;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i])
  for (i = n - 1; i >= 0; i -= 2)
    a[i] = 0;
#pragma dvm parallel([i] on a[i])
  for (i = n; i > 0; --i)
    a[i - 1] = 0;
#else
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i--)
//                   ^~~ compile-error .
    a[i] = 0;
#pragma dvm parallel([i] on a[i])
  for (i = n; i >= 0; i += 1)
//                    ^~~~~~ compile-error .
    a[i] = 0;
#endif
}

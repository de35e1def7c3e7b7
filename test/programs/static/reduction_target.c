/* The result of a reduction is replicated: an element of a distributed array cannot be one. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];
#ifdef RIGHT
double r[2];
#else
#pragma dvm array distribute[block]
double r[2];
#endif

void sweep(void) {
  r[0] = r[1] = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(r))
//                                              ^ compile-error 'r'
  for (int i = 0; i < N; i++)
    r[0] += i;
}

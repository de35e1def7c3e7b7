/* A 'break' or 'continue' inside a region that means the loop around the region. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

void sweep(int k) {
  int it;
  for (it = 0; it < k; it++) {
#pragma dvm region
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = it;
#ifndef RIGHT
      if (it == 2)
        break;
//      ^ compile-error .
      if (it == 1)
        continue;
//      ^ compile-error .
#endif
    }
#ifdef RIGHT
    if (it == 2)
      break;
#endif
  }
}

/* The body of the loop changes the index variable. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

void sweep(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 0;
#ifndef RIGHT
    if (i == 3)
      i = 5;
//    ^ compile-error 'i'
#endif
  }
}

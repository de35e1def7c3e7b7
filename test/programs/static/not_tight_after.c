/* A statement behind the inner loop is no less outside of the nest. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block]
double a[N][N];

void sweep(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      a[i][j] = i;
#ifndef RIGHT
    a[i][0] = 0;
//  ^ compile-error .
#endif
  }
}

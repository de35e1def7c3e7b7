/* A parallel loop inside a parallel loop, a region inside a region. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block]
double a[N][N];

void sweep(void) {
#ifndef RIGHT
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N; i++) {
#pragma dvm parallel([j] on a[i][j])
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ compile-error parallel
    for (int j = 0; j < N; j++)
      a[i][j] = 0;
  }
#pragma dvm region
  {
#pragma dvm region
//^~~~~~~~~~~~~~~~ compile-error region
    {
#pragma dvm parallel([i][j] on a[i][j])
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          a[i][j] = 0;
    }
  }
#endif
}

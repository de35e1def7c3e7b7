/* Three index variables, two loops. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block][]
double a[N][N][N];

void sweep(void) {
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j][])
#else
#pragma dvm parallel([i][j][k] on a[i][j][k])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
//  ^ compile-error .
      a[i][j][0] = 0;
}

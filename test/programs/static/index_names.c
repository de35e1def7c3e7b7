/* Index variables of the directive that are not those of the nest. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block]
double a[N][N];

void sweep(void) {
  int i, j, k;
#ifdef RIGHT
  (void)k;
#pragma dvm parallel([i][j] on a[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
#else
#pragma dvm parallel([i][k] on a[i][k])
//                       ^ compile-error 'k'
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
  k = 3;
#pragma dvm parallel([j][i] on a[j][i])
//                    ^ compile-error '[ij]'
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
#endif
}

/* The same index variable names two loops, or stands twice in 'on'. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block]
double a[N][N];

void sweep(void) {
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j])
#else
#pragma dvm parallel([i][i] on a[i][i])
//                       ^ compile-error 'i'
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = 0;
}

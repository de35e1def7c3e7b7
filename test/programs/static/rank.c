/* The number of brackets differs from the number of dimensions. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block]
double a[N][N];
#ifndef RIGHT
#pragma dvm array distribute[block]
//          ^~~~~~~~~~~~~~~~~~~~~~~ compile-error dimension
double b[N][N];
#pragma dvm array align([i] with a[i][i])
//          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ compile-error .
double c[N][N];
#pragma dvm array align([i][j] with a[i])
//                ^~~~~~~~~~~~~~~~~~~~~~~ compile-error .
double d[N][N];
#pragma dvm array distribute[block][block] shadow[1:1]
//                                         ^~~~~~~~~~~ compile-error .
double e[N][N];
#endif

void sweep(void) {
  int i, j;
#ifndef RIGHT
#pragma dvm parallel([i][j] on a[i])
//                             ^~~~~ compile-error 'a'
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a[1:1])
//                                                   ^~~~~~~ compile-error 'a'
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
#pragma dvm parallel([i][j] on a[i][j]) remote_access(a[][][])
//                                                    ^~~~~~~~ compile-error 'a'
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:1][1:1][0:0])
//                                             ^~~~~~~~~~~~~~~~~ compile-error 'a'
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = 0;
#endif
}

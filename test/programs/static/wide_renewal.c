/* An exchange wider than the declared edge. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block] shadow[1:1][2:0]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#ifdef RIGHT
#define WIDE 1
#else
#define WIDE 2
#endif

void sweep(void) {
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a[1:1][2:0])
  for (int i = 1; i < N - 1; i++)
    for (int j = 2; j < N - 1; j++)
      b[i][j] = a[i][j - 2];
#ifndef RIGHT
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a[1:2][2:0])
//                                                    ^~~~~ compile-error 'a'
  for (int i = 1; i < N - 1; i++)
    for (int j = 2; j < N - 1; j++)
      b[i][j] = a[i][j - 2];
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a[1:1][2:1])
//                                                         ^~~~~ compile-error 'a'
  for (int i = 1; i < N - 1; i++)
    for (int j = 2; j < N - 1; j++)
      b[i][j] = a[i][j - 2];
#endif
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(b[1:1][WIDE - 1:0])
  for (int i = 1; i < N - 1; i++)
    for (int j = 2; j < N - 1; j++)
      b[i][j] = a[i][j];
}

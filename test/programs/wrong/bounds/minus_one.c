/* The first row has no row above it. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define FROM 1
#else
#define FROM 0
#endif

struct field {
  int guard[N];
} before;
#pragma dvm array distribute[block][block]
int a[N][N];
#pragma dvm array align([i][j] with a[i][j])
int b[N][N];

int main(void) {
  int i, j;
#pragma dvm parallel([i][j] on a[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      a[i][j] = i * j;
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (i = 0; i < N; i++)
    for (j = FROM; j < N; j++)
      b[i][j] = i == 0 ? 0 : a[i][j - 1];
      //                     ^ error dvm-out-of-bounds 'a[1][-1]'
  printf("%d %d\n", b[1][1], before.guard[0]);
  return 0;
}

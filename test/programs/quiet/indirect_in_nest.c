/* A nest that hands elements to a function and calls another one through a pointer, or assembly. */
// FLAGS -O2
#include <stdio.h>
#define N 16
typedef int rule(int, int);
struct kernel {
  rule *score;
};
#pragma dvm array distribute[block][block]
int H[N][N];

static int one(int i, int j) { return (i ^ j) & 3; }
static void cell(int *h, int stride, int s) { *h = h[-stride - 1] + s; }

int main(void) {
  struct kernel k = {one};
#pragma dvm parallel([i][j] on H[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      H[i][j] = 0;
#pragma dvm parallel([i][j] on H[i][j]) across(H[1:0][1:0])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      cell(&H[i][j], N, k.score(i, j));
#pragma dvm parallel([i][j] on H[i][j]) across(H[1:0][1:0])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++) {
      __asm__ volatile("" ::: "memory");
      cell(&H[i][j], N, 1);
    }
#pragma dvm remote_access(H[N - 1][N - 1])
  printf("%d\n", H[N - 1][N - 1]);
  return 0;
}

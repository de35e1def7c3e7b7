/* Directives that only measure or lay out: intervals in all forms, stage, tie, cuda_block; comments in directives. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block][block] /* a comment */ shadow[1:1][1:1] // and another
int a[N][N];

int main(void) {
  int sum = 0;
#pragma dvm interval
#pragma dvm parallel([i][j] on a[i][j]) \
    cuda_block(32, 4, 1)                \
    tie(a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i ^ j;
#pragma dvm endinterval
  for (int it = 0; it < 3; it++) {
#pragma dvm interval it
    if (it == 1) {
#pragma dvm exitinterval it
      continue;
    }
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][1:0]) stage(N / 2) tie(a[i][j])
    for (int i = 1; i < N; i++)
      for (int j = 1; j < N; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1]) % 1009;
#pragma dvm endinterval
  }
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j];
  printf("%d\n", sum);
  return 0;
}

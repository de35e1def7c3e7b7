/* Longest common subsequence by a wavefront under across; the strings are replicated. */
#include <stdio.h>
#include <string.h>
#define N 20
#pragma dvm array distribute[block][block] shadow[1:0][1:0]
static int best[N + 1][N + 1];
int main(void) {
  char a[N + 1], b[N + 1];
  for (int i = 0; i < N; i++) {
    a[i] = "abc"[i * i % 3];
    b[i] = "abc"[(i * 7 + 1) % 3];
  }
  a[N] = b[N] = 0;
#pragma dvm parallel([i][j] on best[i][j])
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++)
      best[i][j] = 0;
#pragma dvm parallel([i][j] on best[i][j]) across(best[1:0][1:0])
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++) {
      int up = best[i - 1][j], left = best[i][j - 1];
      best[i][j] = up > left ? up : left;
    }
  int length;
#pragma dvm remote_access(best[N][N])
  length = best[N][N];
  printf("%d %zu %d\n", length, strlen(a), strcmp(a, b) != 0);
  return 0;
}

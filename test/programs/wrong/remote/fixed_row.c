/* The clause brings one row, the loop reads the row that belongs to another iteration. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][*] shadow[0][0]
int t[N][N];
#pragma dvm array align([i] with t[i][])
int s[N];

int main(void) {
  int r = 0;
#pragma dvm parallel([i] on t[i][])
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      t[i][k] = i * k;
#ifdef RIGHT
#pragma dvm parallel([i] on s[i]) remote_access(t[][])
#else
#pragma dvm parallel([i] on s[i]) remote_access(t[r][])
#endif
  for (int i = 0; i < N; i++)
    s[i] = t[N - 1 - i][1];
    //     ^ error dvm-remote-uncovered 't[5][1]'
    // help name 't\[5 - i\]\[1\]' in the 'remote_access'
  printf("%d %d\n", s[0], r);
  return 0;
}

/* The value goes into an element of an ordinary array. */
// TWIN
#include <stdio.h>
#define N 5

#pragma dvm array distribute[block][block]
unsigned char c[N][N];

int main(void) {
  long double w[3];
  int k;
#pragma dvm parallel([i][j] on c[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      c[i][j] = i + j;
#ifdef RIGHT
#pragma dvm remote_access(c[3][4], c[1][1])
#endif
  {
    w[2] = c[3][4];
    //     ^ error dvm-sequential-access 'c[3][4]'
    k = c[1][1];
    //  ^ error dvm-sequential-access 'c[1][1]'
  }
  printf("%Lg %d\n", w[2], k);
  return 0;
}

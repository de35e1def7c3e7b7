/* Column k is fetched, column k + 1 is read. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define COLUMN (k + 1)
#else
#define COLUMN k
#endif

#pragma dvm array distribute[*][block] shadow[0][0]
double m[N][N];
#pragma dvm array align([j] with m[][j])
double v[N];

int main(void) {
  int k = 2;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i - j;
#pragma dvm parallel([j] on v[j]) remote_access(m[][COLUMN])
  for (int j = 0; j < N; j++)
    v[j] = m[j][(k + 1)];
    //     ^ error dvm-remote-uncovered 'm[0][3]'
  printf("%g\n", v[3]);
  return 0;
}

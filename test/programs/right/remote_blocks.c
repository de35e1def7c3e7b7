/* Remote access before a block of the sequential part, in several forms; elements of the same owner need none. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
#pragma dvm array distribute[block][block]
int m[N][N];

int main(void) {
  double edge, sum = 0;
  int corner;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = -i;
  }
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i * j;
#pragma dvm remote_access(a[N - 1], m[0][0])
  {
    edge = a[N - 1];
    corner = m[0][0];
  }
  a[3] = b[3] + a[3];
  a[4] += 1;
#pragma dvm remote_access(b[])
  {
    for (int i = 0; i < N; i++)
      sum += b[i];
  }
#pragma dvm parallel([i] on a[i]) remote_access(b[2], m[3][])
  for (int i = 0; i < N; i++)
    a[i] += b[2] + m[3][i];
  for (int i = 0; i < N; i++)
    printf("%g ", a[i]);
  printf("%g %d %g\n", edge, corner, sum);
  return 0;
}

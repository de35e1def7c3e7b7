/* An array that is declared behind a task array, aligned with a template from before it. */
#include <stdio.h>
enum { N = 12 };
#pragma dvm template[N][4] distribute[block][*]
void *T;
#pragma dvm task K[2]
void *K;
#pragma dvm array align([u][v] with T[u][v + 1])
static int b[N][3];
int main(void) {
  int sum = 0;
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 3; j++)
      b[i][j] = i + j;
#pragma dvm parallel([i][j] on T[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 1; j < 4; j++)
      b[i][j - 1] *= i;
#pragma dvm parallel([i][j] on b[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 3; j++)
      sum += b[i][j] * (j + 1);
  printf("%d %d\n", sum, b[N - 1][2]);
  return 0;
}

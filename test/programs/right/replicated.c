/* Arrays that are on every processor as a whole: a nest that is mapped on one is executed by all, each writes its copy. */
#include <stdio.h>
#define N 30

#pragma dvm array distribute[block][]
double matrix[N][N];
#pragma dvm array distribute[]
double r[N];
#pragma dvm array align([i] with matrix[][i])
double row[N];

int main(void) {
#pragma dvm parallel([i] on r[i])
  for (int i = 0; i < N; i++)
    r[i] = i;
#pragma dvm parallel([i] on row[i])
  for (int i = 0; i < N; i++)
    row[i] = r[i];
#pragma dvm parallel([i] on r[i])
  for (int i = 1; i < N; i++)
    r[i] += row[i - 1];
#pragma dvm parallel([i][j] on matrix[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      matrix[i][j] = row[j] + r[i];
  double s = 0;
#pragma dvm parallel([i][j] on matrix[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += matrix[i][j];
  printf("%g %g\n", s, r[N - 1]);
  return 0;
}

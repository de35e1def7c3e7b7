/* Arrays with copies along a divided dimension: iterations at every place of it assign the element, so that each copy has it. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double a[N][N];
#pragma dvm array align([i][] with a[][i])
double row[N][3];
#pragma dvm array align([i] with a[i][])
double column[N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      if (i % 2 == j % 2)
        column[i] = i;
      else
        column[i] = i + 0.;
      for (int k = 0; k < 3; k++)
        row[j][k] = j * 10 + k;
    }
#pragma dvm region in(a, row, column), local(row)
  {
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum += a[i][j] + row[j][1] + column[i];
  }
#pragma dvm get_actual(sum)
  printf("%g\n", sum);
  return 0;
}

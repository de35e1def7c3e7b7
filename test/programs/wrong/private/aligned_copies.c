/* One of the copies of an element is assigned, the others keep what they had. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block]
double a[N][N];
#pragma dvm array align([i] with a[i][])
double column[N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      if (j == 2)
        column[i] = i;
      //^ warning dvm-undeclared-private 'column[i]'
    }
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j] + column[i];
  //                   ^ error dvm-private-uninitialized 'column[0]'
  printf("%g\n", sum);
  return 0;
}

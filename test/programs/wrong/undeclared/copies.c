/* An array with copies along one dimension of its template: iterations that stand at one place of that dimension write one copy of an element, and the others
   keep what they had.  Replicated along it, all write alike. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][block]
int a[N][N];
#pragma dvm array align([j] with a[][j])
int row[N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma dvm parallel([j] on row[j])
  for (int j = 0; j < N; j++)
    row[j] = 1;
#ifdef RIGHT
#pragma dvm parallel([j] on row[j]) remote_access(a[1][])
  for (int j = 0; j < N; j++)
    row[j] = a[1][j];
#else
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 1; i < 2; i++)
    for (int j = 0; j < N; j++)
      row[j] = a[i][j];
  //  ^ warning dvm-undeclared-private 'row[0]'
#endif
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += row[j];
      //     ^ error dvm-private-uninitialized 'row[0]'
  printf("%d\n", sum);
  return 0;
}

/* An array with copies along one dimension of its template: iterations at each place of that dimension write one copy of an element, but not the same value. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][block]
int a[N][N];
#pragma dvm array align([j] with a[][j])
int row[N];
#pragma dvm array align([j] with a[][j])
int turns[N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      turns[j] = i;
      turns[j] = j;
    }
#pragma dvm parallel([i][j] on a[i][j]) remote_access(a[1][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
#ifdef RIGHT
      row[j] = a[1][j];
#else
      row[j] = a[i][j];
  //  ^ warning dvm-undeclared-private 'row[0]'
#endif
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += turns[j] + row[j];
      //                ^ error dvm-private-uninitialized 'row[0]'
  printf("%d\n", sum);
  return 0;
}

/* A struct that is assigned to a reference of 'remote_access' goes to the buffer: no iteration has written the element, and
 * the next row does not wait for it.  Later copies to the same place are real. */
#include <stdio.h>
#include <string.h>
#define N 6

struct cell {
  double u, v;
};
#pragma dvm array distribute[block][block]
struct cell A[N][N];

int main(void) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j].u = A[i][j].v = 1;
#pragma dvm parallel([i][j] on A[i + 1][j]) remote_access(A[][])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      A[i][j] = A[i - 1][j];
      // expect -1:7 error dvm-remote-write 'A[1][1]'
    }
  struct cell half;
  half.u = 3;
  memcpy(&A[N - 2][N - 2], &half, sizeof half);
  double sum = 0;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      sum += A[i][j].u;
      if (A[i][j].v != 0)
        // expect -1:11 error dvm-uninitialized 'A[4][4].v'
        sum += 1;
    }
  printf("%d\n", sum > 0);
  return 0;
}

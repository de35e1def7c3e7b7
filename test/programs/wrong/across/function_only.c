/* The text of the nest does not name the array: a function reads the element before, and writes its own. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define LOW 1
#else
#define LOW 0
#endif

#pragma dvm array distribute[block][block]
int H[N][N];

static void cell(int *h) {
  *h = h[-1] + 1;
  //   ^ error dvm-across-distance 'H[1][1]'
}

int main(void) {
  int last = 0;
#pragma dvm parallel([i][j] on H[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      H[i][j] = 0;
#pragma dvm parallel([i][j] on H[i][j]) across(H[1:0][LOW:0])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      cell(&H[i][j]);
#pragma dvm remote_access(H[N - 1][N - 1])
  last = H[N - 1][N - 1];
  printf("%d\n", last);
  return 0;
}

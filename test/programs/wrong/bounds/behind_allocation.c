// The outermost extent of an array that is allocated is known to the run-time library alone: outside parallel loops too.
#include <stdlib.h>

#pragma dvm task K[2]
void *K;
#pragma dvm array distribute[*][block]
static int A[5][6];

int main(int argc, char **argv) {
#pragma dvm array distribute[block][block]
  double (*B)[6];
#pragma dvm array align([u] with A[u][])
  int *C;
  B = malloc(3 * sizeof *B);
  C = malloc(5 * sizeof *C);
  double x = 0;
  int last = 4 + argc, *other = malloc(64);
  for (int i = 0; i < 16; i++)
    other[i] = 0;
  x += B[2 + argc][0];
  //   ^ error dvm-out-of-bounds 'B[3][0]'
  x += B[3 + argc][0];
  //   ^ error dvm-out-of-bounds 'B[4][0]'
#pragma dvm task_region(K)
  {
#pragma dvm on(K[1])
    {
      x += C[last];
      //   ^ error dvm-out-of-bounds 'C[5]'
#pragma dvm parallel([i][j] on A[i][j])
      for (int i = 4; i >= 0; i--)
        for (int j = 5; j >= 0; j--)
          A[i][j] = C[i + 1];
      //            ^ error dvm-out-of-bounds 'C[5]'
      //            ^ error dvm-uninitialized 'C[4]'
    }
  }
  x = 0;
  return x != x;
}

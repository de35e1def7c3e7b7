/* Successive over-relaxation, red and black.  MISTAKE as in jacobi.c. */
#include <math.h>
#include <stdio.h>
#define N 20
#ifndef MISTAKE
#define MISTAKE 0
#endif
#pragma dvm array distribute[block][block], shadow[1:1][1:1]
static float A[N][N];
int main(void) {
  int i, j, step, colour;
  float w = MISTAKE == 4 ? 0.50005f : 0.5f, change = 0;
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      A[i][j] = i == j ? N + 2 : -1.0f / (1 + i + j);
  for (step = 0; step < 5; step++)
    for (colour = 0; colour < 2; colour++) {
      change = 0;
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(A) reduction(max(change))
      for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
          if ((i + j) % 2 == colour && (MISTAKE != 3 || step != 2 || i != 4)) {
            float s = A[i][j];
            if (MISTAKE == 2)
              A[i][j] = (w / 4) * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) + (1 + w) * A[i][j];
            else
              A[i][j] = (w / 4) * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) + (1 - w) * A[i][j];
            s = fabsf(A[i][j] - s);
            if (change < s)
              change = s;
          }
      if (MISTAKE == 1 && step == 3)
        break;
    }
  printf("%.6g %.6g\n", A[3][4], change);
  return 0;
}

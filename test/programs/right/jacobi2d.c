/* Jacobi in two dimensions as the public examples write it: the library functions behind _DVMH, floats, max by macro. */
#include <math.h>
#include <stdio.h>

#define Max(a, b) ((a) > (b) ? (a) : (b))

#define L 24
#define ITMAX 10

int i, j, it;
float eps;
float MAXEPS = 0.05f;

/* the grid and its copy */
#pragma dvm array distribute[block][block]
float A[L][L];
#pragma dvm array align([i][j] with A[i][j])
float B[L][L];

int main(int an, char **as) {
  double started, ended;
  (void)an;
  (void)as;
#pragma dvm region
  {
#pragma dvm parallel([i][j] on A[i][j]) cuda_block(256)
    for (i = 0; i < L; i++)
      for (j = 0; j < L; j++) {
        A[i][j] = 0;
        if (i == 0 || j == 0 || i == L - 1 || j == L - 1)
          B[i][j] = 0;
        else
          B[i][j] = 3 + i + j;
      }
  }
#ifdef _DVMH
  dvmh_barrier();
  started = dvmh_wtime();
#else
  started = 0;
#endif
  for (it = 1; it <= ITMAX; it++) {
    eps = 0;
#pragma dvm actual(eps)
#pragma dvm region
    {
#pragma dvm parallel([i][j] on A[i][j]) reduction(max(eps)), cuda_block(256)
      for (i = 1; i < L - 1; i++)
        for (j = 1; j < L - 1; j++) {
          float tmp = fabs(B[i][j] - A[i][j]);
          eps = Max(tmp, eps);
          A[i][j] = B[i][j];
        }
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A), cuda_block(256)
      for (i = 1; i < L - 1; i++)
        for (j = 1; j < L - 1; j++)
          B[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j]) / 4.0f;
    }
#pragma dvm get_actual(eps)
    printf(" IT = %4i   EPS = %14.7E\n", it, eps);
    if (eps < MAXEPS)
      break;
  }
#ifdef _DVMH
  dvmh_barrier();
  ended = dvmh_wtime();
#else
  ended = 0;
#endif
  if (ended < started)
    printf("time runs backwards\n");
  return 0;
}

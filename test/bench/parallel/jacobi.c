/* Jacobi by rows, timed on rank 0 without the exchange: CPU seconds of the loops. */
#include <stdio.h>
#include <time.h>
#ifndef N
#define N 2000
#endif
#define STEPS 20
#pragma dvm array distribute[block][*] shadow[1:1][0:0]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main(void) {
  double spent = 0, from;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = 0;
      B[i][j] = i == 0 ? 100 : 0;
    }
#pragma dvm shadow_group(edges: A)
  for (int step = 0; step < STEPS; step++) {
    from = now();
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j];
    spent += now() - from;
#pragma dvm shadow_start(edges)
#pragma dvm shadow_wait(edges)
    from = now();
#pragma dvm parallel([i][j] on B[i][j])
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
    spent += now() - from;
  }
  printf("%.6f\n", spent);
  return 0;
}

/* Arrays that lie backwards, in steps, and inside of a larger template; one vector is kept on each row of processors. */
#include <math.h>
#include <stdio.h>

#define N 21

#pragma dvm template[2 * N + 4][N + 6] distribute[block][block]
void *T;
#pragma dvm array align([i][j] with T[2 * i + 3][j + 2]), shadow[1:1][2:1]
double A[N][N];
#pragma dvm array align([i][j] with T[2 * (N - 1 - i) + 3][j + 2])
double R[N][N];
#pragma dvm array align([i][j] with T[2 * i + 4][N + 1 - j]), shadow[0:1][0:0]
double S[N][N];
#pragma dvm array align([j] with T[][j + 2]), shadow[1:1]
double C[N];
#pragma dvm array align([i] with T[2 * i + 3][4])
double D[N];

static void fill(void) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = i * 3 + j * j % 11;
#pragma dvm parallel([i][j] on R[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      R[i][j] = i - j;
#pragma dvm parallel([j] on C[j])
  for (int j = 0; j < N; j++)
    C[j] = 1.0 / (1 + j);
}

int main(void) {
  fill();
  for (int t = 0; t < 4; t++) {
    double s = 0, w = 0;
    /* R's mirror image lies beside A. */
#pragma dvm parallel([i][j] on A[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] += R[N - 1 - i][j] / 8;
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(C)
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] += C[j - 1] - C[j + 1];
    /* S lies half a step below A, backwards along j: edges of A reach it. */
#pragma dvm parallel([i][j] on T[2 * i + 4][N + 1 - j]) remote_access(A[i][N - 1 - j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        S[i][j] = A[i][N - 1 - j] * 0.5;
#pragma dvm parallel([i][j] on A[i][j]) shadow_renew(A[1:1][2:1] (corner))
    for (int i = N - 2; i >= 1; i -= 2)
      for (int j = N - 2; j >= 2; j -= 3)
        A[i][j] = (A[i - 1][j - 2] + A[i + 1][j + 1]) / 2;
#pragma dvm parallel([i] on D[i]) remote_access(A[i][0], S[i][])
    for (int i = 0; i < N; i++) {
      D[i] = A[i][0];
      for (int j = 0; j < N; j++)
        D[i] += S[i][j];
    }
#pragma dvm parallel([j] on C[j]) reduction(sum(s)) remote_access(D[])
    for (int j = 0; j < N; j++) {
      C[j] = sqrt(1 + fabs(D[j])) / N;
      s += C[j];
    }
#pragma dvm parallel([i][j] on R[N - 1 - i][j]) reduction(sum(w))
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        R[N - 1 - i][j] = A[i][j] / 16;
        w += R[N - 1 - i][j];
      }
    printf("%d: %.8f %.8f\n", t, s, w);
  }
#pragma dvm parallel([j] on A[0][j])
  for (int j = 0; j < N; j++)
    A[0][j] = -1;
#pragma dvm parallel([i] on A[i][i])
  for (int i = 0; i < N; i++)
    A[i][i] = -2;
  double all = 0;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(all))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      all += A[i][j];
  printf("%.8f\n", all);
  return 0;
}

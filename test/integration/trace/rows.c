/* Every form in which a nest may write the rows of an array: what the sums of a trace are does not depend on when they are taken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 96
#ifndef WRONG
#define WRONG 0
#endif
#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
float F[N][N];
#pragma dvm array align([i][j] with A[i][j])
int I[N][N];
#pragma dvm array align([i][j] with A[i][j])
char C[N][N];
#pragma dvm array align([i][j] with A[i][j])
long double L[N][N];
#pragma dvm array align([i] with A[i][])
double R[N];
#pragma dvm array align([i][j] with A[i][j])
struct pair { double a, b; } S[N][N];
#pragma dvm array distribute[block][block][*]
double T[24][24][70];
int bound = N - 3, zero = 0;
static double sums[2];

static void forward(int t) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      A[i][j] = t + i * 0.5 + j + (WRONG && t == 5 && i == 40 && j == 50);
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      F[i][j] = (float)(A[i][j] / 3);
}
static void backward(int t) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = N - 1; i >= 0; i--)
    for (int j = N - 2; j > 0; j--)
      A[i][j] = t - i * 0.25 + j;
#pragma dvm parallel([i][j] on I[i][j])
  for (int i = bound; i >= 2; i -= 3)
    for (int j = bound; j >= 1; j -= 2)
      I[i][j] = t * i - j;
#pragma dvm parallel([i][j] on I[i][j])
  for (int i = 2; i < bound; i++)
    for (int j = bound; j >= 1; j--)
      I[i][j] += t * i - j;
}
static void steps(int t) {
#pragma dvm parallel([i][j] on A[i][j])
  for (long i = 3; i < N; i += 4)
    for (short j = 1; j < N; j += 5)
      A[i][j] += t;
#pragma dvm parallel([i][j] on C[i][j])
  for (unsigned i = 0; i < N; i += 2)
    for (unsigned j = 3; j < N; j += 3)
      C[i][j] = (char)(t + i + j);
#pragma dvm parallel([i][j] on L[i][j])
  for (size_t i = 0; i < N; i++)
    for (size_t j = 3; j < N; j++)
      L[i][j] = t + i + j / 3.0L;
}
static void parts(int t) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 20; i < 23; i++)
    for (int j = 30; j <= 31; j++)
      A[i][j] = t;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 5; i < 9; i++)
    for (int j = 40; j < zero; j++)
      A[i][j] = -t;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = zero; i < zero; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = -t;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if ((i + j + t) % 3 == 0)
        A[i][j] = sqrt(t + i) - j;
}
static void columns(int t) {
#pragma dvm parallel([i][j] on A[j][i])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[j][i] = t * 2 + i - j;
#pragma dvm parallel([i][j] on F[j][N - 1 - i])
  for (int i = 0; i < N; i++)
    for (int j = 4; j < N - 4; j++)
      F[j][N - 1 - i] = (float)(t - i * j);
}
static void inside(int t) {
#pragma dvm parallel([i][j] on T[i][j][])
  for (int i = 0; i < 24; i++)
    for (int j = 1; j < 24; j++) {
      for (int k = 1; k < 69; k++)
        T[i][j][k] = t + i - j * k;
      for (int k = 5; k < 60; k += 7)
        T[i][j][k] *= 0.5;
      T[i][j][0] = t;
    }
#pragma dvm parallel([i][j] on T[i][j][])
  for (int i = 0; i < 24; i++)
    for (int j = 23; j > 0; j--)
      for (int k = j; k < 70; k++) /* a triangle */
        T[i][j][k] -= t + k;
#pragma dvm parallel([i] on R[i])
  for (int i = 0; i < N; i++) {
    R[i] = 0;
    for (int k = 1; k < 5; k++)
      R[i] += t / (double)(k + i);
  }
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i;
      for (int k = 0; k < 3; k++) {
        if (k == t)
          break;
        A[i][j] += k;
      }
    }
}
static void several(int t) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = t + i;
      F[i][j] = (float)(t - j);
      I[i][j] = t;
      A[i][j] += j;
    }
#pragma dvm parallel([i][j] on S[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      S[i][j].a = t + i;
      S[i][j].b = t - j;
    }
#pragma dvm parallel([i][j] on S[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 1; j < N; j++) {
      struct pair p = {i, t};
      S[i][j] = p;
    }
}
/* These become calls of memcpy and memmove. */
static void copies(int t) {
#pragma dvm array distribute[block][block]
  static double from[N][N];
#pragma dvm array align([i][j] with A[i][j])
  static float small[N][N];
#pragma dvm array align([i][j] with A[i][j])
  static struct pair pairs[N][N];
#pragma dvm parallel([i][j] on from[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      from[i][j] = t * i - j / 3.0;
      small[i][j] = (float)(t + i * j);
      pairs[i][j].a = pairs[i][j].b = t - i;
    }
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = t % 5; j < N - 1; j++)
      A[i][j] = from[i][j];
#pragma dvm parallel([i][j] on F[i][j])
  for (int i = N - 1; i >= 0; i--)
    for (int j = 0; j < N; j++)
      F[i][j] = small[i][j];
#pragma dvm parallel([i][j] on S[i][j])
  for (int i = 0; i < N; i += 2)
    for (int j = 0; j < N; j++)
      S[i][j] = pairs[i][j];
#pragma dvm parallel([i] on A[i][])
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      A[i][j] = from[i][j];
    if (i % 3 == t % 3)
      for (int j = 3; j < N / 2; j++) /* is in the sum already */
        A[i][j] = -from[i][j];
  }
}
static void sum(int t, double *into) {
  double *p = into;
  *p = 0;
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(sums[0]))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      sums[0] += A[i][j] > t;
      A[i][j] = 0.5 * A[i][j] + t;
    }
}
static void rows_of(int n, int t) {
#pragma dvm array distribute[block][*]
  double(*P)[n] = malloc(sizeof(double[n][n]));
#pragma dvm parallel([i][j] on P[i][j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      P[i][j] = t * i + j;
#pragma dvm parallel([i] on P[i][])
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      P[i][j] += P[i][j - 1];
  free(P);
}
static void local(int t) {
#pragma dvm array distribute[block][block]
  double B[40][40];
#pragma dvm parallel([i][j] on B[i][j])
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      B[i][j] = t - i - j;
#pragma dvm parallel([i][j] on B[i][j])
  for (int i = 39; i >= 0; i--)
    for (int j = 0; j < 40; j++)
      B[i][j] *= B[i][j];
}
int main(void) {
  for (int t = 0; t < 12; t++) {
    forward(t);
    backward(t);
    steps(t);
    parts(t);
    columns(t);
    inside(t);
    several(t);
    copies(t);
    sum(t, &sums[1]);
    rows_of(64 + t, t);
    local(t);
  }
  return 0;
}

/* array_copy within tasks: from and to arrays that lie on other ranks, or are ordinary data.  Where directives are comments, COPY does it. */
#include <stdio.h>
#ifdef _DVMH
#define COPY(n, statement)
#else
#define COPY(n, statement) for (int i = 0; i < n; i++) { statement; }
#endif
#define N 25
#define M 4
#pragma dvm processors P[4]
void *P;
#pragma dvm task T[3]
void *T;
#pragma dvm array distribute[block] dynamic
double a[N];
#pragma dvm array distribute[block] dynamic
double b[N];
#pragma dvm array distribute[block][*] dynamic
double c[N][M];
#pragma dvm array distribute[block] dynamic
double e[N];
#pragma dvm array distribute[*][block] dynamic
double f[M][N];
double plain[N], other[M];

static double sum_of_a(void) {
  double s = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += (i + 1) * a[i];
  return s;
}

int main(void) {
  double sum = 0;
#pragma dvm map(T[0] onto P[0 : 1])
#pragma dvm map(T[1] onto P[2 : 3])
#pragma dvm map(T[2] onto P[1])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block] onto T[1])
#pragma dvm redistribute(c[block][*] onto T[1])
#pragma dvm redistribute(e[block] onto T[2])
#pragma dvm redistribute(f[*][block] onto T[2])
#pragma dvm parallel([i][j] on f[i][j])
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      f[i][j] = i - j;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = 1000 + i;
#pragma dvm parallel([i][j] on c[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      c[i][j] = i + 100 * j;
#pragma dvm parallel([i] on e[i])
  for (int i = 0; i < N; i++)
    e[i] = -i;
#pragma dvm task_region(T) reduction(sum(sum))
  {
#pragma dvm on(T[0])
    {
#pragma dvm array_copy(a[2 : 11] = b[5 : 14])
      COPY(10, a[i + 2] = b[i + 5])
      sum += sum_of_a();
#pragma dvm array_copy(plain = b)
      COPY(N, plain[i] = b[i])
      for (int i = 0; i < N; i++)
        sum += plain[i];
#pragma dvm array_copy(other = c[7][])
      COPY(M, other[i] = c[7][i])
      for (int j = 0; j < M; j++)
        sum += j * other[j];
      printf("first %.1f\n", sum_of_a());
      /* To other ranks: from here, from ordinary data, from others again. */
#pragma dvm array_copy(f[0][3 : 12] = a[2 : 11])
      COPY(10, f[0][i + 3] = a[i + 2])
#pragma dvm array_copy(f[][1] = other)
      COPY(M, f[i][1] = other[i])
#pragma dvm array_copy(f[2][5 : 24] = b[0 : 19])
      COPY(20, f[2][i + 5] = b[i])
#pragma dvm array_copy(plain = f[2][])
      COPY(N, plain[i] = f[2][i])
      printf("back %.1f %.1f\n", plain[5], plain[24]);
    }
#pragma dvm on(T[2])
    {
      double s = 0;
#pragma dvm array_copy(e[0 : 9] = c[10 : 19][2])
      COPY(10, e[i] = c[i + 10][2])
#pragma dvm parallel([i] on e[i]) reduction(sum(s))
      for (int i = 0; i < N; i++)
        s += (i + 1) * e[i];
      printf("third %.1f\n", s);
      sum += s;
    }
  }
  printf("%.1f\n", sum);
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += (i % 3) * b[i];
#pragma dvm parallel([i][j] on c[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      sum += (i % 3 + j) * c[i][j];
#pragma dvm parallel([i][j] on f[i][j]) reduction(sum(sum))
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      sum += (i + j % 3) * f[i][j];
  printf("%.1f\n", sum + sum_of_a());
  return 0;
}

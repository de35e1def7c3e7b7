/* Tasks read and copy arrays that lie on the ranks of other tasks, or on all. */
#include <stdio.h>
#include <stdlib.h>
#define N 30
#define M 6
#pragma dvm processors P[4]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm task U[3]
void *U;
#pragma dvm array distribute[block] shadow[1 : 1] dynamic
double a[N];
#pragma dvm array distribute[block] dynamic
double b[N];
#pragma dvm array align([i] with b[i])
double b2[N];
#pragma dvm array distribute[block][*] dynamic
long c[N][M];
#pragma dvm array distribute[*][block] dynamic
long d[M][N];
#pragma dvm array distribute[block]
double all[N];
double plain[N];

/* What another task's ranks have, by subscript, by row, whole. */
static double from_b(int k) {
  double s = 0;
#pragma dvm remote_access(b[k], b[2 * k + 1])
  {
    s = b[k] + b[2 * k + 1];
  }
#pragma dvm parallel([i] on a[i]) remote_access(b[], all[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i] * b[(i * 7 + k) % N] + all[i];
  return s;
}

static void show(const char *what) {
  double s = 0;
  long n = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += (i % 4 + 1) * a[i];
#pragma dvm parallel([i] on b[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += (i % 5 + 1) * b[i] - b2[i];
#pragma dvm parallel([i][j] on c[i][j]) reduction(sum(n))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      n += (i + 3 * j) * c[i][j];
#pragma dvm parallel([i][j] on d[i][j]) reduction(sum(n))
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      n += (i + 5 * j) * d[i][j];
  printf("%s %.6f %ld\n", what, s, n);
}

int main(void) {
  double found = 0;
#pragma dvm map(T[0] onto P[0 : 1])
#pragma dvm map(T[1] onto P[2 : 3])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block] onto T[1])
#pragma dvm redistribute(c[block][*] onto T[0])
#pragma dvm redistribute(d[*][block] onto T[1])
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 5;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++) {
    b[i] = i % 7 + 0.5;
    b2[i] = i;
  }
#pragma dvm parallel([i] on all[i])
  for (int i = 0; i < N; i++)
    all[i] = i * i;
#pragma dvm parallel([i][j] on c[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      c[i][j] = i * 10 + j;
#pragma dvm parallel([i][j] on d[i][j])
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      d[i][j] = i + 100 * j;
  for (int i = 0; i < N; i++)
    plain[i] = 3 * i;
  show("begin");
  for (int step = 0; step < 3; step++) {
    /* The first task reads what lies on the ranks of the second, which changes something else meanwhile. */
#pragma dvm task_region(T) reduction(sum(found))
    {
#pragma dvm on(T[0])
      {
        double s = from_b(step);
        printf("first %.6f\n", s);
        found += s;
#pragma dvm parallel([i] on a[i])
        for (int i = 0; i < N; i++)
          a[i] += s / 1000;
      }
#pragma dvm on(T[1])
      {
        long s = 0;
#pragma dvm parallel([i][j] on d[i][j]) remote_access(c[j][]) reduction(sum(s))
        for (int i = 0; i < M; i++)
          for (int j = 0; j < N; j++)
            s += d[i][j] - c[j][M - 1 - i];
#pragma dvm remote_access(c[5][2])
        {
          printf("second %ld %ld\n", s, c[5][2]);
        }
        found += s;
#pragma dvm parallel([i] on b2[i])
        for (int i = 0; i < N; i++)
          b2[i] = b[i] + s;
      }
    }
    printf("%d %.6f\n", step, found);
    show("step");
    /* Behind the region each changes what the other has just read. */
#pragma dvm parallel([i] on b[i])
    for (int i = 0; i < N; i++)
      b[i] += step;
#pragma dvm parallel([i][j] on c[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        c[i][j] += i - step;
  }
  return 0;
}

/* Tasks on groups of ranks: blocks, loops, sections of a grid of processors, arrays that move, results, output in order. */
#include <stdio.h>
#include <stdlib.h>
#define N 24
#pragma dvm processors P[4]
void *P;
#pragma dvm processors Q[2][2]
void *Q;
#pragma dvm task T[2]
void *T;
#pragma dvm task U[3]
void *U;
#pragma dvm array distribute[block] shadow[1 : 1] dynamic
double a[N];
#pragma dvm array align([i] with a[i]) shadow[1 : 1]
double a2[N];
#pragma dvm array distribute[block][block] shadow[1 : 1][1 : 1] dynamic
double b[N][N];
#pragma dvm array align([i][j] with b[i][j])
double b2[N][N];
#pragma dvm array distribute[*][block] dynamic
int c[N][2];

static void smooth(int times) {
  for (int t = 0; t < times; t++) {
#pragma dvm parallel([i] on a2[i]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      a2[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma dvm parallel([i] on a[i])
    for (int i = 1; i < N - 1; i++)
      a[i] = a2[i];
  }
}

static double sum_here(void) {
  double s = 0;
#pragma dvm array distribute[block]
  double own[N];
#pragma dvm parallel([i] on own[i])
  for (int i = 0; i < N; i++)
    own[i] = i + 1;
#pragma dvm parallel([i] on own[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += own[i];
  return s;
}

int main(void) {
  double total = 2, product = 1, worst = -1, best = 5;
  int where = -1, count = 0, mask = 0;
#pragma dvm map(T[0] onto P[0 : 1])
#pragma dvm map(T[1] onto P[2 : 3])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block][block] onto T[1])
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 5;
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = (i * 7 + j) % 11;
  for (int step = 0; step < 3; step++) {
#pragma dvm task_region(T) reduction(sum(total), product(product), max(worst), maxloc(best, where), sum(count), or (mask))
    {
      printf("step %d\n", step);
#pragma dvm on(T[0])
      {
        double s = 0;
        smooth(4);
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
        for (int i = 0; i < N; i++)
          s += a[i];
        a[3] = step;
        printf("first %.6f %g\n", s, a[3]);
        total += s;
        product *= 2;
        count++;
        mask |= 1;
        if (s / 10 > worst)
          worst = s / 10;
        if (s > best) {
          best = s;
          where = 1;
        }
      }
      printf("between\n");
#pragma dvm on(T[1])
      {
        double most = 0;
#pragma dvm parallel([i][j] on b2[i][j]) shadow_renew(b) reduction(max(most))
        for (int i = 1; i < N - 1; i++)
          for (int j = 1; j < N - 1; j++) {
            b2[i][j] = (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]) / 4;
            if (b2[i][j] > most)
              most = b2[i][j];
          }
#pragma dvm parallel([i][j] on b[i][j])
        for (int i = 1; i < N - 1; i++)
          for (int j = 1; j < N - 1; j++)
            b[i][j] = b2[i][j];
        printf("second %.6f %g\n", most, sum_here());
        total += most;
        product *= 3;
        count++;
        mask |= 2;
        if (most > worst)
          worst = most;
        if (most * 4 > best) {
          best = most * 4;
          where = 2;
        }
      }
    }
    printf("%.6f %g %.6f %.6f %d %d %d\n", total, product, worst, best, where, count, mask);
  }
  double x = 0;
#pragma dvm remote_access(a[3], b[2][2])
  {
    x = a[3] + b[2][2];
  }
  printf("%.6f %.6f %.6f\n", x, a[5], b[7][9]);

  /* From group to group, to all and back; one that nothing divides; sections of a grid, more tasks than pairs of processors. */
#pragma dvm redistribute(a[block] onto T[1])
#pragma dvm redistribute(b[block][block])
#pragma dvm map(U[0] onto Q[0][])
#pragma dvm map(U[1] onto Q[][1])
#pragma dvm map(U[2] onto Q[1][0])
#pragma dvm redistribute(c[*][block] onto U[2])
#pragma dvm redistribute(b[block][*] onto U[1])
#pragma dvm redistribute(a[block] onto U[0])
  double found = 0;
  int last = 0;
#pragma dvm task_region(U)
  {
#pragma dvm parallel([k] on U[k]) reduction(sum(found), max(last))
    for (int k = 2; k >= 0; k--) {
      if (k == 0) {
        double s = 0;
        smooth(3);
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
        for (int i = 0; i < N; i++)
          s += a[i];
        found += s;
        printf("task %d\n", k);
      } else if (k == 1) {
        double most = 0;
#pragma dvm parallel([i][j] on b[i][j]) across(b[1 : 1][1 : 1])
        for (int i = 1; i < N - 1; i++)
          for (int j = 1; j < N - 1; j++)
            b[i][j] = (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]) / 4;
#pragma dvm parallel([i][j] on b[i][j]) reduction(max(most))
        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            if (b[i][j] > most)
              most = b[i][j];
        found += most;
        printf("task %d %.6f\n", k, most);
      } else {
#pragma dvm parallel([i][j] on c[i][j])
        for (int i = 0; i < N; i++)
          for (int j = 0; j < 2; j++)
            c[i][j] = 3 * i + j;
        found += 100;
        printf("task %d\n", k);
      }
      if (k > last)
        last = k;
    }
  }
  printf("%.6f %d\n", found, last);
  long sum = 0;
#pragma dvm parallel([i][j] on c[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 2; j++)
      sum += c[i][j];
  printf("%ld %d\n", sum, c[4][1]);
#pragma dvm redistribute(a[block])
#pragma dvm redistribute(b[block][block])
#pragma dvm redistribute(c[block][*])
  double check = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(check))
  for (int i = 0; i < N; i++)
    check += a[i] * (i + 1);
#pragma dvm parallel([i][j] on b[i][j]) reduction(sum(check)) shadow_renew(b(corner))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      check += b[i][j] * (i + j) + b[i - 1][j + 1];
#pragma dvm parallel([i] on c[i][]) reduction(sum(check))
  for (int i = 0; i < N; i++)
    check += c[i][0] - c[i][1];
  printf("%.6f\n", check);
  return 0;
}

/* Loops that should be parallel and are not: elements that other processors own are read in each turn, of the same array and of others,
 * for targets beside them, far away, moving another way, and for ordinary data; first values, ragged rows, conditions and calls between.
 * The counts are those of each access judged anew. */
#include <stdio.h>
#define N 70
#define M 40

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array align([i][j] with a[j][i])
double t[N][N];
#pragma dvm array distribute[block][]
double rows[N][M];
#pragma dvm array distribute[block]
float x[N];
#pragma dvm array align([i] with x[i])
float y[N];
#pragma dvm array distribute[block]
int apart[N];
double plain[N][N], sums[N];

static void relax(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = (a[i - 1][j] + a[i][j]) / 2;
  //             ^ error dvm-sequential-access 'a[0][1]'
}

static void colours(int colour) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
      a[i][j] += a[i][j - 1] + b[i][j] + plain[i][j];
  //             ^ error dvm-sequential-access
}

static void turned(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = t[j][i];
  for (int i = 0; i < N; i++)
    for (int j = N - 1; j >= 0; j--)
      b[i][j] += t[i][j];
  //             ^ error dvm-sequential-access
}

static double whole_rows(void) {
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      rows[i][k] = 1 + rows[i][M - 1 - k];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      s += rows[i][k];
  //       ^ error dvm-sequential-access 'rows[0][0]'
  return s;
}

static void first_values(int from) {
  float kept[N];
  for (int i = 0; i < N; i++)
    kept[i] = i;
  for (int i = from; i < N; i++)
    y[i] = kept[i];
  for (int i = from; i < N; i++)
    y[i] = x[i] + y[from];
  //              ^ error dvm-sequential-access
  for (int i = 1; i < N; i++)
    y[i] = y[i - 1] + 1;
  //       ^ error dvm-sequential-access 'y[0]'
  //       ^ error dvm-uninitialized 'y[0]'
  for (int i = 1; i < N; i++)
    y[i] = x[N - i] + y[i];
  //       ^ error dvm-sequential-access
}

static int others(int limit) {
  int n = 0;
  for (int i = 0; i < N; i++)
    apart[i] = x[i] > limit;
  //           ^ error dvm-sequential-access 'x[0]'
  for (int i = 0; i < N; i++)
    if (apart[i] > limit)
  //    ^ error dvm-sequential-access 'apart[0]'
      n++;
  for (int i = 0; i < N; i++)
    if (i > limit)
      sums[i] = apart[i];
  //            ^ error dvm-sequential-access
  return n;
}

static double half(double v) { return v / 2; }

/* Judged one by one: functions between, targets that move by chance. */
static double by_chance(int step) {
  double s = 0;
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = half(a[i - 1][j]) + half(a[i][j]) + half(t[j][i]);
  //                 ^ error dvm-sequential-access 'a[0][1]'
  for (int i = 0; i < N; i++)
    y[i * step % N] = half(x[i]);
  //                       ^ error dvm-sequential-access
  for (int i = 0; i < N; i++) {
    double *to = i % 3 ? &a[i][i] : &plain[i][i];
    *to = half(a[i][i]) + 1;
    //         ^ error dvm-sequential-access 'a[0][0]'
  }
  for (int i = 0; i < N; i++)
    s += half(rows[i][0]);
  //          ^ error dvm-sequential-access 'rows[0][0]'
  return s;
}

int main(void) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = t[j][i] = i + j;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      rows[i][k] = i * k;
  for (int i = 0; i < N; i++)
    x[i] = i;
  for (int sweep = 0; sweep < 5; sweep++) {
    relax();
    relax();
    colours(sweep % 2);
    colours(0);
    turned();
    s += whole_rows();
    first_values(sweep ? 0 : 30);
    s += others(sweep * 3) + by_chance(1 + sweep);
    if (sweep == 2) {
#pragma dvm parallel([i][j] on a[i][j])
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          a[i][j] /= 2;
    }
  }
  printf("%g %g\n", s, sums[N - 1]);
  return 0;
}

/* The same mistakes sweep after sweep, with what they depend on changing between some: edges that are renewed every third sweep,
 * rows of changing length, conditions and subscripts that follow the data.  The counts are those of each
 * access judged anew. */
#include <stdio.h>
#define N 24
#define M 16

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array distribute[block] shadow[1:1]
double v[N];
#pragma dvm array align([i] with v[i])
double w[N];
int to[N];

static void stencil(void) {
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = (a[i - 1][j] + a[i + 1][j]
  //             ^ error dvm-shadow-stale 'a[0][1]'
                 + a[i][j]) / 3;
}

static void upper(int from) {
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = from; i < N - 1; i++)
    for (int j = i; j < N - 1; j++)
      b[i][j] = a[i][j - 1];
  //            ^ error dvm-shadow-stale 'a[2][1]'
}

static void where_large(double limit) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      if (a[i][j] > limit)
        a[i][j] = b[i - 1][j] * 0.5;
  //              ^ error dvm-shadow-stale 'b[0][1]'
}

static void in_place(int first) {
  int i;
#pragma dvm parallel([i] on v[i]) shadow_renew(v)
  for (i = first; i < N - 1; i++)
    v[i] = v[i - 1] + 1;
  //       ^ error dvm-loop-dependence 'v[2]'
}

static void narrow(void) {
#pragma dvm parallel([i][j] on a[i][j]) across(a[0:1][0:1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i + 1][j] + a[i][j + 1]) / 4;
  //                           ^ error dvm-across-distance 'a[1][1]'
}

static void gather(void) {
#pragma dvm parallel([i] on w[i])
  for (int i = 0; i < N; i++)
    w[i] = v[to[i]];
  //       ^ error dvm-shadow-stale 'v[2]'
  //       ^ error dvm-nonlocal-access 'v[4]'
}

static void colours(void) {
  for (int colour = 0; colour < 2; colour++) {
#pragma dvm parallel([i][j] on a[i][j])
    for (int i = 1; i < N - 1; i++)
      for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
        a[i][j] += a[i][j + 1] / 8;
  //               ^ error dvm-shadow-stale 'a[1][2]'
  }
}

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] = i + j;
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    v[i] = w[i] = i;
  for (int sweep = 0; sweep < 7; sweep++) {
    stencil();
    upper(2 + sweep % 2);
    where_large(sweep);
    in_place(2 - sweep / 4);
    narrow();
    for (int i = 0; i < N; i++)
      to[i] = (i * (sweep + 1)) % N;
    gather();
    if (sweep % 3 == 0) {
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a, b)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          if (i == 0)
            a[i][j] = 0;
    }
    colours();
  }
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j];
  printf("%g\n", sum);
  return 0;
}

/* What loops write in the edges of their neighbours too: 'shadow_compute'. */
#include <stdio.h>
#define N 41
#define M 1030

#pragma dvm array distribute[block] shadow[3:3]
double a[N];
#pragma dvm array align([i] with a[i]) shadow[2:2]
double b[N];
#pragma dvm array align([i] with a[i]) shadow[0:0]
double alone[N];
#pragma dvm array align([i] with a[N - 1 - i]) shadow[1:2]
double turned[N];
#pragma dvm array distribute[block][block] shadow[2:2][2:2]
double p[N][N];
#pragma dvm array align([i][j] with p[i][j])
double q[N][N];
#pragma dvm array align([i] with p[i][]) shadow[1:1]
double edge[N];
#pragma dvm array distribute[block][] shadow[1:1][0:0]
double wide[N][M];
#pragma dvm array align([i][j] with wide[i][j]) shadow[0:0][0:0]
double wide_alone[N][M];
#pragma dvm array align([i][j] with wide[i][j])
double wide_next[N][M];
double kept[N];

/* Two steps for one exchange. */
static void two_steps(void) {
  double largest = 0, sum = 0, last = 0;
  int place = -1;
  for (int step = 0; step < 4; step++) {
#pragma dvm parallel([i] on a[i]) shadow_renew(a) shadow_compute(b[2:2]) reduction(sum(sum), maxloc(largest, place))
    for (int i = 1; i < N - 1; i++) {
      b[i] = (a[i - 1] + a[i + 1]) / 2 + i % 5;
      alone[i] = b[i];
      sum += b[i];
      if (b[i] > largest) {
        largest = b[i];
        place = i;
      }
    }
#pragma dvm parallel([i] on a[i]) reduction(max(last))
    for (int i = N - 3; i >= 2; i--) {
      a[i] = (b[i - 2] + b[i + 2]) / 2 - alone[i] / 8;
      last = a[i] > last ? a[i] : last;
    }
  }
  printf("%.10g %.10g %d %.10g\n", sum, largest, place, last);
}

static void own_values(void) {
#pragma dvm parallel([i] on a[i]) shadow_renew(a[2:2])
  for (int i = 0; i < N; i++)
    alone[i] += a[i];
  /* Of its old value each element's new one is made, once; and consistent data are assigned beside. */
#pragma dvm parallel([i] on a[i]) shadow_compute(a[2:2]) consistent(kept[i])
  for (int i = 0; i < N; i++) {
    a[i] = 2 * a[i] + 1;
    kept[i] = kept[i] + 1;
  }
  double sum = 0;
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 2; i < N - 2; i++) {
    b[i] = a[i - 2] - a[i + 2];
    sum += b[i] * kept[i];
  }
  printf("%.10g %g\n", sum, kept[N / 2]);
}

static void turned_and_constant(void) {
  double sum = 0;
#pragma dvm parallel([i] on turned[i]) shadow_compute
  for (int i = 0; i < N; i++)
    turned[i] = i * i;
#pragma dvm parallel([i] on turned[i]) reduction(sum(sum)) remote_access(a[0])
  for (int i = 1; i < N - 2; i++)
    sum += turned[i - 1] * i - turned[i + 2] + a[0];
  /* A row; its neighbours have it afterwards. */
#pragma dvm parallel([i][j] on p[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      p[i][j] = i + 2 * j;
#pragma dvm parallel([j] on p[N / 2][j]) shadow_compute(p[1:1][0:0])
  for (int j = 0; j < N; j++)
    p[N / 2][j] = 100 + j;
  printf("%.10g\n", sum);
}

static void plane(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on p[i][j]) shadow_renew(p (corner)) shadow_compute(q[1:1][1:1] (corner))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      q[i][j] = p[i - 1][j - 1] + p[i + 1][j] - p[i][j + 1];
#pragma dvm parallel([i][j] on q[i][j]) reduction(sum(sum))
  for (int i = 2; i < N - 2; i++)
    for (int j = 2; j < N - 2; j++)
      sum += q[i - 1][j - 1] * i + q[i + 1][j - 1] * j + q[i + 1][j + 1];
#pragma dvm parallel([i] on p[i][]) shadow_compute(edge)
  for (int i = 0; i < N; i++)
    edge[i] = i;
#pragma dvm parallel([i][j] on p[i][j]) reduction(sum(sum)) shadow_renew(p[1:1][1:1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      sum += edge[i - 1] + edge[i + 1] + p[i - 1][j];
  printf("%.10g\n", sum);
}

/* Corners that no clause names. */
static void corners(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on p[i][j]) shadow_compute
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      p[i][j] = i * 7 + j * j;
#pragma dvm parallel([i][j] on q[i][j]) reduction(sum(sum)) shadow_compute(q[1:1][1:1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      q[i][j] = p[i - 1][j - 1] + p[i + 1][j + 1];
      sum += q[i][j];
    }
#pragma dvm parallel([i][j] on p[i][j]) reduction(sum(sum))
  for (int i = 2; i < N - 2; i++)
    for (int j = 2; j < N - 2; j++)
      sum += q[i - 1][j + 1] * i + q[i + 1][j - 1];
  printf("%.10g\n", sum);
}

/* Rows of pages that a rank has nothing of. */
static void pages(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on wide[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      wide_next[i][j] = i + j;
#pragma dvm parallel([i][j] on wide[i][j]) shadow_renew(wide_next) shadow_compute(wide)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      wide[i][j] = wide_next[i][j] * 2;
      wide_alone[i][j] = wide[i][j] + 1;
    }
#pragma dvm parallel([i][j] on wide[i][j]) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    for (int j = 0; j < M; j++)
      sum += wide[i - 1][j] - 2 * wide[i + 1][j] + wide_alone[i][j];
  printf("%.10g\n", sum);
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i % 7;
    b[i] = 0;
    alone[i] = 0;
  }
#pragma dvm parallel([i] on b[i]) shadow_renew(b)
  for (int i = 0; i < N; i++)
    alone[i] = b[i];
  two_steps();
  own_values();
  turned_and_constant();
  plane();
  corners();
  pages();
  return 0;
}

/* Edges of arrays at every second place: a part of the template may hold no element, yet iterations there use those beside it. */
#include <stdio.h>
enum { M = 5, N = 2 * M - 1 };

#pragma dvm array distribute[block]
static int t[N];
#pragma dvm array align([i] with t[2 * i]) shadow[1:1]
static int up[M];
#pragma dvm array align([i] with t[N - 1 - 2 * i]) shadow[1:1]
static int down[M];

#pragma dvm array distribute[block][block]
static int p[N][N];
#pragma dvm array align([i][j] with p[2 * i][2 * j]) shadow[1:1][1:1]
static int q[M][M];

static int between(void) {
  int sum = 0;
#pragma dvm parallel([i] on up[i])
  for (int i = 0; i < M; i++)
    up[i] = 3 * i + 1;
#pragma dvm parallel([i] on down[i])
  for (int i = 0; i < M; i++)
    down[i] = 5 * i + 2;
#pragma dvm parallel([i] on t[i]) shadow_renew(up, down) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++) {
    t[i] = up[i / 2] * 7 + up[(i + 1) / 2] + 100 * (down[(N - 1 - i) / 2] * 3 + down[(N - i) / 2]);
    sum += t[i] * i;
  }
  return sum;
}

static int corners(void) {
  int sum = 0;
#pragma dvm parallel([i][j] on q[i][j])
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      q[i][j] = 11 * i + j;
#pragma dvm parallel([i][j] on p[i][j]) shadow_renew(q(corner)) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      p[i][j] = q[i / 2][j / 2] + 2 * q[(i + 1) / 2][j / 2] + 3 * q[i / 2][(j + 1) / 2] + 4 * q[(i + 1) / 2][(j + 1) / 2];
      sum += p[i][j] * (i + 2 * j);
    }
  return sum;
}

int main(void) {
  printf("%d\n", between());
  printf("%d\n", corners());
  return 0;
}

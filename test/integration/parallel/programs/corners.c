/* Dependences that lead both ways along several dimensions that are cut, and pieces of several dimensions: in the order of the loops. */
#include <stdio.h>
#define N 17
#define M 14
#pragma dvm array distribute[block][block] shadow[1 : 1][2 : 2]
double a[N][M];
#pragma dvm array align([i][j] with a[i][j]) shadow[1 : 1][1 : 1]
double b[N][M];
#pragma dvm array align([i][j] with a[2 * i][j + 1]) shadow[1 : 1][1 : 1]
double half[N / 2][M - 2];
#pragma dvm array distribute[block]
int walk[N];
#pragma dvm array distribute[block]
int pick[M];
#pragma dvm template[N][M] distribute[block][block] dynamic
void *G;
#pragma dvm array align([i][j] with G[i][j]) shadow[1 : 1][1 : 1]
double p[N][M];
#pragma dvm array align([i][j] with G[N - 1 - i][j]) shadow[1 : 2][1 : 1]
double turned[N][M];
#pragma dvm array distribute[block][block][block] shadow[1 : 1][1 : 1][1 : 1]
double c[7][6][9];

static void show(const char *what) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      s += (i % 3 + j % 5 + 1) * a[i][j] - b[i][j] * j;
#pragma dvm parallel([i][j] on half[i][j]) reduction(sum(s))
  for (int i = 0; i < N / 2; i++)
    for (int j = 0; j < M - 2; j++)
      s += (j % 4 + i) * half[i][j];
  printf("%s %.9g\n", what, s);
}

static void both_ways(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      a[i][j] = (i * 7 + j * 3) % 11;
      b[i][j] = (i + j) % 5;
    }
#pragma dvm parallel([i][j] on half[i][j])
  for (int i = 0; i < N / 2; i++)
    for (int j = 0; j < M - 2; j++)
      half[i][j] = (i + 2 * j) % 7;
#pragma dvm parallel([i][j] on a[i][j]) across(a[1 : 0][0 : 1])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < M - 1; j++)
      a[i][j] = (a[i - 1][j + 1] + a[i][j]) / 2;
  show("skewed");
#pragma dvm parallel([i][j] on a[i][j]) across(a[1 : 1][2 : 2], b[1 : 1][1 : 1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 2; j < M - 2; j++) {
      a[i][j] = (a[i - 1][j + 2] + a[i][j - 2] + a[i + 1][j - 1] + a[i - 1][j - 1] + b[i][j + 1]) / 6;
      b[i][j] = (b[i - 1][j + 1] + b[i + 1][j - 1] + a[i][j]) / 3;
    }
  show("both");
#pragma dvm parallel([i][j] on a[i][j]) across(a[1 : 1][1 : 1])
  for (int i = N - 2; i > 0; i -= 2)
    for (int j = M - 2; j > 0; j--)
      a[i][j] = (a[i + 1][j - 1] + a[i - 1][j + 1] + a[i][j + 1]) / 3;
  show("down");
  /* The loops the other way round. */
#pragma dvm parallel([j][i] on a[i][j]) across(a[1 : 1][1 : 1])
  for (int j = 1; j < M - 1; j++)
    for (int i = N - 2; i > 0; i--)
      a[i][j] = (a[i + 1][j - 1] + a[i - 1][j - 1] + a[i - 1][j] + a[i + 1][j]) / 4;
  show("round");
#pragma dvm parallel([i][j] on half[i][j]) across(half[1 : 1][1 : 1])
  for (int i = 1; i < N / 2 - 1; i++)
    for (int j = 1; j < M - 3; j++)
      half[i][j] = (half[i - 1][j + 1] + half[i][j - 1] + half[i + 1][j - 1]) / 3;
  show("half");
}

static void pieces(int round) {
  double s = 0;
  if (round == 0) {
#pragma dvm redistribute(G[derived(walk[k] * 4 % N with walk[@k])][derived(pick[k] * 3 % M with pick[@k])])
  } else if (round == 1) {
#pragma dvm redistribute(G[block][derived(pick[k] * 5 % M with pick[@k])])
  } else {
#pragma dvm redistribute(G[derived(walk[k] * 6 % N with walk[@k])][block])
  }
#pragma dvm parallel([i][j] on p[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      p[i][j] = (i * 5 + j * 2) % 7;
#pragma dvm parallel([i][j] on turned[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      turned[i][j] = (i + j * j) % 9;
  /* One way, each. */
#pragma dvm parallel([i][j] on p[i][j]) across(p[1 : 1][1 : 1])
  for (int i = 1; i < N - 1; i++)
    for (int j = M - 2; j > 0; j--)
      p[i][j] = (p[i - 1][j] + p[i][j - 1] + p[i][j + 1] + p[i + 1][j]) / 4;
  /* Both ways, two arrays. */
#pragma dvm parallel([i][j] on p[i][j]) across(p[1 : 1][1 : 1], turned[1 : 2][1 : 1])
  for (int i = 2; i < N - 1; i++)
    for (int j = 1; j < M - 1; j++) {
      p[i][j] = (p[i - 1][j + 1] + p[i][j - 1] + p[i + 1][j - 1] + p[i - 1][j - 1]) / 4;
      turned[N - 1 - i][j] = (turned[N - i][j - 1] + turned[N + 1 - i][j + 1] + turned[N - 2 - i][j] + p[i][j]) / 4;
    }
#pragma dvm parallel([i][j] on p[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      s += (i + j % 3) * p[i][j] - turned[N - 1 - i][j] * (j + 1);
  printf("pieces %d %.9g\n", round, s);
}

static void deep(void) {
  double s = 0;
#pragma dvm parallel([i][j][k] on c[i][j][k])
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 9; k++)
        c[i][j][k] = (i * j + k) % 8;
#pragma dvm parallel([i][j][k] on c[i][j][k]) across(c[1 : 1][1 : 1][1 : 1])
  for (int i = 1; i < 6; i++)
    for (int j = 4; j > 0; j--)
      for (int k = 1; k < 8; k++)
        c[i][j][k] = (c[i - 1][j - 1][k + 1] + c[i][j + 1][k + 1] + c[i][j - 1][k - 1] + c[i][j][k - 1] + c[i + 1][j][k - 1]) / 5;
#pragma dvm parallel([i][j][k] on c[i][j][k]) reduction(sum(s))
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 9; k++)
        s += (i + j + k % 4) * c[i][j][k];
  printf("deep %.9g\n", s);
}

int main(void) {
#pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++)
    walk[i] = i;
#pragma dvm parallel([i] on pick[i])
  for (int i = 0; i < M; i++)
    pick[i] = i;
  both_ways();
  for (int round = 0; round < 3; round++)
    pieces(round);
  deep();
  return 0;
}

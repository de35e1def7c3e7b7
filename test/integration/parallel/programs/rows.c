/* Dependences that lead both ways over parts that are cut along an inner loop: row by row; and pieces of inner dimensions. */
#include <stdio.h>
#define N 19
#define M 36
#pragma dvm array distribute[*][block] shadow[1 : 1][2 : 2] dynamic
double a[N][M];
#pragma dvm array align([i][j] with a[i][j]) shadow[1 : 1][1 : 1]
double b[N][M];
#pragma dvm array align([j] with a[][j]) shadow[1 : 1]
double line[M];
#pragma dvm array distribute[block]
int walk[M];
#pragma dvm template[N][M] distribute[*][block] dynamic
void *G;
#pragma dvm array align([i][j] with G[i][j]) shadow[1 : 1][1 : 1]
double p[N][M];
#pragma dvm array align([j] with G[][M - 1 - j]) shadow[2 : 1]
double back[M];
#pragma dvm array distribute[*][*][block] shadow[1 : 1][1 : 1][1 : 1]
double c[7][6][M];

static void show(const char *what) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      s += (i % 3 + j % 5 + 1) * a[i][j] - b[i][j] * j;
#pragma dvm parallel([j] on line[j]) reduction(sum(s))
  for (int j = 0; j < M; j++)
    s += (j % 4 + 1) * line[j];
  printf("%s %.9g\n", what, s);
}

static void both_ways(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      a[i][j] = (i * 7 + j * 3) % 11;
      b[i][j] = (i + j) % 5;
    }
#pragma dvm parallel([j] on line[j])
  for (int j = 0; j < M; j++)
    line[j] = j % 6;
  /* New values of the row before, from the right: as a stencil that is skewed. */
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
  /* A line that each row changes. */
#pragma dvm parallel([i][j] on a[i][j]) across(line[1 : 1])
  for (int i = 0; i < N; i++)
    for (int j = 1; j < M - 1; j++)
      line[j] = (line[j - 1] + line[j + 1] + a[i][j]) / 3;
  show("line");
}

static void pieces(int round) {
  double s = 0;
  if (round == 0) {
#pragma dvm redistribute(G[*][derived(walk[k] * 5 % M with walk[@k])])
  } else if (round == 1) {
#pragma dvm redistribute(G[*][derived((k / 3 * 29 % 12) * 3 : (k / 3 * 29 % 12) * 3 + 2 with walk[@k])])
  } else {
#pragma dvm redistribute(G[*][block])
  }
#pragma dvm parallel([i][j] on p[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      p[i][j] = (i * 5 + j * 2) % 7;
#pragma dvm parallel([j] on back[j])
  for (int j = 0; j < M; j++)
    back[j] = j % 9;
  /* One way: a piece for all rows. */
#pragma dvm parallel([i][j] on p[i][j]) across(p[1 : 1][1 : 1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < M - 1; j++)
      p[i][j] = (p[i - 1][j] + p[i][j - 1] + p[i][j + 1] + p[i + 1][j]) / 4;
#pragma dvm parallel([i][j] on p[i][j]) across(p[1 : 1][1 : 1])
  for (int i = 1; i < N - 1; i++)
    for (int j = M - 2; j > 0; j--)
      p[i][j] = (p[i - 1][j] + p[i][j - 1] + p[i][j + 1] + p[i + 1][j]) / 4;
  /* Both ways: a row at a time. */
#pragma dvm parallel([i][j] on p[i][j]) across(p[1 : 1][1 : 1], back[2 : 1])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < M - 2; j++) {
      p[i][j] = (p[i - 1][j + 1] + p[i][j - 1] + p[i + 1][j - 1] + p[i - 1][j - 1]) / 4;
      back[M - 1 - j] = (back[M - j] + back[M - 3 - j] + p[i][j]) / 3;
    }
#pragma dvm parallel([i][j] on p[i][j]) across(p[1 : 1][1 : 1])
  for (int i = N - 2; i > 0; i--)
    for (int j = M - 2; j > 0; j--)
      p[i][j] = (p[i + 1][j - 1] + p[i - 1][j + 1] + p[i][j + 1]) / 3;
#pragma dvm parallel([i][j] on p[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      s += (i + j % 3) * p[i][j];
#pragma dvm parallel([j] on back[j]) reduction(sum(s))
  for (int j = 0; j < M; j++)
    s += j * back[j];
  printf("pieces %d %.9g\n", round, s);
}

static void deep(void) {
  double s = 0;
#pragma dvm parallel([i][j][k] on c[i][j][k])
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < M; k++)
        c[i][j][k] = (i * j + k) % 8;
#pragma dvm parallel([i][j][k] on c[i][j][k]) across(c[1 : 1][1 : 1][1 : 1])
  for (int i = 1; i < 6; i++)
    for (int j = 4; j > 0; j--)
      for (int k = 1; k < M - 1; k++)
        c[i][j][k] = (c[i - 1][j - 1][k + 1] + c[i][j + 1][k + 1] + c[i][j - 1][k - 1] + c[i][j][k - 1] + c[i + 1][j][k - 1]) / 5;
#pragma dvm parallel([i][j][k] on c[i][j][k]) reduction(sum(s))
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < M; k++)
        s += (i + j + k % 4) * c[i][j][k];
  printf("deep %.9g\n", s);
}

int main(void) {
#pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < M; i++)
    walk[i] = i / 6 * 6 + (i * 5 + i / 12) % 6;
  both_ways();
  for (int round = 0; round < 3; round++)
    pieces(round);
  deep();
  return 0;
}

/* Blocks of all kinds that change in a loop, templates that are larger, alignments that are realigned, strided and turned; extremes that are equal. */
#include <stdio.h>
#include <stdlib.h>
#define N 48
#define K 5
#pragma dvm template[2 * N + 10] distribute[block] dynamic
void *T;
#pragma dvm template[N + 4][N] distribute[block][block] dynamic
void *T2;
#pragma dvm array align([i] with T[2 * i + 3]) dynamic shadow[2 : 2]
double a[N];
#pragma dvm array align([i] with T[2 * (N - 1 - i) + 4]) dynamic shadow[1 : 1]
double b[N];
#pragma dvm array align([i][j] with T2[j + 2][i]) dynamic shadow[1 : 1][1 : 1]
double m[N][N];
#pragma dvm array align([i] with T2[i][]) dynamic
long rows[N];
#pragma dvm array align([j] with T2[3][j]) dynamic
long one_row[N];
int sizes[16], count;
double weights[2 * N + 10];
#pragma dvm array distribute[block] dynamic
int map[N + 4];

static void show(const char *name) {
  double sum = 0, most = -1, least = 1e9;
  int top = -1, bottom = -1, place[2] = {-1, -1};
#pragma dvm parallel([i] on a[i]) reduction(sum(sum), maxloc(most, top), minloc(least, bottom)) shadow_renew(a)
  for (int i = 2; i < N - 2; i++) {
    double x = a[i - 2] + a[i] + a[i + 2];
    sum += x;
    if (a[i] >= most) {
      most = a[i];
      top = i;
    }
    if (a[i] < least) {
      least = a[i];
      bottom = i;
    }
  }
  printf("%s: a %.6f %g@%d %g@%d", name, sum, most, top, least, bottom);
  sum = 0;
#pragma dvm parallel([i] on b[i]) reduction(sum(sum)) shadow_renew(b) remote_access(a[i])
  for (int i = N - 2; i > 0; i--)
    sum += b[i - 1] * i - b[i + 1] + a[i];
  printf(" b %.6f", sum);
  most = -1e9;
#pragma dvm parallel([i][j] on m[i][j]) reduction(maxloc(most, place)) shadow_renew(m(corner))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      double x = m[i - 1][j + 1] - m[i + 1][j - 1] + m[i][j];
      if (x > most) {
        most = x;
        place[0] = i;
        place[1] = j;
      }
    }
  printf(" m %.3f@%d,%d", most, place[0], place[1]);
  long s = 0;
#pragma dvm parallel([i] on rows[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += rows[i] * (i % 5);
#pragma dvm parallel([j] on one_row[j]) reduction(sum(s))
  for (int j = 0; j < N; j++)
    s -= one_row[j] * (j % 3);
  printf(" rows %ld\n", s);
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = (i * 7) % 12;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = i % 9;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = (i * 3 + j * 5) % 13;
#pragma dvm parallel([i] on rows[i])
  for (int i = 0; i < N; i++)
    rows[i] = i;
#pragma dvm parallel([j] on one_row[j])
  for (int j = 0; j < N; j++)
    one_row[j] = j * j;
  show("begin");
  for (int i = 0; i < 2 * N + 10; i++)
    weights[i] = 1 + i % 6;
  for (int round = 0; round < K; round++) {
    switch (round) {
    case 0: {
#pragma dvm redistribute(T[wgtblock(weights, 2 * N + 10)])
      break;
    }
    case 1: {
#pragma dvm redistribute(T[multblock(2)])
      break;
    }
    case 2: {
#pragma dvm redistribute(T2[*][block])
      break;
    }
    case 3: {
#pragma dvm parallel([i] on map[i])
      for (int i = 0; i < N + 4; i++)
        map[i] = 0;
#pragma dvm redistribute(T2[block][*])
      break;
    }
    default: {
#pragma dvm redistribute(T[block])
    }
    }
    show("moved");
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] += round;
    if (round == 1) {
#pragma dvm realign(b[i] with a[i])
    } else if (round == 2) {
#pragma dvm realign(rows[i] with T2[N + 3 - i][])
    } else if (round == 3) {
#pragma dvm realign(one_row[j] with T2[j + 1][7])
    }
    show("aligned");
  }
  /* Elements one at a time, in the sequential part. */
  for (int i = 0; i < N; i += 7) {
    a[i] = i;
    m[i][N - 1 - i] += 3;
    rows[i] -= 2, one_row[N - 1 - i]++;
  }
  show("end");
  return 0;
}

/* Dependences over parts of several pieces: each piece has its turn. */
#include <stdio.h>
#define N 90
#pragma dvm array distribute[block]
int walk[N];
#pragma dvm template[N] distribute[block] dynamic
void *G;
#pragma dvm array align([i] with G[i]) shadow[3:3]
double a[N];
#pragma dvm array align([i] with G[i]) shadow[2:2]
double b[N];
#pragma dvm array align([i][] with G[i]) shadow[1:1][1:1]
double m[N][12];
#pragma dvm array align([i] with G[N - 1 - i])
double back[N];
#pragma dvm array align([i] with G[i + 5])
double part[N - 10];

static void show(void) {
  double s = 0;
  #pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++) s += (i % 7 + 1) * a[i] + (i % 3) * b[i];
  printf("%.9g\n", s);
}

int main(void) {
  double s = 0;
  #pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++) walk[i] = i / 9 * 9 + (i * 7 + i / 20) % 9;
  for (int round = 0; round < 2; round++) {
    if (round == 0) {
      #pragma dvm redistribute(G[derived(walk[k] * 7 % N with walk[@k])])
    } else {
      #pragma dvm redistribute(G[derived((k / 3 * 37 % 30) * 3 : (k / 3 * 37 % 30) * 3 + 1 with walk[@k])])
    }
    #pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++) {
      a[i] = i * i % 13;
      b[i] = i % 5;
      for (int j = 0; j < 12; j++) m[i][j] = (i * j) % 7;
    }
    #pragma dvm parallel([i] on back[i])
    for (int i = 0; i < N; i++) back[i] = i % 11;
    #pragma dvm parallel([i] on part[i])
    for (int i = 0; i < N - 10; i++) part[i] = i % 4;
    #pragma dvm parallel([i] on a[i]) across(a[1:1])
    for (int i = 1; i < N - 1; i++) a[i] = (a[i - 1] + a[i] + a[i + 1]) / 4;
    show();
    #pragma dvm parallel([i] on a[i]) across(a[3:2], b[2:0])
    for (int i = 3; i < N - 2; i++) {
      a[i] = (a[i - 3] + a[i + 2] + b[i - 2]) / 4;
      b[i] = b[i - 1] / 2 + a[i - 1] / 4 + 1;
    }
    show();
    #pragma dvm parallel([i] on a[i]) across(a[1:2])
    for (int i = N - 3; i > 0; i--) a[i] = (a[i + 2] + a[i + 1] + a[i - 1]) / 4;
    show();
    #pragma dvm parallel([i] on b[i]) across(b[2:2]) shadow_renew(a)
    for (int i = 2; i < N - 2; i += 2) b[i] = (b[i - 2] + b[i + 2]) / 2 + a[i + 1];
    show();
    #pragma dvm parallel([i][j] on m[i][j]) across(m[1:1][1:1])
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < 11; j++) m[i][j] = (m[i - 1][j] + m[i][j - 1] + m[i][j + 1] + m[i + 1][j]) / 4;
    s = 0;
    #pragma dvm parallel([i][j] on m[i][j]) reduction(sum(s))
    for (int i = 0; i < N; i++)
      for (int j = 0; j < 12; j++) s += (i % 3 + j) * m[i][j];
    printf("%.9g\n", s);
    #pragma dvm parallel([i] on back[i]) across(back[1:1])
    for (int i = 1; i < N - 1; i++) back[i] = (back[i - 1] + back[i + 1]) / 2;
    #pragma dvm parallel([i] on part[i]) across(part[1:0])
    for (int i = 1; i < N - 10; i++) part[i] += part[i - 1] / 2;
    s = 0;
    #pragma dvm parallel([i] on back[i]) reduction(sum(s))
    for (int i = 0; i < N; i++) s += i * back[i];
    #pragma dvm parallel([i] on part[i]) reduction(sum(s))
    for (int i = 0; i < N - 10; i++) s += i * part[i];
    printf("%.9g\n", s);
  }
  return 0;
}

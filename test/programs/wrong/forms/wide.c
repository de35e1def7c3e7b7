/* Data of sixteen bytes, which have two words: in order, through subscripts from memory, and where they are not aligned. */
#include <stdio.h>
#include <stdlib.h>
#define N 50

long double a[N], b[N];
__int128 w[N], v[N];
int to[N];
struct __attribute__((packed)) odd {
  char c;
  long double d;
} o[N];

int main(void) {
  long double *never = malloc(N * sizeof(*never));
  for (int i = 0; i < N; i++) {
    a[i] = i;
    w[i] = v[i] = i;
    o[i].d = i;
    to[i] = (i + 3) % N;
  }
#pragma dvm parallel(1)
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1] + b[to[i]];
  //       ^ error dvm-loop-dependence 'a[1]'
#pragma dvm parallel(1)
  for (int i = 0; i < N; i++)
    w[to[i]] = v[i] + w[i];
  //                  ^ error dvm-loop-dependence 'w[3]'

#pragma dvm parallel(1)
  for (int i = 0; i < N; i++)
    b[i] = never[to[i]] * 0 + o[i].d;
  //       ^ error dvm-uninitialized
#pragma dvm parallel(1)
  for (int i = 0; i < N; i++)
    v[i] += w[to[i]] + o[i].c;
  return 0;
}

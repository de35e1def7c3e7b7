/* A recurrence over parts of several pieces, whose width is too small. */
// TWIN
#include <stdio.h>
#define N 60
#pragma dvm array distribute[block]
int walk[N];
#pragma dvm template[N] distribute[block] dynamic
void *G;
#pragma dvm array align([i] with G[i]) shadow[2:2]
double a[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++)
    walk[i] = 7 * i % N;
#pragma dvm redistribute(G[derived(walk[k] with walk[@k])])
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * i % 11;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) across(a[2:1])
#else
#pragma dvm parallel([i] on a[i]) across(a[1:1])
#endif
  for (int i = 2; i < N - 1; i++)
    a[i] = (a[i - 2] + a[i + 1]) / 2 + i;
  //        ^ error dvm-across-distance 'a[2]'
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i] * i;
  printf("%g\n", s);
  return 0;
}

/* A variable whose asynchronous reduction is under way is named in the reduction of another loop, which need not touch it. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int s = 0, most = 0, at = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))
    for (int i = 0; i < N; i++)
      s += a[i];
#pragma dvm reduction_start(g)
#ifdef RIGHT
#pragma dvm reduction_wait(g)
#endif
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
//          ^ error dvm-reduction-pending 's'
    for (int i = 0; i < N; i++)
      s += 2 * a[i];
#ifndef RIGHT
#pragma dvm reduction_wait(g)
#endif
    printf("%d\n", s);
  }
#pragma dvm parallel([i] on a[i]) reduction(h: sum(at))
  for (int i = 0; i < N; i++)
    at += a[i];
#ifdef RIGHT
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(h)
#endif
#pragma dvm parallel([i] on a[i]) reduction(maxloc(most, at))
//          ^ error dvm-reduction-pending 'at'
  for (int i = 0; i < N; i++)
    if (a[i] > most) {
      most = a[i];
      at = i;
    }
#ifndef RIGHT
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(h)
#endif
  printf("%d %d\n", most, at);
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))
  for (int i = 0; i < N; i++)
    s += a[i];
#ifdef RIGHT
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
#endif
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))
//          ^ error dvm-reduction-pending 's'
  for (int i = 0; i < N; i++)
    if (a[i] >= N)
      s -= a[i];
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
  printf("%d\n", s);
  int most_of = 0;
#pragma dvm parallel([i] on a[i]) reduction(k: max(most_of))
  for (int i = 0; i < N; i++)
    most_of = a[i] > most_of ? a[i] : most_of;
#ifdef RIGHT
#pragma dvm reduction_start(k)
#pragma dvm reduction_wait(k)
#endif
#pragma dvm parallel([i] on a[i]) reduction(sum(most_of))
//          ^ error dvm-reduction-pending 'most_of'
  for (int i = 0; i < N; i++)
    a[i]--;
  return 0;
}

/* Exchanges and reductions that overlap with work and are waited for in time. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
  int s = 0, most = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm shadow_group(g: a[1:1], b)
  for (int it = 0; it < 3; it++) {
#pragma dvm shadow_start(g)
#pragma dvm parallel([i] on a[i]) reduction(r: sum(s), max(most))
    for (int i = 0; i < N; i++) {
      s += a[i];
      most = b[i] > most ? b[i] : most;
    }
#pragma dvm reduction_start(r)
#pragma dvm shadow_wait(g)
#pragma dvm parallel([i] on b[i])
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
#pragma dvm reduction_wait(r)
    printf("%d %d\n", s, most);
  }
  return 0;
}

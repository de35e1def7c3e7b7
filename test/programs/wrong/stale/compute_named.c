/* Who has an element in a named edge executes its iteration, 'shadow_compute': what that reads must be in an edge there, too. */
// TWIN
#include <stdio.h>
#define N 24

#pragma dvm array distribute[block]
double u[N];
#pragma dvm array align([i] with u[i])
double v[N];
#pragma dvm array align([i] with u[i])
int next[N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i * i;
    next[i] = (i + 7) % N;
  }
#pragma dvm shadow_add(u[next[d] with u[@d]] = "next") include_to(v, next)
#pragma dvm parallel([i] on u[i]) shadow_renew(next)
  for (int i = 0; i < N; i++)
    u[i] += next[next[i]];
#ifdef RIGHT
#pragma dvm shadow_add(u[next[d] with u[@d + "next"]] = "next but one")
#pragma dvm parallel([i] on v[i]) shadow_renew(u["next", "next but one"]) shadow_compute(v["next"])
#else
#pragma dvm parallel([i] on v[i]) shadow_renew(u["next"]) shadow_compute(v["next"])
#endif
  for (int i = 0; i < N; i++)
    v[i] = u[next[i]] + 1;
  //       ^ error dvm-nonlocal-access 'u[7]'
#pragma dvm parallel([i] on u[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += v[next[i]] * i;
  printf("%g\n", sum);
  return 0;
}

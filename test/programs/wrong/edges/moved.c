/* Another place of the template ends its edges: 'shadow_add' must be executed again. */
// TWIN
#include <stdio.h>
#define N 60
#pragma dvm template[N] distribute[block] dynamic
void *G;
#pragma dvm array align([i] with G[i])
int nb[N];
#pragma dvm array align([i] with G[i])
double u[N];
#pragma dvm array distribute[block]
int walk[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++)
    walk[i] = 7 * i % N;
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i * i % 11;
    nb[i] = (i * 13 + 5) % N;
  }
#pragma dvm shadow_add(G[nb[d] with G[@d]] = "near") include_to(u)
#pragma dvm redistribute(G[derived(walk[k] with walk[@k])])
#ifdef RIGHT
#pragma dvm shadow_add(G[nb[d] with G[@d]] = "near") include_to(u)
#endif
#pragma dvm parallel([i] on u[i]) shadow_renew(u["near"]) reduction(sum(s))
// expect -1:13 error dvm-usage 'u'
  for (int i = 0; i < N; i++)
    s += u[nb[i]] * i;
  //     ^ error dvm-nonlocal-access 'u[5]'
  printf("%g\n", s);
  return 0;
}

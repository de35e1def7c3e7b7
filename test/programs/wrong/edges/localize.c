/* Numbers of elements that are neither here nor in an edge cannot become local ones. */
// TWIN
#include <stdio.h>
#define N 60
#pragma dvm template[N] distribute[block] dynamic
void *G;
#pragma dvm array align([i][] with G[i])
int nb[N][2];
#pragma dvm array align([i] with G[i]) shadow[0:0]
double u[N];
#pragma dvm array align([i] with G[i])
double v[N];
#pragma dvm array distribute[block]
int walk[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++)
    walk[i] = 7 * i % N;
#pragma dvm redistribute(G[derived(walk[k] with walk[@k])])
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i * i % 11;
    nb[i][0] = (i * 13 + 5) % N;
    nb[i][1] = i % 4 ? -1 : (i * 17 + 3) % N;
  }
#ifdef RIGHT
#pragma dvm shadow_add(G[nb[d][0], nb[d][1] with G[@d]] = "near") include_to(u)
#else
#pragma dvm shadow_add(G[nb[d][0] with G[@d]] = "near") include_to(u)
#endif
#pragma dvm localize(nb => u[:])
// expect -1:13 error dvm-usage 'nb[0][1]'
#pragma dvm unlocalize(nb)
#pragma dvm parallel([i] on v[i]) shadow_renew(u["near"])
  for (int i = 0; i < N; i++)
    v[i] = u[nb[i][0]];
#pragma dvm parallel([i] on v[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += v[i] * i;
  printf("%g\n", s);
  return 0;
}

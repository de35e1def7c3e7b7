/* The edge of an array without order is renewed before the loop that reads it, not before the next one, behind a write. */
// TWIN
#include <stdio.h>
#define N 60
#pragma dvm array distribute[block]
int walk[N];
#pragma dvm template[N] distribute[block] dynamic
void *G;
#pragma dvm array align([i] with G[i])
int nb[N];
#pragma dvm array align([i] with G[i])
double u[N];
#pragma dvm array align([i] with G[i])
double v[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++)
    walk[i] = 7 * i % N;
#pragma dvm redistribute(G[derived(walk[k] with walk[@k])])
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i * i % 11;
    nb[i] = (i * 13 + 5) % N;
  }
#pragma dvm shadow_add(G[nb[d] with G[@d]] = "near") include_to(u, v)
#pragma dvm localize(nb => u[:])
  for (int step = 0; step < 2; step++) {
#pragma dvm parallel([i] on v[i]) shadow_renew(u["near"])
    for (int i = 0; i < N; i++)
      v[i] = u[nb[i]];
#ifdef RIGHT
#pragma dvm parallel([i] on u[i]) shadow_renew(v["near"])
#else
#pragma dvm parallel([i] on u[i])
#endif
    for (int i = 0; i < N; i++)
      u[i] = v[nb[i]] + 1;
    //       ^ error dvm-shadow-stale 'v[5]'
    // help add .shadow_renew\(v\["near"\]\).
  }
#pragma dvm parallel([i] on u[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += u[i] * i;
  printf("%g\n", s);
  return 0;
}

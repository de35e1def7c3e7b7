/* A grid without order: nodes lie where a walk has put them, edges hold the neighbours that lie elsewhere, and theirs. */
#include <stdio.h>
#define N 240
#define K 4
#pragma dvm array distribute[block]
int walk[N];
#pragma dvm template[N] distribute[block] dynamic
void *G;
#pragma dvm array align([i][] with G[i])
int nb[N][K];
#pragma dvm array align([i] with G[i])
double u[N];
#pragma dvm array align([i] with G[i])
double v[N];
#pragma dvm array align([i][] with G[i])
double w[N][8];

int main(void) {
  double s = 0;
  #pragma dvm parallel([i] on walk[i])
  for (int i = 0; i < N; i++) walk[i] = 77 * i % N;
  #pragma dvm redistribute(G[derived(walk[k] with walk[@k])])
  /* Neighbours along the walk, and some of far away; at its ends there are none. */
  #pragma dvm parallel([i] on nb[i][])
  for (int i = 0; i < N; i++) {
    nb[i][0] = i == 0 ? -1 : (i + N - 77) % N;
    nb[i][1] = i == N - 77 ? -1 : (i + 77) % N;
    nb[i][2] = (7 * i + 13) % N;
    nb[i][3] = i % 5 ? -1 : (i * i) % N;
  }
  #pragma dvm shadow_add(G[nb[d][0], nb[d][1], nb[d][2]:nb[d][2], nb[d][3] with G[@d]] = "near") include_to(u, v, w, nb)
  #pragma dvm localize(nb => u[:])
  #pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i % 17;
    for (int k = 0; k < 8; k++) w[i][k] = i % 19 * k;
  }
  for (int step = 0; step < 6; step++) {
    #pragma dvm parallel([i] on v[i]) shadow_renew(u["near"])
    for (int i = 0; i < N; i++) {
      double t = 0;
      for (int k = 0; k < K; k++)
        if (nb[i][k] >= 0) t += u[nb[i][k]];
      v[i] = t;
    }
    #pragma dvm parallel([i] on u[i])
    for (int i = 0; i < N; i++) u[i] = v[i] / 4;
  }
  #pragma dvm parallel([i] on u[i]) reduction(sum(s))
  for (int i = 0; i < N; i++) s += u[i] * 4096;
  printf("%.0f\n", s);

  /* Without a name all edges are renewed; a group has names too. */
  s = 0;
  #pragma dvm parallel([i] on v[i]) shadow_renew(v) reduction(sum(s))
  for (int i = 0; i < N; i++) s += (i + 1) * v[nb[i][2]] * 1024;
  printf("%.0f\n", s);
  #pragma dvm shadow_group(g: w["near"][], nb["near"][])
  #pragma dvm shadow_start(g)
  #pragma dvm shadow_wait(g)
  s = 0;
  #pragma dvm parallel([i] on u[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 8; k++) s += (i % 3) * w[nb[i][2]][k];
  printf("%.0f\n", s);

  /* The neighbours of neighbours. */
  #pragma dvm shadow_add(G[nb[d][2] with G[@d + "near"]] = "far") include_to(u)
  s = 0;
  #pragma dvm parallel([i] on u[i]) shadow_renew(u["near", "far"]) reduction(sum(s))
  for (int i = 0; i < N; i++) s += (i % 7) * (u[nb[nb[i][2]][2]] + u[nb[i][2]]) * 4096;
  printf("%.0f\n", s);
  #pragma dvm unlocalize(nb)

  /* A name that is made again holds something else. */
  #pragma dvm shadow_add(G[(d + 1) % N, N + d with G[@d]] = "near") include_to(u)
  s = 0;
  #pragma dvm parallel([i] on u[i]) shadow_renew(u["near"]) reduction(sum(s))
  for (int i = 0; i < N; i++) s += (i % 7) * u[(i + 1) % N] * 4096;
  printf("%.0f\n", s);
  for (int i = 0; i < N; i += 50) printf("%d ", nb[i][2]);
  puts("");
  return 0;
}

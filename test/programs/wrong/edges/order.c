/* What an iteration has in an edge is its own: not what iterations before it have, in whichever order they come, nor some of far away. */
// TWIN
#include <stdio.h>
#define N 200
#pragma dvm array distribute[block]
double u[N];
#pragma dvm array align([i] with u[i])
double v[N];
#pragma dvm array align([i][] with u[i])
int nb[N][3];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i % 11;
    nb[i][0] = i % 3 ? -1 : (i + 61) % N; /* two iterations of three have one neighbour or none, one has three */
    nb[i][1] = i % 3 ? -1 : (i * 7 + 5) % N;
    nb[i][2] = i % 3 == 1 ? -1 : (i + 150) % N;
  }
#pragma dvm shadow_add(u[nb[d][0], nb[d][1], nb[d][2] with u[@d]] = "near")
#pragma dvm parallel([i] on v[i]) shadow_renew(u["near"])
  for (int i = N - 1; i >= 0; i--)
    for (int k = 0; k < 3; k++)
      v[i] = nb[i][k] < 0 ? i : u[nb[i][k]];
  for (int step = 3; step <= 33; step += 15) {
#pragma dvm parallel([i] on v[i])
    for (int i = 0; i < N; i += step)
      for (int k = 0; k < 3; k++)
        v[i] += nb[i][k] < 0 ? i : u[nb[i][k]];
  }
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i += 4) {
#ifdef RIGHT
    int of = i;
#else
    int of = i == 100 ? 99 : i; /* which has it */
#endif
    v[i] += of % 3 == 1 ? 0 : u[(of + 150) % N];
    //                        ^ error dvm-nonlocal-access 'u[49]'
  }
#pragma dvm parallel([i] on v[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += v[i] * i;
  printf("%g\n", s);
  return 0;
}

/* A V-cycle on three levels, each with arrays of its own, restricted and prolonged between aligned grids. */
#include <stdio.h>
#define N 64
#pragma dvm template[2 * N + 1] distribute[block]
void *T;
#pragma dvm array align([i] with T[2 * i]) shadow[1:1]
static double fine[N + 1];
#pragma dvm array align([i] with T[2 * i]) shadow[1:1]
static double rest[N + 1];
#pragma dvm array align([i] with T[4 * i]) shadow[1:1]
static double coarse[N / 2 + 1];
#pragma dvm array align([i] with T[4 * i]) shadow[1:1]
static double right[N / 2 + 1];
int main(void) {
#pragma dvm parallel([i] on fine[i])
  for (int i = 0; i <= N; i++) {
    fine[i] = i * (N - i) * 0.01;
    rest[i] = 0;
  }
  for (int cycle = 0; cycle < 3; cycle++) {
#pragma dvm parallel([i] on rest[i]) shadow_renew(fine)
    for (int i = 1; i < N; i++)
      rest[i] = -(fine[i - 1] - 2 * fine[i] + fine[i + 1]);
#pragma dvm parallel([i] on right[i]) shadow_renew(rest)
    for (int i = 1; i < N / 2; i++) {
      right[i] = (rest[2 * i - 1] + 2 * rest[2 * i] + rest[2 * i + 1]);
      coarse[i] = right[i] / 2;
    }
#pragma dvm parallel([i] on coarse[i])
    for (int i = 0; i <= N / 2; i += N / 2)
      coarse[i] = 0;
#pragma dvm parallel([i] on fine[2 * i]) shadow_renew(coarse)
    for (int i = 0; i < N / 2; i++)
      fine[2 * i] += coarse[i] * 0.5;
  }
  double sum = 0;
#pragma dvm parallel([i] on fine[i]) reduction(sum(sum))
  for (int i = 0; i <= N; i++)
    sum += fine[i];
  printf("%.6f\n", sum);
  return 0;
}

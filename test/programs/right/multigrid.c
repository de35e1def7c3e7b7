/* Multigrid in one dimension: the coarse grid is aligned with every second point of the fine one. */
#include <stdio.h>
#define NC 17
#define NF (2 * NC - 1)

#pragma dvm array distribute[block] shadow[1:1]
double fine[NF];
#pragma dvm array align([i] with fine[i])
double residual[NF];
#pragma dvm array align([i] with fine[2 * i]) shadow[1:1]
double coarse[NC];
#pragma dvm array align([i] with fine[2 * i])
double correction[NC];

static void smooth(int sweeps) {
  for (int s = 0; s < sweeps; s++)
    for (int colour = 0; colour < 2; colour++) {
#pragma dvm parallel([i] on fine[i]) shadow_renew(fine)
      for (int i = 1 + colour; i < NF - 1; i += 2)
        fine[i] = (fine[i - 1] + fine[i + 1] + 1.0 / (NF * NF)) / 2;
    }
}

int main(void) {
  double norm;
#pragma dvm parallel([i] on fine[i])
  for (int i = 0; i < NF; i++)
    fine[i] = residual[i] = 0;
  for (int cycle = 0; cycle < 3; cycle++) {
    smooth(2);
    norm = 0;
#pragma dvm parallel([i] on residual[i]) shadow_renew(fine) reduction(sum(norm))
    for (int i = 1; i < NF - 1; i++) {
      residual[i] = 1.0 / (NF * NF) + fine[i - 1] - 2 * fine[i] + fine[i + 1];
      norm += residual[i] * residual[i];
    }
#pragma dvm parallel([i] on coarse[i])
    for (int i = 0; i < NC; i++) {
      coarse[i] = 4 * residual[2 * i];
      correction[i] = 0;
    }
#pragma dvm parallel([i] on correction[i]) shadow_renew(coarse)
    for (int i = 1; i < NC - 1; i++)
      correction[i] = (coarse[i - 1] + 2 * coarse[i] + coarse[i + 1]) / 4;
#pragma dvm parallel([i] on coarse[i])
    for (int i = 0; i < NC; i++)
      fine[2 * i] += correction[i] / 8;
    printf("%d %.9e\n", cycle, norm);
  }
  return 0;
}

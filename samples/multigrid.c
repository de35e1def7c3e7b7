/* Multigrid in two dimensions.  The coarse grid is relaxed by rows, then by columns; 'redistribute' changes its distribution
 * in between, so that each line is whole on its processor. */
#include <math.h>
#include <stdio.h>

#define NC 17
#define NF (2 * NC - 1)
#define CYCLES 6

#pragma dvm array distribute[block][block], shadow[1:1][1:1]
static double U[NF][NF];
#pragma dvm array align([i][j] with U[i][j]), shadow[1:1][1:1]
static double R[NF][NF];
#pragma dvm array distribute[block][*], shadow[1:1][1:1], dynamic
static double E[NC][NC];
#pragma dvm array align([i][j] with E[i][j]), dynamic
static double F[NC][NC];

static void smooth_fine(int sweeps)
{
  for (int s = 0; s < 2 * sweeps; s++) {
#pragma dvm parallel([i][j] on U[i][j]) shadow_renew(U)
    for (int i = 1; i < NF - 1; i++)
      for (int j = 2 - (i + s) % 2; j < NF - 1; j += 2)
        U[i][j] = (U[i - 1][j] + U[i + 1][j] + U[i][j - 1] + U[i][j + 1] + 1) / 4;
  }
}

static double residual(void)
{
  double norm = 0;
#pragma dvm parallel([i][j] on R[i][j]) shadow_renew(U) reduction(max(norm))
  for (int i = 1; i < NF - 1; i++)
    for (int j = 1; j < NF - 1; j++) {
      R[i][j] = 1 + U[i - 1][j] + U[i + 1][j] + U[i][j - 1] + U[i][j + 1] - 4 * U[i][j];
      norm = fmax(norm, fabs(R[i][j]));
    }
  return norm;
}

static void relax_coarse(void)
{
#pragma dvm parallel([i][j] on E[i][j]) across(E[1:1][1:1])
  for (int i = 1; i < NC - 1; i++)
    for (int j = 1; j < NC - 1; j++)
      E[i][j] = (E[i - 1][j] + E[i + 1][j] + E[i][j - 1] + E[i][j + 1] + F[i][j]) / 4;
}

static void solve_coarse(void)
{
#pragma dvm redistribute(E[block][*])
#pragma dvm parallel([i][j] on E[i][j]) remote_access(R[][])
  for (int i = 0; i < NC; i++)
    for (int j = 0; j < NC; j++) {
      E[i][j] = 0;
      F[i][j] = 2 * R[2 * i][2 * j];
    }
  for (int sweep = 0; sweep < 10; sweep++)
    relax_coarse();
#pragma dvm redistribute(E[*][block])
  for (int sweep = 0; sweep < 10; sweep++)
    relax_coarse();
}

int main(void)
{
#pragma dvm parallel([i][j] on U[i][j])
  for (int i = 0; i < NF; i++)
    for (int j = 0; j < NF; j++)
      U[i][j] = R[i][j] = 0;

  for (int cycle = 1; cycle <= CYCLES; cycle++) {
    smooth_fine(2);
    printf("cycle %d, residual %.9f\n", cycle, residual());
    solve_coarse();
#pragma dvm parallel([i][j] on U[i][j]) remote_access(E[][])
    for (int i = 1; i < NF - 1; i++)
      for (int j = 1; j < NF - 1; j++)
        U[i][j] += (E[i / 2][j / 2] + E[(i + 1) / 2][j / 2] + E[i / 2][(j + 1) / 2] + E[(i + 1) / 2][(j + 1) / 2]) / 4;
  }
  return 0;
}

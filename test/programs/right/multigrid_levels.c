/* 2-level multigrid, 1-D: restriction, prolongation */
#include <stdio.h>
#include <math.h>
enum { N = 17, F = 2 * N - 1 };
#pragma dvm array distribute[block] shadow[2:2]
double u[F];
#pragma dvm array align([i] with u[i])
double g[F], res[F];
#pragma dvm array align([i] with u[2*i]) shadow[1:1]
double e[N];
#pragma dvm array align([i] with u[2*i]) shadow[1:1]
double d[N], en[N];
int main(void) {
  double norm = 0;
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < F; i++) { u[i] = 0; g[i] = sin(3.14 * i / (F - 1)); res[i] = 0; }
#pragma dvm parallel([i] on e[i])
  for (int i = 0; i < N; i++) e[i] = d[i] = en[i] = 0;
  for (int cycle = 0; cycle < 5; cycle++) {
    for (int s = 0; s < 2; s++)
      for (int c = 0; c < 2; c++) {
#pragma dvm parallel([i] on u[i]) shadow_renew(u) across(u[1:1])
        for (int i = 1 + c; i < F - 1; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1] + g[i] * 0.01);
      }
#pragma dvm parallel([i] on res[i]) shadow_renew(u)
    for (int i = 1; i < F - 1; i++) res[i] = g[i] * 0.01 - (2 * u[i] - u[i - 1] - u[i + 1]);
#pragma dvm parallel([i] on d[i]) shadow_renew(res)
    for (int i = 1; i < N - 1; i++) d[i] = 0.25 * (res[2 * i - 1] + 2 * res[2 * i] + res[2 * i + 1]);
#pragma dvm parallel([i] on e[i])
    for (int i = 0; i < N; i++) e[i] = 0;
    for (int s = 0; s < 4; s++) {
#pragma dvm parallel([i] on en[i]) shadow_renew(e)
      for (int i = 1; i < N - 1; i++) en[i] = 0.5 * (e[i - 1] + e[i + 1] + 4 * d[i]);
#pragma dvm parallel([i] on e[i])
      for (int i = 1; i < N - 1; i++) e[i] = en[i];
    }
#pragma dvm parallel([i] on u[2*i])
    for (int i = 1; i < N - 1; i++) u[2 * i] += e[i];
#pragma dvm parallel([i] on u[2*i+1]) shadow_renew(e)
    for (int i = 0; i < N - 1; i++) u[2 * i + 1] += 0.5 * (e[i] + e[i + 1]);
  }
#pragma dvm parallel([i] on u[i]) reduction(max(norm))
  for (int i = 0; i < F; i++) if (fabs(u[i]) > norm) norm = fabs(u[i]);
  printf("%.6f\n", norm);
  return 0;
}

/* Bounds of an allocated array of structs that are accessed by members, beyond the page that it ends on too; names of members
 * that are arrays. */
#include <stdio.h>
#include <stdlib.h>
#define N 700

struct cell {
  short u, v;
  short w[2];
};
#pragma dvm array distribute[block]
double A[N + 600];
struct cell *spare;

static double copied(struct cell *f);

int main(void) {
#pragma dvm array align([i] with A[i]) shadow[1:1]
  struct cell *B = malloc(N * sizeof *B);
  spare = calloc(N, sizeof *spare);
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    A[i] = B[i].u = B[i].v = 1;
    B[i].w[0] = B[i].w[1] = 2;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N + 600; i++)
    A[i] = B[i].w[0];
    //     ^ error dvm-out-of-bounds 'B[700].w[0]'
#pragma dvm parallel([i] on A[i])
  for (int i = N + 500; i < N + 501; i++)
    A[i] = B[i].u;
    //     ^ error dvm-out-of-bounds 'B[1200].u'
#pragma dvm parallel([i] on A[i])
  for (int i = 1; i < N; i++)
    A[i] = B[i - 1].w[1];
    //     ^ error dvm-shadow-stale 'B[0].w[1]'
  printf("%g\n", copied(B));
  free(B);
  free(spare);
  return 0;
}

#pragma dvm inherit(f)
static double copied(struct cell f[N]) {
  double sum = 0;
#pragma dvm parallel([i] on f[i]) reduction(sum(sum))
  for (int i = 0; i < N - 1; i++)
    sum += f[i].w[0] + f[i + 1].w[1];
    //                 ^ error dvm-shadow-stale 'f[1].w[1]'
  return sum;
}

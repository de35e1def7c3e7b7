#!/bin/bash
# Iterations that are counted row by row, where the step is known while compiling, have the number and the sum of those counted one by one.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
cat >steps.c <<'C'
#include <stdio.h>
enum { N = 24 };
#ifdef KNOWN
#define STEP(n) (n)
#else
static volatile int one = 1;
#define STEP(n) ((n) * step)
#endif
#ifndef LAST
#define LAST N
#endif
#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array distribute[block]
double B[N];
int main(void) {
#ifndef KNOWN
  const int step = one;
#endif
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j += STEP(1))
      A[i][j] = i + j;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 1; i < N; i += 2)
    for (int j = 1; j < LAST; j += STEP(3))
      A[i][j] = i - j;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = N - 1; i >= 0; i--)
    for (long j = N - 2; j > 1; j -= STEP(2))
      A[i][j] += 1;
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 5; j < 5; j += STEP(1)) /* no iteration */
      A[i][j] += 2;
#pragma dvm parallel([i] on B[i])
  for (size_t i = 3; i < N; i += STEP(4))
    B[i] = (double)i;
#pragma dvm parallel([i] on B[i])
  for (unsigned i = 2; i < N; i += STEP(1)) {
    if (i == 5)
      continue;
    B[i] = 2. * i;
  }
#pragma dvm parallel([i] on B[i])
  for (short i = N - 1; i >= 0; i -= STEP(1))
    B[i] = 2. * i;
  printf("%g\n", A[3][4]);
  return 0;
}
C
for level in -O0 -O2; do
  status 0 "$dvmcc" -fdvm=parallel,trace $level steps.c -o one
  status 0 "$dvmcc" -fdvm=parallel,trace $level -DKNOWN steps.c -o known
  status 0 "$dvmcc" -fdvm=parallel,trace $level -DKNOWN -DLAST=22 steps.c -o fewer
  status 0 "$dvm" record --level checksum -o one.dvmt -- ./one
  for n in 1 3 4; do
    status 0 "$dvm" compare one.dvmt -- mpirun --oversubscribe -n $n ./known
    has err ", 0 different"
  done
  status 66 "$dvm" compare one.dvmt -- mpirun --oversubscribe -n 2 ./fewer
  has err "84 iterations are executed here, in the reference 96"
done
finish

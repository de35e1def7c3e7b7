// What a loop computes is read in it by another name: nothing follows that, and the program prints what it printed.
#include <stdio.h>
#define N 64
#pragma dvm array distribute[block]
static double A[N];
#pragma dvm array align([i] with A[i])
static double B[N];

int main(void) {
  double most = -1, *other = &most;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i * 7 % 32;
#pragma dvm parallel([i] on A[i]) reduction(max(most))
  for (int i = 0; i < N; i++) {
    if (A[i] > most)
      most = A[i];
    B[i] = *other;
  }
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++)
    A[i] += B[i];
  fwrite(A, sizeof(A), 1, stdout);
  printf("%g\n", most);
  return 0;
}

/* Elements for which there is no place: an alignment that leaves its target, and a target of 'on' that lies nowhere yet. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define N 8
#ifdef RIGHT
#define SHIFT 4
#else
#define SHIFT 5
#endif

#pragma dvm template[N + 4] distribute[block]
void *T;
#pragma dvm array align([i] with T[i + SHIFT])
double A[N];
// expect -2:13 error dvm-usage
// stderr the alignment of 'A' exceeds 'T': it needs index 12 in dimension 1, which has 0\.\.11
#ifdef RIGHT
#pragma dvm array align([i] with T[N - i])
#else
#pragma dvm array align([i] with T[N - 2 - i])
#endif
double B[N];
// expect -3:13 error dvm-usage
// stderr the alignment of 'B' exceeds 'T': it needs index -1 in dimension 1
#pragma dvm array dynamic
double C[N];
#pragma dvm array dynamic align([i] with T[i])
double D[N];

int main(int argc, char **argv) {
  int far = argc + 4;
  (void)argv;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i;
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++)
    B[i] = i;
#ifdef RIGHT
#pragma dvm redistribute(C[block])
#pragma dvm realign(D[i] with T[i + far - 1])
#else
#pragma dvm realign(D[i] with T[i + far])
//          ^ error dvm-usage
#endif
#pragma dvm parallel([i] on C[i])
//          ^ error dvm-usage
// stderr 'C' in 'on' has no distribution yet: no directive has distributed or aligned it
  for (int i = 0; i < N; i++)
    C[i] = i;
#pragma dvm parallel([i] on D[i])
  for (int i = 0; i < N; i++)
    D[i] = i;
  printf("%d\n", far);
  return 0;
}

/* Elements that parts of an expression assign, whose values nobody uses: each by its owner. */
#include <stdio.h>
#define N 24
#pragma dvm array distribute[block]
static double A[N];
#pragma dvm array align([i] with A[i])
static double B[N];
#pragma dvm array align([i] with A[i])
static _Complex double Z[N];
int main(void) {
  int i, c = 0;
  for (i = 0; i < N; i++)
    A[i] = (i * 7) % N, B[i] = N - A[i] / 2;
  for (i = 0; i < N; B[i] += A[i], Z[i] = B[i], i++)
    ;
  for (i = 0, A[3] = 5, A[20]++; i < N; i++)
    i % 3 ? (A[i] *= 2) : (B[i] -= A[i]), c++;
  for (i = 0; i < N; i++)
    i % 2 && (A[i] = B[i]), i % 5 || A[i]--;
  (A[1] = B[1], (void)(A[22] = B[22]));
  double s = 0, t = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(s), sum(t))
  for (i = 0; i < N; i++)
    s += i * A[i] + B[i], t += __real__ Z[i];
  printf("%g %g %d\n", s, t, c);
  return 0;
}

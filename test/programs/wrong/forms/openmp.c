/* A loop under OpenMP and DVM at once is checked: it runs on one processor, without the directive of OpenMP. */
// TWIN
// FLAGS -fopenmp-simd
#include <stdio.h>
#define N 64
#ifdef RIGHT
#define RENEW shadow_renew(a)
#define SUM reduction(sum(s))
#else
#define RENEW
#define SUM
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
  double s = 0;
#pragma omp simd
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i]) RENEW
  /* in any order */
#pragma omp simd safelen(4) \
    collapse(1)
  for (int i = 1; i < N; i++)
    b[i] = a[i - 1];
    //     ^ error dvm-shadow-stale 'a[0]'
#pragma omp simd reduction(+ : s)
#pragma dvm parallel([i] on b[i]) SUM
  for (int i = 1; i < N; i++)
    s += b[i];
    // expect -1:5 error dvm-readonly-write 's'
  int plain[4] = {0};
#pragma omp simd
  for (int i = 0; i < 4; i++)
    plain[i] = i;
  printf("%g %d\n", s, plain[3]);
  return 0;
}

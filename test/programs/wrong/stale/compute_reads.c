/* Iterations that neighbours execute for their edges, 'shadow_compute', read elements that are one further away. */
// TWIN
#include <stdio.h>
#define N 16

#pragma dvm array distribute[block] shadow[2:2]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
#pragma dvm array align([i] with a[i]) shadow[0:0]
double c[N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * i;
#ifdef RIGHT
#pragma dvm parallel([i] on b[i]) shadow_renew(a) shadow_compute
#else
#pragma dvm parallel([i] on b[i]) shadow_renew(a[1:1]) shadow_compute
#endif
  for (int i = 1; i < N - 1; i++) {
    b[i] = a[i - 1] + a[i + 1];
    //     ^ error dvm-shadow-stale 'a[0]'
    c[i] = b[i] + 1;
  }
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 2; i < N - 2; i++)
    sum += b[i - 1] * c[i] - b[i + 1];
  printf("%g\n", sum);
  return 0;
}

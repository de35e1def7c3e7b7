/* The recurrence reaches two elements back, the clause says one. */
// TWIN
#include <stdio.h>
#define N 12
#ifdef RIGHT
#define LOW 2
#else
#define LOW 1
#endif

#pragma dvm array distribute[block] shadow[2:2]
long f[N];

int main(void) {
#pragma dvm parallel([i] on f[i])
  for (int i = 0; i < N; i++)
    f[i] = 1;
#pragma dvm parallel([i] on f[i]) across(f[LOW:0]) shadow_renew(f)
  for (int i = 2; i < N; i++)
    f[i] = f[i - 1] + f[i - 2];
    //                ^ error dvm-across-distance 'f[2]'
  // help .*across\(f\[2:0\]\)
  printf("%ld\n", f[N - 1]);
  return 0;
}

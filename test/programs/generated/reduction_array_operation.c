/* The elements of an array are added up, the clause says max. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define OP sum
#else
#define OP max
#endif

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int moments[2] = {0, 0};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i + 1;
#pragma dvm parallel([i] on a[i]) reduction(OP(moments))
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'moments'
  for (int i = 0; i < N; i++) {
    moments[0] += 1;
    moments[1] += a[i];
  }
  printf("%d %d\n", moments[0], moments[1]);
  return 0;
}

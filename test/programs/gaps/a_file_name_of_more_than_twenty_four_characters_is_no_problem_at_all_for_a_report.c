/* Gap: "24-character file names". */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block] shadow[0]
int a[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[5] = i;
//  ^ error dvm-nonlocal-access 'a[5]'
// expect -2:5 error dvm-loop-dependence 'a[5]'
  printf("%d\n", a[5]);
  return 0;
}

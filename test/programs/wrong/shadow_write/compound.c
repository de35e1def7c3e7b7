/* A compound assignment to an element of the edge writes it, whatever it reads. */
// TWIN
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block] shadow[1:0]
int a[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i += 3)
    a[i] += 100;
#else
#pragma dvm parallel([i] on a[i]) shadow_renew(a)
  for (i = 1; i < N; i += 3)
    a[i - 1] += 100;
//  ^ error dvm-shadow-write 'a[0]'
#endif
  printf("%d %d\n", a[0], a[1]);
  return 0;
}

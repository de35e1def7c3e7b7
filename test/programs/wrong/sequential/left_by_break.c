/* A statement that a jump leaves cannot be the body of a directive: the help puts the value into a variable before. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int i, value = 0;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = i;
  for (i = 0; i < 9; i++) {
#ifdef RIGHT
#pragma dvm remote_access(a[3])
    value = a[3];
    if (value > 2)
      break;
#else
    if (a[3] > 2)
      //^ error dvm-sequential-access 'a[3]'
      // help assign the value to a variable under '#pragma dvm remote_access\(a\[3\]\)', and use that in the condition
      break;
#endif
  }
  printf("%d %d\n", i, value / 9);
  return 0;
}

/* A replicated table that iterations read and change: judged element by element. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
int x[N];

int main(void) {
  int table[N];
  for (int k = 0; k < N; k++)
    table[k] = k;
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) {
    x[i] = table[i];
#ifndef RIGHT
    if (i == 3)
      table[i] = 0;
//    ^ error dvm-readonly-write 'table[3]'
#endif
  }
  printf("%d\n", x[5]);
  return 0;
}

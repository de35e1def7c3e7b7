/* A table that was private in one loop is read through a computed index in the next one. */
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
static int a[N];
static int table[N], other[N];

int main(void) {
#pragma dvm parallel([i] on a[i]) private(table)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++)
      table[k] = k * i;
    a[i] = table[i];
  }
#ifdef RIGHT
  for (int k = 0; k < N; k++)
    table[k] = k;
#endif
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] += table[(i * i) % N] + other[(i * 3) % N];
  //        ^ error dvm-private-uninitialized 'table[0]'
  printf("%d\n", a[1]);
  return 0;
}
// TWIN
// OUTPUT any

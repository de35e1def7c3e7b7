/* The program's own exit status and its own standard error pass through. */
// EXIT 7
#include <stdio.h>
#include <stdlib.h>
#define N 5

#pragma dvm array distribute[block]
int a[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  fprintf(stderr, "a[4] = %d\n", a[4]);
  exit(7);
}

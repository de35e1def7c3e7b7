/* Assigning an element of one's own is no write to the buffer, in the sequential part as in a loop. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  for (int i = 2; i < N; i++) {
#pragma dvm remote_access(a[])
    a[i] = a[i] + a[0] + a[1] + a[5];
  }
  printf("%g %g\n", a[2], a[9]);
  return 0;
}

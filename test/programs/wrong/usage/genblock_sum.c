/* The number of processors' worth of generalised blocks does not add up to the array. */
// TWIN
#include <stdio.h>
#define N 10

#ifdef RIGHT
int sizes[1] = {N};
#else
int sizes[1] = {N - 3};
#endif

int main(void) {
#pragma dvm array distribute[genblock(sizes)]
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-usage
  int a[N];
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  printf("%d\n", a[3]);
  return 0;
}

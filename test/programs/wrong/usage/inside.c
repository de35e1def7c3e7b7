/* A parallel loop is reached from inside another one, by a function that may be expanded where it is called. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
static double a[N];
#pragma dvm array align([i] with a[i])
static double b[N];

static void inner(void)
{
#pragma dvm parallel([i] on b[i])
//          ^ error dvm-usage
// stderr this parallel loop is entered inside another one
  for (int i = 0; i < N; i++)
    b[i] = i;
}

int main(void)
{
  inner();
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 0;
#ifndef RIGHT
    if (i == 3)
      inner();
#endif
  }
  inner();
  for (int t = 0; t < 2; t++) {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] += b[i];
    inner();
  }
  printf("%g\n", a[3]);
  return 0;
}

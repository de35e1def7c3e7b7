/* Widths of 'across' that are known at run time alone: negative, and wider than the edge. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block] shadow[1:1]
static double a[N];

int main(int argc, char **argv)
{
  int low = argc, high = argc;
  (void)argv;
#ifndef RIGHT
  low = -1, high = 2;
#endif
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) across(a[low:0])
//          ^ error dvm-usage 'a'
// stderr the width of 'across' \[-1:0\] of dimension 1 of 'a' does not fit its shadow edge \[1:1\]
  for (int i = 1; i < N; i++)
    a[i] += 1;
#pragma dvm parallel([i] on a[i]) across(a[0:high])
//          ^ error dvm-usage 'a'
  for (int i = 1; i < N; i++)
    a[i] += 1;
  printf("%g\n", a[3]);
  return 0;
}

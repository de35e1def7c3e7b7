/* Extremes of floating point values kept in integers: the conversion happens also where the old value stays. */
#include <limits.h>
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
long double b[N];
#pragma dvm array align([i] with a[i])
float c[N];

int main(void) {
  long least = 1, greatest = -1;
  int low = INT_MAX, high = 5;
  unsigned small = 7;
  unsigned long few = 3;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 1 + i;
    b[i] = 2 + i;
    c[i] = 3.0f + (float)i;
  }
#pragma dvm parallel([i] on a[i]) reduction(min(least), max(greatest), min(low), max(high), min(small), min(few))
  for (int i = 0; i < N; i++) {
    least = least > a[i] ? a[i] : least;
    greatest = greatest < b[i] ? b[i] : greatest;
    low = c[i] < low ? c[i] : low;
    high = high < a[i] ? a[i] : high;
    small = small > c[i] ? c[i] : small;
    few = few > b[i] ? b[i] : few;
  }
  printf("%ld %ld %d %d %u %lu\n", least, greatest, low, high, small, few);
  return 0;
}

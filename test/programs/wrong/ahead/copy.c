/* While an asynchronous copy is under way its source is written, and its target is read and written. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block]
double b[N];

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = 0;
#pragma dvm array_copy(c: b[0:5] = a[4:9])
#ifndef _DVMH
  for (int i = 0; i < 6; i++)
    b[i] = a[i + 4];
#endif
  /* what takes no part in it */
#pragma dvm parallel([i] on b[i])
  for (int i = 6; i < N; i++)
    b[i] = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 4; i++)
    a[i] = 1;
#ifdef RIGHT
#pragma dvm copy_wait(c)
#endif
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 2;
//  ^ error dvm-exchange-write 'a[4]'
#pragma dvm parallel([i] on b[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += b[i];
  //     ^ error dvm-shadow-pending 'b[0]'
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = 3;
//  ^ error dvm-exchange-write 'b[0]'
#ifndef RIGHT
#pragma dvm copy_wait(c)
#pragma dvm copy_wait(c)
  //        ^ error dvm-usage
#endif
  printf("%g %g\n", s, b[1]);
  return 0;
}

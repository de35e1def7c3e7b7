/* Ordinary data that an asynchronous copy reads or writes: they are left alone until its wait. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 10

#pragma dvm array distribute[block]
double a[N];
double kept[N][3], some[N];

int main(void) {
  double sum = 0, *more = malloc(N * sizeof(*more));
  for (int i = 0; i < N; i++) {
    kept[i][0] = kept[i][1] = kept[i][2] = i;
    some[i] = more[i] = -i;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm array_copy(in: a[0:N - 1] = kept[0:N - 1][1])
#ifndef _DVMH
  for (int i = 0; i < N; i++)
    a[i] = kept[i][1];
#endif
#pragma dvm array_copy(out: some[2:5] = more[2:5])
#ifndef _DVMH
  for (int i = 2; i < 6; i++)
    some[i] = more[i];
#endif
  /* what takes no part in them, and what is only read */
  kept[4][0] = 1;
  kept[4][2] = kept[4][1];
  some[1] = more[3];
  more[6] = some[6];
  memset(&kept[4][2], 0, 2 * sizeof(double));
#ifdef RIGHT
#pragma dvm copy_wait(in)
#pragma dvm copy_wait(out)
#endif
  memset(&kept[6][2], 0, 3 * sizeof(double));
  //      ^ error dvm-exchange-write
  kept[4][1] = 1;
//^ error dvm-exchange-write 'kept[4][1]'
  more[3] = 2;
//^ error dvm-exchange-write
  some[5] = 3;
//^ error dvm-exchange-write 'some[5]'
  sum = some[2];
  //    ^ error dvm-shadow-pending 'some[2]'
#ifndef RIGHT
#pragma dvm copy_wait(in)
#pragma dvm copy_wait(out)
#endif
  for (int i = 0; i < N; i++)
    more[i] = some[i] + kept[i][1];
  printf("%g %g\n", sum, more[N - 1]);
  free(more);
  return 0;
}

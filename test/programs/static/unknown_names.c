/* Names that are declared nowhere, in every place where a directive names an array or a template. */
// TWIN
#define N 8
#ifdef RIGHT
void *grd;
#pragma dvm template[N] distribute[block]
void *grid;
#else
#pragma dvm array align([i] with grd[i])
//                               ^ compile-error 'grd'
double lost[N];
#endif

#pragma dvm array distribute[block]
double a[N], b[N];

void sweep(void) {
  int i;
#ifndef RIGHT
#pragma dvm parallel([i] on aa[i])
//                          ^~ compile-error 'aa'
  for (i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) shadow_renew(a, bb)
//                                                ^~ compile-error 'bb'
  for (i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) private(t)
//                                        ^ compile-error 't'
  for (i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(total))
//                                              ^ compile-error 'total'
  for (i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm actual(c)
//                 ^ compile-error 'c'
  a[0] = 1;
#endif
}

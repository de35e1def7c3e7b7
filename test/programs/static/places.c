/* Directives before something that they cannot stand before. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

#ifndef RIGHT
#pragma dvm array distribute[block]
double scalar;
//     ^ compile-error 'scalar'

#pragma dvm parallel([i] on a[i])
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ compile-error .
#endif

void sweep(int k) {
#ifndef RIGHT
#pragma dvm parallel([i] on a[i])
  k = 3;
//^ compile-error .
#endif
  (void)k;
}

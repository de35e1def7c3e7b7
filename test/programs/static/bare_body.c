/* A directive that stands alone as the whole body of an 'if' would change what the 'if' governs. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

void sweep(int k) {
  int i;
#ifdef RIGHT
  if (k) {
#pragma dvm actual(a)
  }
  a[0] = 1;
  for (i = 0; i < k; i++) {
#pragma dvm get_actual(a)
    a[1] = 0;
  }
#else
  if (k)
#pragma dvm actual(a)
//          ^ compile-error .
    a[0] = 1;
  if (k)
    a[0] = 2;
  else
#pragma dvm get_actual(a)
//          ^ compile-error .
    a[0] = 1;
  for (i = 0; i < k; i++)
#pragma dvm get_actual(a)
//          ^ compile-error .
    a[1] = 0;
#endif
}

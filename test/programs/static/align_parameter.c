/* An array that is there before any call cannot lie as an argument does; nor does one lie as what 'inherit' does not name. */
#define N 8
#pragma dvm inherit(a)
double f(double *a, double *b) {
#pragma dvm array align([i] with a[i])
//                               ^ compile-error the static array 'next' cannot be aligned with the parameter 'a': each call may bring another one
  static double next[N];
#pragma dvm array align([i] with b[i])
//                               ^ compile-error 'b' is neither a distributed array nor a template
  double other[N];
  return next[0] + other[0];
}
int main(void) {
  double x[N], y[N];
  return f(x, y) > 0;
}

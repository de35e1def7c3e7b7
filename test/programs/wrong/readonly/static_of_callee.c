/* Static variables of called functions have no name where the directive stands: no clause can be proposed that takes them. */
// TWIN
#ifdef RIGHT
#define STATIC
#else
#define STATIC static
#endif
#pragma dvm array distribute[block]
double a[8];

static double sum_so_far(double x) {
  STATIC double s;
#ifdef RIGHT
  s = 0;
#endif
  s += x;
//^ error dvm-readonly-write 's'
  // help declare it outside of its function and name it in a 'reduction' of the directive at
  return s;
}

static double twice(double x) {
  STATIC double t;
  t = 2 * x;
//^ warning dvm-undeclared-private 't'
  // help remove its 'static', or declare it outside of its function and name it in 'private' of the directive at
  return t;
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 8; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 8; i++)
    a[i] = sum_so_far(a[i]) + twice(a[i]);
  return 0;
}

/* What functions and pointers refer to does not use the buffer: the help does not say that a clause would do. */
// TWIN
#define N 8
#pragma dvm array distribute[block] shadow[0:0]
static double a[N];
#pragma dvm array align([i] with a[i])
static double b[N];

static double get(int i) { return a[N - 1 - i]; }
//                                ^ error dvm-nonlocal-access 'a[7]'
//                                ^ error dvm-remote-uncovered 'a[7]'
// help read the element of 'a' in the loop itself, under 'remote_access': accesses through functions and pointers do not use its buffer
static double value(double x) { return x; }

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
#pragma dvm parallel([i] on b[i]) remote_access(a[])
  for (int i = 0; i < N; i++)
    b[i] = value(a[N - 1 - i]);
  (void)get;
#else
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = value(get(i));
#pragma dvm parallel([i] on b[i]) remote_access(a[])
  for (int i = 0; i < N; i++)
    b[i] = get(i);
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++) {
    double *p = a;
    b[i] = p[N - 1 - i];
    //     ^ error dvm-nonlocal-access 'a[7]'
  }
#endif
  return 0;
}

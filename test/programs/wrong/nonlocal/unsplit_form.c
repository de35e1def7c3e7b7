/* The affine form is written with the constant in two parts, and is off by more than the shadow edge. */
// TWIN
#define N 20
#ifdef RIGHT
#define OFF 1
#else
#define OFF 5
#endif

#pragma dvm array distribute[block]
double a[4 * N];

int main(void) {
  int k = 2;
#pragma dvm parallel([i] on a[k * (N + i - OFF) - 1])
  for (int i = 0; i < N; i++)
    a[2 * N + 2 * i - 3] = i;
  //^ error dvm-nonlocal-access 'a[37]'
  return 0;
}

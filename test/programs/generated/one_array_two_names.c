/* Two parameters that are one array: what is written by one name is read by the other. */
// TWIN
#define N 6
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i]) shadow[1:1]
double b[N];

#pragma dvm inherit(f, g)
static void shift(double f[N], double g[N]) {
#pragma dvm parallel([i] on f[i]) shadow_renew(f)
  for (int i = 1; i < N; i++)
    g[i] = f[i - 1];
  //       ^ error dvm-loop-dependence 'a[1]'
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#ifdef RIGHT
  shift(a, b);
#else
  shift(a, a);
#endif
  return 0;
}

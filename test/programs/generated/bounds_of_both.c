/* One reference that leaves two arrays, one after the other: two mistakes. */
// TWIN
#include <stdio.h>
#define N 7
#ifdef RIGHT
#define END (N - 1)
#else
#define END N
#endif

#pragma dvm array distribute[block] shadow[0:1]
double a[N];
#pragma dvm array align([i] with a[i]) shadow[0:1]
double b[N];

#pragma dvm inherit(f)
static double last(double f[N]) {
  double s = 0;
#pragma dvm parallel([i] on f[i]) reduction(sum(s)) shadow_renew(f)
  for (int i = 0; i < END; i++)
    s += f[i + 1];
  //     ^ error dvm-out-of-bounds 'f[7]'
  //     ^ error dvm-out-of-bounds 'f[7]'
  // note 'a' is declared here
  // note 'b' is declared here
  return s;
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = i;
  }
  return last(a) + last(b) < 0;
}

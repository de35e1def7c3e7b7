/* sscanf writes what its conversions say, and nothing beside it. */
// FLAGS -w
// TWIN
// OUTPUT any
#include <stdio.h>
enum { N = 4 };
#pragma dvm array distribute[block]
double A[N];

int main(void) {
  double a[N], s = 0;
  int k[3], n;
  char word[8], c[2], open[8];
  struct { int id; double value; } x;
#ifdef RIGHT
  sscanf("1 2 3 4 5", "%lf %lf %lf %lf %d", &a[0], &a[1], &a[2], &a[3], &k[0]);
  sscanf("1 2 3", "%d %d %lf", &k[2], &x.id, &x.value);
#else
  sscanf("1.5 2 skipped 3", "%lf%d %*s %d", &a[0], &k[1], &k[2]);
  sscanf("9", "%d", &x.id);
#endif
  sscanf("2 word xy 7", "%d %7s %[xyz]%n", &k[1], word, open, &n);
  sscanf("z", "%c", &c[1]);
  s += a[0] + k[1] + k[2] + word[3] + open[1] + n + c[1] + x.id;
  s += a[1];
  //   ^ error dvm-uninitialized 'a[1]'
  s += x.value;
  //   ^ error dvm-uninitialized 'x.value'
  s += k[0];
  //   ^ error dvm-uninitialized 'k[0]'
#ifdef RIGHT
  for (int i = 0; i < N; i++)
#else
  for (int i = 0; i < 1; i++)
#endif
    sscanf("7", "%lf", &A[i]);
#pragma dvm remote_access(A[])
  {
    s += A[0];
    s += A[3];
    //   ^ error dvm-uninitialized 'A[3]'
  }
  printf("%d\n", s > 0);
  return 0;
}

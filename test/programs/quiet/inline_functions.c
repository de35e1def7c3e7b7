/* 'inline' without 'static' or 'extern': links only because the optimiser expands every call. */
// FLAGS -O2
// LEVELS O2
#include <stdio.h>
#include <stdlib.h>

inline double square_distance(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += (a[i] - b[i]) * (a[i] - b[i]);
  return s;
}
inline int at(int i, int j, int n) { return i * n + j; }
inline void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

int main(void) {
  double a[4] = {1, 2, 3, 4}, b[4] = {4, 3, 2, 1};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      swap(&a[at(i, j, 2)], &b[at(j, i, 2)]);
  printf("%g %g %d\n", square_distance(a, b, 4), a[2], atoi("12")); // atoi: the library has a definition of its own kind
  return 0;
}

/* The condition compares one value, and another one is stored: processors that begin with their own part decide otherwise. */
// TWIN
#include <stdio.h>
enum { N = 8 };
#ifdef RIGHT
#define Q(i) d[i]
#else
#define Q(i) q[i]
#endif
#pragma dvm array distribute[block]
double d[N];
#pragma dvm array align([i] with d[i])
double q[N];
#pragma dvm array align([i][] with d[i])
int m[N][3];

int main(void) {
  double r = 0, t = 0, w = 0, same = 0, twice = 0;
  int least = 100, most = 0;
#pragma dvm parallel([i] on d[i])
  for (int i = 0; i < N; i++) {
    d[i] = i;
    q[i] = (3 * i) % N + 10;
    for (int j = 0; j < 3; j++)
      m[i][j] = (i * 5 + j * 3) % 11;
  }
#pragma dvm parallel([i] on d[i]) reduction(max(r))
//          ^ error dvm-reduction-mismatch 'r'
  for (int i = 0; i < N; i++)
    if (r < d[i])
      r = Q(i);
#pragma dvm parallel([i] on d[i]) reduction(max(t))
//          ^ error dvm-reduction-mismatch 't'
  for (int i = 0; i < N; i++)
    t = t < d[i] ? Q(i) : t;
#pragma dvm parallel([i] on d[i]) reduction(min(least))
//          ^ error dvm-reduction-mismatch 'least'
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 2; j++)
      if (least > m[i][j])
#ifdef RIGHT
        least = m[i][j];
#else
        least = m[i][j + 1];
#endif
#pragma dvm parallel([i] on d[i]) reduction(max(w), max(same), max(twice), max(most))
  for (int i = 0; i < N; i++) {
    double v = d[i] * d[i];
    if (v > w)
      w = d[i] * d[i];
    if (same < d[i] * 2 + 1)
      same = 1 + 2 * d[i];
    if (!(q[i] <= twice))
      twice = q[i] < 12 ? q[i] : 12;
    for (int j = 0; j < 3; j++)
      most = most > m[i][j] ? most : m[i][j];
  }
  printf("%g %g %g %d\n", w, same, twice, most);
  return 0;
}

/* A struct that is made of elements: its place is evaluated before them. */
// TWIN
#include <stdio.h>
#define N 100
#ifdef RIGHT
#define AT 60
#else
#define AT 61
#endif

struct cell {
  double x, y;
};
#pragma dvm array distribute[block]
static double a[N];
#pragma dvm array align([i] with a[i])
static struct cell s[N];

int main(void) {
  const struct cell t = {1, 2};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    s[i].x = s[i].y = 1;
  }
  s[60] = (struct cell){a[AT], 2};
  //                    ^ error dvm-sequential-access 'a[61]'
  s[60] = a[AT] > 3 ? t : s[60];
  //      ^ error dvm-sequential-access 'a[61]'
  for (int i = 0; i < N - 1; i++)
    s[i] = (struct cell){a[i], s[i].x};
#ifdef RIGHT
  s[60] = s[60];
#else
  for (int i = 0; i < N - 1; i++)
    s[i] = (struct cell){a[i], s[i + 1].x};
  //                           ^ error dvm-sequential-access 's[1]'
#endif
#pragma dvm remote_access(s[60])
  printf("%g\n", s[60].x);
  return 0;
}

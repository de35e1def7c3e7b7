/* Places that are noted beside an extreme: one clause keeps both, in place of the extreme's own or where there is none. */
// TWIN
#include <stdio.h>
#define N 20
#pragma dvm array distribute[block][block]
static int h[N][N];
#pragma dvm array distribute[block]
static double v[N];

int main(void) {
  int best = -1, at[2] = {-1, -1}, which = -1, seen = 0;
  double least = 1e9;
#pragma dvm parallel([i][j] on h[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      h[i][j] = i * (17 - i) + 2 * j * (11 - j);
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    v[i] = (i - 7.2) * (i - 7.2);

#ifdef RIGHT
#pragma dvm parallel([i][j] on h[i][j]) reduction(maxloc(best, at, 2))
#else
#pragma dvm parallel([i][j] on h[i][j]) reduction(max(best))
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if (h[i][j] > best) {
        best = h[i][j];
        at[0] = i;
  //    ^ warning dvm-undeclared-private 'at'
  // help write 'maxloc\(best, at, 2\)' in the 'reduction' of the directive at
        at[1] = j;
  //    ^ warning dvm-undeclared-private 'at'
      }
  printf("%d at %d %d\n", best, at[0], at[1]);
  //                            ^ error dvm-private-uninitialized 'at'

#ifdef RIGHT
#pragma dvm parallel([i] on v[i]) reduction(minloc(least, which, 1), sum(seen))
#else
#pragma dvm parallel([i] on v[i]) reduction(sum(seen))
#endif
  for (int i = 0; i < N; i++) {
    seen++;
    if (v[i] < least)
    {
      which = i;
  //  ^ warning dvm-undeclared-private 'which'
      least = v[i];
  //  ^ error dvm-readonly-write 'least'
  // help add 'reduction\(minloc\(least, which, 1\)\)' to the directive at
    }
  }
  printf("%g at %d of %d\n", least, which, seen);
  //                                ^ error dvm-private-uninitialized 'which'
  return 0;
}

#include "sizes.h"
#ifdef RIGHT
#define SHADOW shadow[2:1]
#define DIMENSIONS [block][*]
#define KEPT dynamic
#else
#define SHADOW shadow[1:1]
#define DIMENSIONS [*][block]
#define KEPT
#endif
#pragma dvm template[N] distribute[block]
extern void *grid;
#pragma dvm array align([k] with grid[k]), SHADOW
//          ^ error dvm-usage 'a'
// note the directive of its definition
extern double a[N];
#pragma dvm array distribute DIMENSIONS
//          ^ error dvm-usage 'b'
extern double b[N][N];
#pragma dvm array distribute[block] KEPT
//          ^ error dvm-usage 'p'
extern double *p;
#pragma dvm array distribute[block], shadow[1:1]
extern double same[N];

double fill(void) {
  double sum = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
#pragma dvm parallel([i] on b[i][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = i;
#pragma dvm parallel([i] on same[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += same[i];
  return p ? 0 : sum;
}

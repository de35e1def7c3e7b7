/* Outside of loops nobody but the owner has what memcpy reads; a copy to elements of the same owners, and what goes to a stream or comes
 * from it, is right. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define N 8
#define M 6
#ifdef RIGHT
#define ROW 0
#else
#define ROW 1
#endif
#define TEXT(x) #x
#define PRAGMA(x) _Pragma(TEXT(x))
#ifdef RIGHT
#define REMOTE(x) PRAGMA(dvm remote_access(x))
#else
#define REMOTE(x)
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block][*]
double g[N][M];
#pragma dvm array align([i][j] with g[i][j])
double h[N][M];

int main(void) {
  double copy[N], row[M];
  FILE *f = tmpfile();
  memset(g, 0, sizeof g);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  REMOTE(a[])
  memcpy(copy, a, sizeof a);
  //           ^ error dvm-sequential-access 'a[0]'
  memcpy(h, g, sizeof g);
  memcpy(h[0], g[ROW], sizeof g[0]);
  //           ^ error dvm-sequential-access 'g[1][0]'
  REMOTE(g[2][])
  memmove(row, &g[2][0], sizeof row);
  //            ^ error dvm-sequential-access 'g[2][0]'
  REMOTE(a[])
  if (memcmp(a, copy, sizeof a))
  //         ^ error dvm-sequential-access 'a[0]'
    puts("other");
  fwrite(a, sizeof *a, N, f);
  rewind(f);
  if (fread(a, sizeof *a, N, f) != N)
    puts("short");
  printf("%g %g\n", copy[3], row[1]);
  return 0;
}

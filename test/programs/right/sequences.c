/* Alignment of two sequences by Smith and Waterman with affine gaps: three tables in a wave from the corner, the best place by maxloc, and the
 * way back by elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
enum { OPEN = 3, EXTEND = 1, HIT = 4, MISS = -2 };

#pragma dvm array distribute[block][block]
static int (*H)[47];
#pragma dvm array align([i][j] with H[i][j])
static int (*E)[47];
#pragma dvm array align([i][j] with H[i][j])
static int (*F)[47];
#pragma dvm array align([i][j] with H[i][j])
static signed char (*from)[47];

static char s[64], t[64];
static int n, m;

static void sequences(void) {
  n = 58;
  m = 46;
  for (int i = 0; i < n; i++)
    s[i] = "ACGT"[(i * i + 3 * i / 2) % 4];
  for (int j = 0; j < m; j++)
    t[j] = j % 9 == 4 ? 'A' : s[j + 5 + j / 20];
}

int main(void) {
  sequences();
  H = malloc((n + 1) * sizeof(*H));
  E = malloc((n + 1) * sizeof(*E));
  F = malloc((n + 1) * sizeof(*F));
  from = malloc((n + 1) * sizeof(*from));
#pragma dvm parallel([i][j] on H[i][j])
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      H[i][j] = E[i][j] = F[i][j] = 0;
      from[i][j] = 0;
    }
#pragma dvm parallel([i][j] on H[i][j]) across(H[1:0][1:0], E[0:0][1:0], F[1:0][0:0])
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      E[i][j] = MAX(H[i][j - 1] - OPEN, E[i][j - 1] - EXTEND);
      F[i][j] = MAX(H[i - 1][j] - OPEN, F[i - 1][j] - EXTEND);
      int d = H[i - 1][j - 1] + (s[i - 1] == t[j - 1] ? HIT : MISS);
      int h = MAX(MAX(0, d), MAX(E[i][j], F[i][j]));
      from[i][j] = (signed char)(h == 0 ? 0 : h == d ? 3 : h == E[i][j] ? 1 : 2);
      H[i][j] = h;
    }
  int best = 0, place[2] = {0, 0};
  long check = 0;
#pragma dvm parallel([i][j] on H[i][j]) reduction(maxloc(best, place, 2), sum(check))
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      check += H[i][j] * (long)(i + j);
      if (H[i][j] > best) {
        best = H[i][j];
        place[0] = i;
        place[1] = j;
      }
    }
  printf("best %d at %d %d, check %ld\n", best, place[0], place[1], check);
  char a[130] = "", b[130] = "";
  int i = place[0], j = place[1], k = 0;
  for (;;) {
    int how;
#pragma dvm remote_access(from[i][j])
    how = from[i][j];
    if (!how)
      break;
    a[k] = how == 1 ? '-' : s[i - 1];
    b[k++] = how == 2 ? '-' : t[j - 1];
    i -= how != 1;
    j -= how != 2;
  }
  while (k-- > 0)
    putchar(a[k]);
  putchar('\n');
  for (k = 0; b[k] && k < 5; k++)
    putchar(b[k]);
  printf(" from %d %d\n", i, j);
  free(H), free(E), free(F), free(from);
  return 0;
}

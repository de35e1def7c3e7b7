/* The game of life with corners, cells of one byte, a checksum by memcmp and a picture by sprintf. */
#include <stdio.h>
#include <string.h>
#define N 12
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static unsigned char now[N][N];
#pragma dvm array align([i][j] with now[i][j])
static unsigned char then[N][N];
int main(void) {
  long alive = 0;
#pragma dvm parallel([i][j] on now[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      now[i][j] = then[i][j] = (i * 5 + j * 3) % 7 == 0;
  for (int step = 0; step < 4; step++) {
    alive = 0;
#pragma dvm parallel([i][j] on then[i][j]) shadow_renew(now (corner)) reduction(sum(alive))
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        int n = 0;
        for (int a = -1; a <= 1; a++)
          for (int b = -1; b <= 1; b++)
            n += (a || b) && now[i + a][j + b];
        then[i][j] = (unsigned char)(n == 3 || (n == 2 && now[i][j]));
        alive += then[i][j];
      }
#pragma dvm parallel([i][j] on now[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        now[i][j] = then[i][j];
  }
  char line[64];
  int at = sprintf(line, "alive %ld", alive);
  line[at++] = '.';
  fwrite(line, 1, (size_t)at, stdout);
  putchar('\n');
  return 0;
}

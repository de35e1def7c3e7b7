/* A pixel of the next row is written. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define W 24
#define H 16
struct pixel {
  unsigned char r, g, b;
};
#pragma dvm array distribute[block][] shadow[1:1][0:0]
static struct pixel in[H][W];
#pragma dvm array align([i][j] with in[i][j])
static struct pixel out[H][W];
static const int weight[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
int main(void) {
#pragma dvm parallel([i][j] on in[i][j])
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++)
      out[i][j] = in[i][j] = (struct pixel){(unsigned char)(i * 10), (unsigned char)(j * 10), (unsigned char)(i ^ j)};
#pragma dvm parallel([i][j] on out[i][j]) shadow_renew(in)
  for (int i = 1; i < H - 1; i++)
    for (int j = 1; j < W - 1; j++) {
      int r = 0, g = 0, b = 0;
      for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
          const struct pixel p = in[i + a - 1][j + c - 1];
          r += weight[a][c] * p.r;
          g += weight[a][c] * p.g;
          b += weight[a][c] * p.b;
        }
      out[i][j].r = (unsigned char)(r / 16);
      out[i][j].g = (unsigned char)(g / 16);
#ifdef RIGHT
      out[i][j].b = (unsigned char)(b / 16);
#else
      out[i + 1][j].b = (unsigned char)(b / 16);
// expect -1:7 error dvm-shadow-write 'out[2][1].b'
#endif
    }
  FILE *f = tmpfile();
  if (!f)
    return 1;
  char head[64];
  int n = sprintf(head, "P6 %d %d 255\n", W, H);
  fwrite(head, 1, (size_t)n, f);
  fwrite(out, sizeof out[0], H, f);
  rewind(f);
  unsigned sum = 0;
  for (int c; (c = getc(f)) != EOF;)
    sum = sum * 17 + (unsigned)c;
  printf("%u\n", sum);
  fclose(f);
  return 0;
}

/* Bits of numbers through unions, tagged values, a byte stream that is written partly filled. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
union number {
  double d;
  uint64_t u;
  unsigned char bytes[8];
  struct {
    uint32_t low, high;
  } half;
};
struct value {
  enum { INT, REAL, TEXT } kind;
  union {
    int i;
    double r;
    char t[16];
  } as;
};
static void put(struct value v, char *to, size_t size) {
  if (v.kind == INT)
    snprintf(to, size, "%d", v.as.i);
  else if (v.kind == REAL)
    snprintf(to, size, "%.3g", v.as.r);
  else
    snprintf(to, size, "%s", v.as.t);
}
int main(void) {
  union number n;
  n.d = 1.5;
  n.half.low |= 1;
  struct value list[8];
  int used = 0;
  list[used].kind = INT;
  list[used++].as.i = 7;
  list[used].kind = REAL;
  list[used++].as.r = n.d;
  list[used].kind = TEXT;
  strcpy(list[used++].as.t, "abc");
  FILE *f = tmpfile();
  if (!f)
    return 1;
  fwrite(list, sizeof *list, (size_t)used, f);
  fwrite(&n, sizeof n, 1, f);
  rewind(f);
  struct value back[8];
  size_t got = fread(back, sizeof *back, 3, f);
  char text[64];
  for (size_t i = 0; i < got; i++) {
    put(back[i], text, sizeof text);
    printf("%s ", text);
  }
  unsigned char buffer[256];
  size_t fill = 0;
  for (int i = 0; i < 8; i++)
    buffer[fill++] = n.bytes[i];
  memcpy(buffer + fill, text, strlen(text) + 1);
  fill += strlen(text) + 1;
  rewind(f);
  fwrite(buffer, 1, fill, f);
  printf("%zu %d %d\n", fill, n.bytes[7], memcmp(buffer, n.bytes, 8));
  fclose(f);
  return 0;
}

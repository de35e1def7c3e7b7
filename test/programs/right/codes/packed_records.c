/* Records with padding and bit-fields, written and compared as bytes after they were cleared; a packed header. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct __attribute__((packed)) header {
  uint8_t version;
  uint32_t length;
  uint16_t sum;
};
struct cell {
  unsigned kind : 3, level : 5, owner : 10;
  double value;
  char tag;
};
static uint16_t sum_of(const void *p, size_t n) {
  const unsigned char *c = p;
  unsigned s = 0;
  for (size_t i = 0; i < n; i++)
    s = s * 31 + c[i];
  return (uint16_t)s;
}
int main(void) {
  struct cell a, b, list[4];
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  a.kind = b.kind = 2;
  a.level = b.level = 17;
  a.value = b.value = 0.5;
  printf("%d\n", memcmp(&a, &b, sizeof a));
  for (int i = 0; i < 3; i++) { /* the last one is not used */
    list[i] = a;
    list[i].owner = (unsigned)i * 100;
    list[i].tag = (char)('a' + i);
  }
  struct header h;
  h.version = 1;
  h.length = 3 * sizeof *list;
  h.sum = sum_of(list, h.length);
  FILE *f = tmpfile();
  if (!f)
    return 1;
  fwrite(&h, sizeof h, 1, f);
  fwrite(list, sizeof *list, 3, f);
  rewind(f);
  struct header g;
  struct cell back[4];
  if (fread(&g, sizeof g, 1, f) != 1 || fread(back, 1, g.length, f) != g.length)
    return 1;
  printf("%d %u %d %u %u %c\n", g.version, (unsigned)g.length, g.sum == sum_of(back, g.length), back[2].owner, back[1].level, back[0].tag);
  fclose(f);
  return 0;
}

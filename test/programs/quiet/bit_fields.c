/* Bit-fields and members of packed structs in all places that C lets them stand. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 8

struct bits {
  unsigned a : 3;
  signed b : 5;
  _Bool c : 1;
  unsigned : 0;
  unsigned long d : 40;
  unsigned e : 1;
  union {
    unsigned u : 7;
    struct {
      unsigned low : 4, high : 4;
    };
  };
  enum { ONE = 1, TWO } kind : 2;
  unsigned long long wide1 : 60, wide2 : 60;
};
struct __attribute__((packed)) packed {
  char tag;
  int n;
  double x;
  struct {
    short s;
    unsigned f : 9, g : 23;
  } in[2];
  int *p;
  float _Complex z;
};
#pragma pack(push, 2)
struct two {
  char c;
  long l;
  struct packed more;
};
#pragma pack(pop)

#pragma dvm array distribute[block]
static struct bits grid[N];
#pragma dvm array align([i] with grid[i])
static struct packed rows[N];
static struct bits shared;
static struct two global = {'g', 5, {'t', 6, 1.5, {{1, 2, 3}, {4, 5, 6}}, NULL, 0}};

static struct bits make(int k) { return (struct bits){.a = (unsigned)k & 7, .b = -k & 7, .d = (unsigned long)k << 20, .low = 3, .kind = TWO}; }
static int sum(const struct bits *s) { return (int)s->a + s->b + s->c + (int)s->d + s->e + s->u + s->kind; }
static struct packed *next(struct packed **p) { return (*p)++; }

int main(void) {
  struct bits local = make(3), *heap = malloc(3 * sizeof *heap), copy;
  struct packed *q = calloc(4, sizeof *q), *walk = q;
  volatile struct bits flags = {0};
  int n = 0, total = 0;
  local.a++;
  ++local.b;
  local.d += local.a << 2;
  local.e ^= 1, local.c = !local.c;
  copy = local;
  heap[0] = copy;
  heap[1].a = heap[0].a = 5;
  heap[1].kind = local.kind == TWO ? ONE : TWO;
  heap[1].wide1 = 1, heap[1].wide2 = heap[1].wide1-- + 2;
  flags.a = 2;
  flags.a |= 1;
  next(&walk)->n = 4;
  next(&walk)->x = 2.5;
  (*next(&walk)).in[n++].f = 100;
  q[1].in[n].g = q[2].in[n - 1].f + 1, q[1].n = (int)sizeof q->x;
  q->p = &n, *q->p += 1, q->z = 1.0f + 2.0fi;
  q->z *= 2;
  global.more.in[1].s += (short)global.l;
  global.more.in[1].f--;
  global.l = global.more.n++;
  printf("%d %d %ld %d %g %d %u %d\n", make(9).a, (int)make(2).d, (long)global.l, global.more.n, q[1].x, q[2].in[0].f, q[1].in[1].g, n);
  printf("%d %d %d %d %g\n", sum(&local), heap[1].a + heap[1].kind, flags.a, __extension__({ local.a + 1; }), (double)__real__ q->z);
  switch (local.kind) {
  case TWO: total++;
  default: break;
  }
  for (local.a = 0; local.a < 5; local.a++)
    total += local.a;
  while (local.a--)
    if (local.a == 2)
      break;
#pragma dvm parallel([i] on grid[i])
  for (int i = 0; i < N; i++) {
    struct bits mine = make(i);
    memset(&grid[i], 0, sizeof grid[i]);
    grid[i].a = mine.a;
    grid[i].d = (unsigned long)i;
    grid[i].high = 2;
    grid[i].c = i & 1;
    grid[i].wide2 = 77;
    rows[i].n = i;
    rows[i].x = grid[i].wide2;
    rows[i].in[i & 1].g = (unsigned)i;
    rows[i].in[1 - (i & 1)].g = 0;
    mine.b++;
  }
  shared.a = 6;
#pragma dvm parallel([i] on grid[i]) reduction(sum(total))
  for (int i = 0; i < N; i++) {
    grid[i].a += shared.a & 1;
    grid[i].e = !grid[i].e;
    if (grid[i].c && rows[i].n > 2)
      rows[i].x /= 2;
    total += (int)grid[i].d + (int)rows[i].x + (int)rows[i].in[0].g + grid[i].u + grid[i].a;
  }
  printf("%d %d\n", total, _Generic(local.c, _Bool: 1, default: 2));
  free(heap);
  free(q);
  return 0;
}

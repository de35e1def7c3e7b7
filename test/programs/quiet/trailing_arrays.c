/* Arrays of several elements at the end of structs, on memory that was allocated for more of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text { int length; char first[2]; };
struct row { int n; double x[4]; };
struct table { int n; struct row last; };
struct pairs { int n; struct { int key; double value; } pair[2]; };
union word { long bits; char byte[4]; };

#pragma dvm array distribute[block]
static double A[8];
static char pool[512];

static void *block(size_t n) {
  void *p = malloc(n);
  if (!p)
    exit(1);
  return p;
}

static struct text *text_of(const char *s) {
  struct text *t = block(sizeof *t + strlen(s));
  t->length = (int)strlen(s);
  for (int k = 0; k <= t->length; k++)
    t->first[k] = s[k];
  return t;
}

static double sum(const struct row *r) {
  double s = 0;
  for (int k = 0; k < r->n; k++)
    s += r->x[k];
  return s;
}

int main(void) {
  double s = 0;
  struct text *t = text_of("longer than two"), *in_pool = (struct text *)pool;
  const char *p = t->first;
  struct row *r = block(sizeof *r + 6 * sizeof(double));
  struct table *b = calloc(1, sizeof *b + 4 * sizeof(double));
  struct pairs *q = block(sizeof *q + 8 * sizeof q->pair[0]);
  union word *w = block(16);
  double space[16];
  struct row *here = (struct row *)space;
  if (!b)
    return 1;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < 8; i++)
    A[i] = i;
  for (r->n = 0; r->n < 10; r->n++)
    r->x[r->n] = r->n;
  for (int k = 0; k < 8; k++)
    b->last.x[k] += k;
  for (q->n = 0; q->n < 10; q->n++)
    q->pair[q->n].value = q->pair[q->n].key = q->n;
  for (int k = 0; k < 16; k++)
    w->byte[k] = in_pool->first[k] = (char)('a' + k);
  for (here->n = 0; here->n < 15; here->n++)
    here->x[here->n] = 1;
  b->last.n = 8;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for (int i = 0; i < 8; i++)
    s += sum(r) + r->x[i] + q->pair[i + 2].value;
  printf("%s %c %g %g %g %c %c\n", p, p[12], s, sum(&b->last), sum(here), w->byte[9], in_pool->first[9]);
  free(t), free(r), free(b), free(q), free(w);
  return 0;
}

/* Of structs that are written, compared or sent, each member needs a value; padding and what is copied need none. */
// TWIN
// OUTPUT any
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define N 6
#ifdef RIGHT
#define RIGHT_OR(condition) 1
#else
#define RIGHT_OR(condition) (condition)
#endif

struct mixed {
  char tag;
  double value;
  int last;
};
struct nested {
  short kind;
  struct mixed inner[2];
  union {
    int number;
    double real;
  } either;
  unsigned low : 3, high : 5;
  int : 0;
  unsigned apart : 4;
  char name[12];
  char pad[3];
  int reserved;
  struct timespec when; /* of the system: one datum */
};
struct bits {
  unsigned first : 3, second : 5;
  int : 0;
  unsigned apart : 4;
  short : 9;
};
struct matrix {
  float v[2][3];
  _Complex double z;
};
struct message {
  int length;
  short more;
  double data[];
};

#pragma dvm array distribute[block]
struct mixed d[N];
#pragma dvm array align([i] with d[i])
int sums[N];

static struct matrix zero;

static int by_last(const void *a, const void *b) {
  return ((const struct mixed *)a)->last - ((const struct mixed *)b)->last;
}

static void make(struct nested *n) {
  n->kind = 1;
  for (int k = 0; k < 2; k++) {
    n->inner[k].tag = 'a';
    n->inner[k].value = k;
    if (RIGHT_OR(k == 0))
      n->inner[k].last = 3;
  }
  n->either.number = 1;
  n->low = 1;
  n->apart = 2;
  n->when.tv_sec = 1;
  strcpy(n->name, "name");
}

int main(void) {
  FILE *f = tmpfile();
  struct mixed one, row[3], *heap = malloc(sizeof *heap), copy, other;
  struct nested n, m;
  struct bits b;
  struct matrix x;
  struct message *text = malloc(sizeof *text + 2 * sizeof *text->data);
  one.tag = 'a';
  one.value = 1;
  if (RIGHT_OR(f == NULL))
    one.last = 2;
  fwrite(&one, sizeof one, 1, f);
  //      ^ error dvm-uninitialized 'one.last'
  memcpy(&copy, &one, sizeof one);
  if (write(fileno(f), (char *)&copy, sizeof copy) < 0)
    //                          ^ error dvm-uninitialized 'copy.last'
    return 1;
  one.last = 1;
  other = one;
  fwrite(&other, sizeof other, 1, f);
  for (int i = 0; i < 3; i++) {
    row[i].tag = 'r';
    row[i].last = i;
    if (RIGHT_OR(i != 1))
      row[i].value = i;
  }
  fwrite(row, sizeof *row, 3, f);
  //     ^ error dvm-uninitialized 'row[1].value'
  fwrite(&row[2], sizeof *row, 1, f);
  fwrite(row + 1, sizeof *row, 2, f);
  //     ^ error dvm-uninitialized '(row + 1)[0].value'
  heap->value = 1;
  heap->last = 1;
  if (RIGHT_OR(f == NULL))
    heap->tag = 'h';
  if (write(fileno(f), heap, sizeof *heap) < 0)
    //                 ^ error dvm-uninitialized 'heap->tag'
    return 1;
  make(&n);
  fwrite(&n, sizeof n, 1, f);
  //      ^ error dvm-uninitialized 'n.inner[1].last'
  make(&m);
  m.inner[1].last = 1;
  fwrite(&m, sizeof m, 1, f);
  fwrite(m.inner, sizeof *m.inner, 2, f);
  fwrite(&m.inner[0].tag, sizeof m.inner, 1, f); /* from its first member on */
  fwrite(&m.either, sizeof m - offsetof(struct nested, either), 1, f);
  b.first = 1;
  if (RIGHT_OR(f == NULL))
    b.apart = 1;
  fwrite(&b, sizeof b, 1, f);
  //      ^ error dvm-uninitialized 'b.apart'
  for (int i = 0; i < 6; i++)
    if (RIGHT_OR(i != 4))
      (&x.v[0][0])[i] = i;
  x.z = 1;
  if (!memcmp(&x, &zero, sizeof x))
    //         ^ error dvm-uninitialized 'x.v[1][1]'
    return 1;
  text->length = 2;
  if (RIGHT_OR(f == NULL))
    text->more = 1;
  text->data[0] = text->data[1] = 1;
  fwrite(text, sizeof *text + 2 * sizeof *text->data, 1, f);
  //     ^ error dvm-uninitialized 'text->more'
#pragma dvm parallel([i] on d[i])
  for (int i = 0; i < N; i++) {
    d[i].tag = 'd';
    if (RIGHT_OR(i != 3))
      d[i].value = i;
    d[i].last = i;
  }
  fwrite(d, sizeof *d, N, f);
  //     ^ error dvm-uninitialized 'd[3].value'
#pragma dvm parallel([i] on d[i])
  for (int i = 0; i < N; i++) {
    struct mixed own;
    memset(&own, 0, i % 2 ? sizeof own : 1);
    own.value = i;
    if (RIGHT_OR(i != 2))
      own.last = i;
    d[i] = own;
    sums[i] = memcmp(&own, &d[i], sizeof own);
    //                ^ error dvm-uninitialized 'own.last'
    //                      ^ error dvm-uninitialized 'd[2].last'
  }
  fwrite(sums, sizeof *sums, N, f);
  qsort(row, 3, sizeof *row, by_last);
  printf("%d %d\n", row[0].last, (int)text->length);
  return 0;
}

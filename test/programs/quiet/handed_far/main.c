/* Memory that unseen code writes through pointers which lie behind the first pages of a block that it was handed, or are the hundredth
 * there: in blocks of the heap and the stack, in static tables, in lists, in blocks that such a pointer leads to.  Some of the
 * pointers are overwritten, or their blocks freed, before what was written is read. */
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 4000, ROWS = 300, WIDTH = 20, NODES = 500, CALLS = 70 };
struct node { struct node *next; double *data; };
struct wide { double rest[700]; double *out; };
void lib_at(void **slots, int k, int n);
void lib_rows(double **rows, int n, int width);
void lib_wide(struct wide *w, int n);
void lib_list(struct node *head, int width);
void lib_count(const void *block, size_t n, long *count);

#pragma dvm array distribute[block]
static double A[8];
static void *table[SLOTS];

static void *block(size_t n) {
  void *p = malloc(n);
  if (!p)
    exit(1);
  return p;
}

static double sum(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}

static void **empty_slots(void) {
  void **slots = block(SLOTS * sizeof *slots);
  for (int i = 0; i < SLOTS; i++)
    slots[i] = NULL;
  return slots;
}

static void one_of_many(void) {
  void **slots = empty_slots(), **outer = empty_slots(), *local[SLOTS] = {NULL};
  double *a = slots[3000] = block(WIDTH * sizeof *a), *b = table[2500] = block(WIDTH * sizeof *b);
  double *c = local[2000] = block(WIDTH * sizeof *c);
  outer[3999] = slots;
  lib_at(slots, 3000, WIDTH);
  lib_at(table, 2500, WIDTH);
  lib_at(local, 2000, WIDTH);
  double *d = slots[3500] = block(WIDTH * sizeof *d);
  lib_at(outer[3999], 3500, WIDTH);
  printf("%g %g %g %g\n", sum(a, WIDTH), sum(b, WIDTH), sum(c, WIDTH), sum(d, WIDTH));
}

static void overwritten(void) {
  void **slots = empty_slots();
  double *a = slots[3000] = block(WIDTH * sizeof *a);
  lib_at(slots, 3000, WIDTH);
  slots[3000] = NULL;
  double *b = slots[3001] = block(WIDTH * sizeof *b);
  lib_at(slots, 3001, WIDTH);
  free(slots);
  printf("%g %g\n", sum(a, WIDTH), sum(b, WIDTH));
}

/* The block is handed again and again, each time with another pointer that is gone afterwards. */
static void many_calls(void) {
  void **slots = empty_slots();
  double *got[CALLS], all = 0;
  slots[3998] = got;
  for (int k = 0; k < CALLS; k++) {
    got[k] = slots[3000] = block(WIDTH * sizeof **got);
    lib_at(slots, 3000, WIDTH);
    slots[3000] = NULL;
  }
  for (int k = 0; k < CALLS; k++)
    all += sum(got[k], WIDTH);
  printf("%g\n", all);
}

static void rows_and_lists(void) {
  double **rows = block(ROWS * sizeof *rows), all = 0;
  for (int i = 0; i < ROWS; i++)
    rows[i] = block(WIDTH * sizeof **rows);
  lib_rows(rows, ROWS, WIDTH);
  for (int i = 0; i < ROWS; i++)
    all += sum(rows[i], WIDTH);
  struct node *head = NULL;
  for (int i = 0; i < NODES; i++) {
    struct node *n = block(sizeof *n);
    n->data = block(WIDTH * sizeof *n->data);
    n->next = head;
    head = n;
  }
  lib_list(head, WIDTH);
  for (struct node *n = head; n; n = n->next)
    all += sum(n->data, WIDTH);
  struct wide w;
  double x[WIDTH];
  w.out = x;
  lib_wide(&w, WIDTH);
  printf("%g %g\n", all, sum(x, WIDTH));
}

int main(void) {
  double s = 0;
  long count = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < 8; i++)
    A[i] = i;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for (int i = 0; i < 8; i++)
    s += A[i];
  printf("%g\n", s);
  one_of_many();
  overwritten();
  many_calls();
  rows_and_lists();
  lib_count(table, sizeof table, &count);
  printf("%d\n", count > 0);
  return 0;
}

/* Library functions that call back: qsort, bsearch, atexit; the elements' values pass through foreign code. */
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int key;
  double value;
} item;

static int by_key(const void *a, const void *b) {
  const item *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

static void goodbye(void) {
  puts("goodbye");
}

int main(void) {
  item items[9], wanted = {.key = 4}, *found;
  double sum = 0;
  for (int i = 0; i < 9; i++) {
    items[i].key = i * 5 % 9;
    items[i].value = i;
  }
  qsort(items, 9, sizeof *items, by_key);
  found = bsearch(&wanted, items, 9, sizeof *items, by_key);
#pragma dvm parallel(1) reduction(sum(sum))
  for (int i = 0; i < 9; i++)
    sum += i * items[i].value;
  atexit(goodbye);
  printf("%g %g\n", sum, found->value);
  return 0;
}

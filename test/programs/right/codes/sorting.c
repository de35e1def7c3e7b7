/* Particles read into a list that is only partly filled, sorted and searched by the C library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MOST 200
struct particle {
  char kind;
  double mass;
  short cell;
  char name[11];
};
static struct particle list[MOST];
static int by_mass(const void *a, const void *b) {
  const struct particle *p = a, *q = b;
  return p->mass < q->mass ? -1 : p->mass > q->mass;
}
static int by_name(const void *a, const void *b) { return strcmp(((const struct particle *)a)->name, ((const struct particle *)b)->name); }
int main(void) {
  struct particle local[MOST];
  int n = 0;
  for (int i = 0; i < 50; i++) {
    struct particle p;
    p.kind = (char)('a' + i % 3);
    p.mass = (i * 37) % 50;
    p.cell = (short)i;
    snprintf(p.name, sizeof p.name, "p%02d", (i * 7) % 50);
    local[n] = list[n] = p;
    n++;
  }
  qsort(list, (size_t)n, sizeof *list, by_mass);
  qsort(local, (size_t)n, sizeof *local, by_name);
  struct particle key;
  strcpy(key.name, "p21");
  struct particle *found = bsearch(&key, local, (size_t)n, sizeof *local, by_name);
  printf("%g %g %s %d\n", list[0].mass, list[n - 1].mass, local[3].name, found ? found->cell : -1);
  double numbers[MOST];
  for (int i = 0; i < 20; i++)
    numbers[i] = (i * 13) % 20;
  double copy[MOST];
  memcpy(copy, numbers, sizeof numbers); /* all of it, though little is filled */
  double sum = 0;
  for (int i = 0; i < 20; i++)
    sum += copy[i] * i;
  printf("%g %d\n", sum, memcmp(copy, numbers, 20 * sizeof *copy));
  return 0;
}

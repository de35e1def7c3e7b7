#include <stdlib.h>
struct pair { int first, second; };
static int *kept;

void foreign_fill(double *where, int n) {
  for (int i = 0; i < n; i++)
    where[i] = i;
}

double *foreign_allocate(int n) {
  double *p = malloc(n * sizeof *p);
  if (!p)
    abort();
  foreign_fill(p, n);
  return p;
}

void foreign_each(int n, void (*call)(int, int *)) {
  for (int k = 0; k < n; k++) {
    int value = k * k;
    call(k, &value);
  }
}

struct pair foreign_pair(int n) {
  struct pair p = {n, n + 1};
  return p;
}

void foreign_keep(int *p) {
  kept = p;
}

void foreign_write_kept(int value) {
  *kept = value;
}

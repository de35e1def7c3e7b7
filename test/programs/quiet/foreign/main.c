/* A library that our compiler never saw assigns through pointers, allocates, and calls back. */
#include <stdio.h>
#include <stdlib.h>

void foreign_fill(double *where, int n);
double *foreign_allocate(int n);
void foreign_each(int n, void (*call)(int, int *));
struct pair { int first, second; };
struct pair foreign_pair(int n);
void foreign_keep(int *p);
void foreign_write_kept(int value);

static int seen[4];

static void note(int k, int *value) {
  seen[k] = *value;
}

int main(void) {
  double v[5], *w = foreign_allocate(5), sum = 0;
  int kept[2];
  foreign_fill(v, 5);
  foreign_each(4, note);
  foreign_keep(&kept[1]);
  kept[0] = 1;
  foreign_write_kept(41);
  struct pair p = foreign_pair(3);
#pragma dvm parallel(1) reduction(sum(sum))
  for (int i = 0; i < 5; i++)
    sum += v[i] * w[i];
  printf("%g %d %d %d\n", sum, seen[3], p.first + p.second, kept[0] + kept[1]);
  free(w);
  return 0;
}

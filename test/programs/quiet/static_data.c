/* Static data are zero, initialisers count, constants and string literals have values, compound literals too. */
#include <stdio.h>
#define N 8

static int counter;
double table[N] = {1, 2, 3};
const char *names[] = {"north", "south"};
struct config { int size; double scale[2]; } config = {.scale = {0.5}};
_Thread_local int per_thread;
_Thread_local int per_thread_set = 7;
#pragma dvm array distribute[block]
double a[N];

static int next(void) {
  static int calls, first = 10;
  return first + calls++;
}

int main(void) {
  static double local[N];
  double sum = 0;
  int (*row)[3] = (int[][3]){{1, 2, 3}, {4}};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = table[i] + local[i] + counter + config.scale[0] + config.scale[1] + config.size + names[1][i % 5];
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i] + (double[]){1, 2}[i & 1] + row[1][i % 3] + "abc"[i % 4];
  printf("%g %d %d\n", sum, next() + next(), per_thread + per_thread_set);
  return 0;
}

/* What a comparison of a parallel run has to know (docs/traces.md#what-a-parallel-run-does-otherwise), a row each: ROW is its number; WRONG makes the
 * mistake that the row must not hide. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 60, STEPS = 5 };
#pragma dvm array distribute[block] shadow[1 : 1]
double a[N];
#pragma dvm array align([i] with a[i]) shadow[1 : 1]
double b[N];

static void fill(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i * 7 % 11 / 3.0;
    b[i] = 0;
  }
}

#if ROW == 1 /* iterations come in any order: wrong where their order matters */
static double compute(int last) {
  (void)last;
#ifdef WRONG
#pragma dvm parallel([i] on a[i])
#else
#pragma dvm parallel([i] on a[i]) across(a[1 : 0])
#endif
  for (int i = 1; i < N; i++)
    a[i] = a[i] / 2 + a[i - 1];
  return 0;
}
#elif ROW == 2 /* tasks come in any order: wrong where one is left out */
#pragma dvm task T[4]
void *T;
static double compute(int last) {
  double total = 0;
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k]) reduction(sum(total))
    for (int k = 0; k < (last < N ? 3 : 4); k++)
      total += k + 1;
  }
  return total;
}
#elif ROW == 3 /* a rank executes a part of the iterations: wrong where nobody executes one, or the reference has none such */
static double compute(int last) {
#pragma dvm parallel([i] on b[i])
  for (int i = 1; i < last; i++)
    b[i] = a[i] * 2;
  return 0;
}
#elif ROW == 4 /* values of reduction variables while they are computed: wrong where the result is */
static double compute(int last) {
  double sum = 1;
  (void)last;
#ifdef WRONG
#pragma dvm parallel([i] on a[i]) reduction(product(sum))
#else
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
#endif
  for (int i = 0; i < N; i++) {
    sum += a[i];
    b[i] = a[i];
  }
  return sum;
}
#elif ROW == 5 /* updates under a condition: wrong where no clause names the variable */
static double compute(int last) {
  double most = -1;
  (void)last;
#ifdef WRONG
#pragma dvm parallel([i] on a[i])
#else
#pragma dvm parallel([i] on a[i]) reduction(max(most))
#endif
  for (int i = 0; i < N; i++) {
    if (a[i] + i > most)
      most = a[i] + i;
    b[i] = a[i];
  }
  return most;
}
#elif ROW == 6 /* what only the owner of an element stores: wrong where it stores what others do not have */
static double compute(int last) {
  double least = 100;
  (void)last;
#pragma dvm parallel([i] on a[i]) reduction(min(least))
  for (int i = 0; i < N; i++)
    least = a[i] - i < least ? a[i] - i : least;
#ifdef WRONG
  least += getenv("OMPI_COMM_WORLD_RANK") != NULL;
#endif
  b[41] = least;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = b[i] * 2;
  return 0;
}
#elif ROW == 7 /* constructs in iterations that the reference leaves out: wrong in those that it has */
static double compute(int last) {
  (void)last;
  for (int step = 0; step < STEPS; step++) {
#ifdef WRONG
#pragma dvm parallel([i] on b[i])
#else
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
#endif
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
#pragma dvm parallel([i] on a[i])
    for (int i = 1; i < N - 1; i++)
      a[i] = b[i] / 2;
  }
  return 0;
}
#endif

int main(int argc, char **argv) {
  fill();
  double result = compute(argc > 1 ? atoi(argv[1]) : N);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] += result;
  printf("%g\n", result);
  return 0;
}

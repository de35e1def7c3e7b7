/* Functions of libc whose state belongs to no iteration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 8

int main(void) {
  int seeds[N], inside = 0;
  char text[] = "a b";
#pragma dvm array distribute[block]
  double *a = malloc(N * sizeof(double));
  srand(7); /* before the loop: all processors are alike */
  int first = rand();
  for (int i = 0; i < N; i++)
    seeds[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(inside))
  for (int i = 0; i < N; i++) {
    unsigned own = (unsigned)seeds[i];
    a[i] = rand() / (double)RAND_MAX;
    //     ^ compile-warning 'rand' has a state that all iterations share
    if (drand48() < 0.5)
      //^ compile-warning 'drand48' has a state that all iterations share
      inside++;
    a[i] += rand_r(&own) % 2;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  strtok(text, " ");
  printf("%d\n", first >= 0);
  free(a);
  return 0;
}

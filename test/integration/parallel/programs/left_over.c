/* What lies in memory before differs between ranks: what a private array has left, and addresses. */
#include <stdio.h>
#include <stdlib.h>
#define N 24

#pragma dvm array distribute[block]
double a[N];
long left[N];
struct node {
  const char *name;
  long value, *target;
} nodes[N];

int main(void) {
  long *heap = malloc(N * sizeof *heap);
  for (int i = 0; i < N; i++)
    nodes[i] = (struct node){"node", 0, &heap[i]};
#pragma dvm parallel([i] on a[i]) private(left)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++)
      left[k] = i < N / 3 ? k : 100000000000L + k;
    a[i] = left[i];
  }
#pragma dvm parallel([i] on a[i]) consistent(left[i])
  for (int i = 0; i < N; i++)
    left[i] = i;
#pragma dvm parallel([i] on a[i]) consistent(nodes[i])
  for (int i = 0; i < N; i++)
    nodes[i].value = i;
  for (int i = 0; i < N; i++)
    printf("%ld %s %ld %d\n", left[i], nodes[i].name, nodes[i].value, nodes[i].target == &heap[i]);
  free(heap);
  return 0;
}

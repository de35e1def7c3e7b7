/* Breadth-first search: adjacency lists that grow by realloc, a ring buffer, distances. */
#include <stdio.h>
#include <stdlib.h>
#define N 30
struct list {
  int *to;
  int n, room;
};
static void add(struct list *l, int to) {
  if (l->n == l->room) {
    l->room = l->room ? 2 * l->room : 2;
    l->to = realloc(l->to, (size_t)l->room * sizeof *l->to);
  }
  l->to[l->n++] = to;
}
#pragma dvm array distribute[block]
static int far[N];
int main(void) {
  static struct list graph[N];
  int distance[N], ring[8], head = 0, tail = 0, most = 0;
  for (int i = 0; i < N; i++)
    for (int k = 1; k <= 3; k++)
      add(&graph[i], (i * k + 1) % N);
  for (int i = 0; i < N; i++)
    distance[i] = -1;
  distance[0] = 0;
  ring[tail++] = 0;
  while (head != tail) {
    int at = ring[head++ % 8];
    for (int k = 0; k < graph[at].n; k++)
      if (distance[graph[at].to[k]] < 0 && tail - head < 8) {
        distance[graph[at].to[k]] = distance[at] + 1;
        ring[tail++ % 8] = graph[at].to[k];
      }
  }
#pragma dvm parallel([i] on far[i]) reduction(max(most))
  for (int i = 0; i < N; i++) {
    far[i] = distance[i];
    most = far[i] > most ? far[i] : most;
  }
  printf("%d\n", most);
  for (int i = 0; i < N; i++)
    free(graph[i].to);
  return 0;
}

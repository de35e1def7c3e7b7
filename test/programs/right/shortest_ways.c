/* All shortest ways: Floyd and Warshall on a matrix that is divided both ways; predecessors beside the lengths, ways are printed from them. */
#include <stdio.h>
#include <stdlib.h>

#define NONE 1000000

static int n;

static unsigned next(unsigned *s) { return *s = *s * 1103515245u + 12345u, *s >> 16; }

#pragma dvm inherit(d, via)
static void read_graph(int n, int (*d)[n], short (*via)[n], unsigned char *there) {
#pragma dvm parallel([i][j] on d[i][j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      d[i][j] = i == j ? 0 : there[i * n + j] ? there[i * n + j] : NONE;
      via[i][j] = -1;
    }
}

#pragma dvm inherit(d, via)
static int close(int n, int (*d)[n], short (*via)[n]) {
  int changes = 0;
  for (int k = 0; k < n; k++) {
#pragma dvm parallel([i][j] on d[i][j]) remote_access(d[k][], d[][k]) reduction(sum(changes))
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int through = d[i][k] + d[k][j];
        if (through < d[i][j]) {
          d[i][j] = through;
          via[i][j] = (short)k;
          changes++;
        }
      }
  }
  return changes;
}

#pragma dvm inherit(via)
static int way(int n, short (*via)[n], int from, int to, char *text, int at) {
  short k;
#pragma dvm remote_access(via[from][to])
  { k = via[from][to]; }
  if (k < 0)
    return at + sprintf(text + at, "-%d", to);
  at = way(n, via, from, k, text, at);
  return way(n, via, k, to, text, at);
}

int main(int argc, char **argv) {
  n = argc > 1 ? atoi(argv[1]) : 29;
  unsigned seed = 7;
  unsigned char *there = calloc(n * n, 1);
  for (int e = 0; e < 4 * n; e++) {
    int from = next(&seed) % n, to = next(&seed) % n;
    there[from * n + to] = 1 + next(&seed) % 90;
  }
#pragma dvm array distribute[block][block]
  int (*d)[n] = malloc(sizeof(int[n][n]));
#pragma dvm array align([i][j] with d[i][j])
  short (*via)[n] = malloc(sizeof(short[n][n]));
  read_graph(n, d, via, there);
  printf("%d changes\n", close(n, d, via));
  long sum = 0;
  int far = -1, ends[2], unreached = 0;
#pragma dvm parallel([i][j] on d[i][j]) reduction(sum(sum), sum(unreached), maxloc(far, ends, 2))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (d[i][j] >= NONE) {
        unreached++;
        continue;
      }
      sum += d[i][j];
      if (d[i][j] > far) {
        far = d[i][j];
        ends[0] = i;
        ends[1] = j;
      }
    }
  printf("sum %ld, unreached %d, farthest %d: %d to %d\n", sum, unreached, far, ends[0], ends[1]);
  char text[400];
  sprintf(text, "%d", ends[0]);
  way(n, via, ends[0], ends[1], text, (int)sprintf(text, "%d", ends[0]));
  puts(text);
  for (int i = 0; i < n; i += 9)
    for (int j = 0; j < n; j += 7)
      printf("%d%c", d[i][j], j + 7 < n ? ' ' : '\n');
  free(via);
  free(d);
  free(there);
  return 0;
}

/* Nodes that there are not. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define NODES 25
#define TRIANGLES 32
struct triangle {
  int node[3];
  double area;
};
#pragma dvm array distribute[block]
static struct triangle mesh[TRIANGLES];
#pragma dvm array distribute[block]
static double height[NODES];
int main(void) {
  static double load[NODES];
#pragma dvm parallel([n] on height[n])
  for (int n = 0; n < NODES; n++)
    height[n] = n * 0.5;
#pragma dvm parallel([t] on mesh[t])
  for (int t = 0; t < TRIANGLES; t++) {
    int cell = t / 2, corner = cell / 4 * 5 + cell % 4;
    struct triangle *m = &mesh[t];
    m->node[0] = corner + (t & 1);
    m->node[1] = corner + 1 + (t & 1) * 5;
#ifdef RIGHT
    m->node[2] = corner + 5;
#else
    m->node[2] = corner + 15;
#endif
    m->area = 0.5;
  }
#pragma dvm parallel([t] on mesh[t]) remote_access(height[]) reduction(sum(load))
  for (int t = 0; t < TRIANGLES; t++) {
    double mean = 0;
    for (int k = 0; k < 3; k++)
      mean += height[mesh[t].node[k]] / 3;
// expect -1:15 error dvm-out-of-bounds 'height[25]'
    for (int k = 0; k < 3; k++)
      load[mesh[t].node[k]] += mean * mesh[t].area;
// expect -1:7 error dvm-out-of-bounds 'load[25]'
  }
  double total = 0;
  for (int n = 0; n < NODES; n++)
    total += load[n];
  printf("%.6f\n", total);
  return 0;
}

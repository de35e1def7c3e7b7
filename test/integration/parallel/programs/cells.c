/* Nodes that lie where cells do, with rules that count through several dimensions; a cell reads all its nodes, a node all its cells. */
#include <stdio.h>
#define A 9
#define B 7
#define NODES ((A + 1) * (B + 1))
#pragma dvm array distribute[block][block]
int corner[A][B];
#pragma dvm array align([i][j] with corner[i][j])
double cell[A][B];
#pragma dvm array distribute[block] dynamic
double node[NODES];
#pragma dvm array distribute[block]
int of[60];
#pragma dvm array align([i] with of[i])
double wide[60];
#pragma dvm array align([i] with of[2 * i + 1])
double every[29];

int main(void) {
  double s = 0;
  #pragma dvm parallel([i][j] on corner[i][j])
  for (int i = 0; i < A; i++)
    for (int j = 0; j < B; j++) corner[i][j] = i * (B + 1) + j;
  #pragma dvm redistribute(node[derived(corner[i][j]:corner[i][j] + 1, corner[i][j] + B + 1, corner[i][j] + B + 2 with corner[@i][@j])])
  #pragma dvm shadow_add(node[corner[i][j], corner[i][j] + 1, corner[i][j] + B + 1 : corner[i][j] + B + 2 with corner[@i][@j]] = "corners")
  #pragma dvm parallel([i] on node[i])
  for (int i = 0; i < NODES; i++) node[i] = i * i % 31;
  for (int step = 0; step < 3; step++) {
    #pragma dvm parallel([i][j] on cell[i][j]) shadow_renew(node["corners"])
    for (int i = 0; i < A; i++)
      for (int j = 0; j < B; j++)
        cell[i][j] = node[corner[i][j]] + node[corner[i][j] + 1] + node[corner[i][j] + B + 1] + node[corner[i][j] + B + 2];
    s = 0;
    #pragma dvm parallel([i][j] on cell[i][j]) reduction(sum(s))
    for (int i = 0; i < A; i++)
      for (int j = 0; j < B; j++) s += (i + 2 * j) * cell[i][j];
    printf("%.0f\n", s);
    #pragma dvm parallel([i] on node[i])
    for (int i = 0; i < NODES; i++) node[i] += i % (step + 2);
  }
  /* Arrays that lie at every second place of others. */
  #pragma dvm parallel([i] on of[i])
  for (int i = 0; i < 60; i++) of[i] = (13 * i + 5) % 29;
  #pragma dvm parallel([i] on every[i])
  for (int i = 0; i < 29; i++) every[i] = 3 * i;
  #pragma dvm shadow_add(of[2 * of[k] + 1 with of[@k]] = "odd") include_to(every, wide)
  s = 0;
  #pragma dvm parallel([i] on of[i]) shadow_renew(every["odd"]) reduction(sum(s))
  for (int i = 0; i < 60; i++) s += i * every[of[i]];
  printf("%.0f\n", s);
  #pragma dvm parallel([i] on wide[i])
  for (int i = 0; i < 60; i++) wide[i] = 59 - i;
  s = 0;
  #pragma dvm parallel([i] on of[i]) shadow_renew(wide["odd"]) reduction(sum(s))
  for (int i = 0; i < 60; i++) s += i * wide[2 * of[i] + 1];
  printf("%.0f\n", s);
  return 0;
}

/* Elements that lie where those of another array are. */
#include <stdio.h>
#define N 40
#define M 90
#pragma dvm template[N] distribute[block]
void *T;
#pragma dvm array distribute[block]
double cell[N];
#pragma dvm array distribute[derived(d, 20 + d with cell[@d])]
double two[2 * N];
#pragma dvm array distribute[block]
int mine[5];
#pragma dvm array distribute[block]
double edge[M];
int main(void) {
  int back[N][3];
  #pragma dvm parallel([i] on cell[i])
  for (int i = 0; i < N; i++) cell[i] = i;
  for (int i = 0; i < N; i++) for (int k = 0; k < 3; k++) back[i][k] = (7 * i + 13 * k) % M;
  #pragma dvm parallel([i] on edge[i])
  for (int i = 0; i < M; i++) edge[i] = i * i;
  #pragma dvm redistribute(edge[derived(back[i][0], back[i][1], back[i][2] with T[@i])])
  double s = 0;
  #pragma dvm parallel([i] on edge[i]) reduction(sum(s))
  for (int i = 0; i < M; i++) s += edge[i];
  printf("%g\n", s);
  #pragma dvm parallel([i] on two[i])
  for (int i = 0; i < 2 * N; i++) two[i] = i;
  s = 0;
  #pragma dvm parallel([i] on two[i]) reduction(sum(s))
  for (int i = 0; i < 2 * N; i++) s += two[i];
  printf("%g\n", s);
  #pragma dvm redistribute(edge[derived((i > 3 ? 2 * i : 2 * i) : 2 * i + 1 with cell[@i])])
  s = 0;
  #pragma dvm parallel([i] on edge[i]) reduction(sum(s)) remote_access(cell[])
  for (int i = 0; i < M; i++) s += edge[i] + cell[i % N];
  printf("%g\n", s);
  #pragma dvm parallel([i] on mine[i])
  for (int i = 0; i < 5; i++) mine[i] = 7 * i;
  {
  #pragma dvm array distribute[derived(mine[k] with mine[@k])]
    double local[N];
    #pragma dvm parallel([i] on local[i])
    for (int i = 0; i < N; i++) local[i] = 2 * i;
    for (int i = 0; i < N; i += 7) printf("%g ", local[i]);
    puts("");
  }
}

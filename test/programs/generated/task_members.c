/* Tasks touch different members of the same elements: each member is a datum of its own.  One of a member's bytes is enough. */
#include <stdio.h>
#define N 6

struct cell {
  float u;
  short v, w;
};
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[*][block]
struct cell C[3][N];

int main(void) {
#pragma dvm parallel([i][j] on C[i][j])
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < N; j++)
      C[i][j].u = C[i][j].v = C[i][j].w = 1;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i][j] on C[i][j])
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < N; j++)
          C[i][j].v = C[i][j].u * 2;
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([j] on C[][j])
      for (int j = 0; j < N; j++) {
        C[0][j].w = C[1][j].w + 1;
        C[0][j].w += C[1][j].v;
        //           ^ error dvm-task-dependence 'C[1][0].v'
        C[2][j].w = C[1][j].u;
      }
    }
  }
  printf("%d %d\n", C[1][2].v, C[0][2].w);
  return 0;
}

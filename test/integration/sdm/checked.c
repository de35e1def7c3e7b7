/* A checked program that has some of everything: what the run-time library knows of it is asked at the lines "stop .." . */
#include <stdio.h>
#include <stdlib.h>

enum { N = 12 };
#pragma dvm template[N][N] distribute[block][block]
void *T;
#pragma dvm array align([i][j] with T[i][j]) shadow[1:1][1:1]
double A[N][N];
#pragma dvm array align([i] with T[i][0]) shadow[1:2]
float B[N];
#pragma dvm array distribute[block], dynamic
int *C;

int stop(const char *where) { return where[0]; }

int main(void) {
  int i, j;
#pragma dvm shadow_group(edges : A)
  C = malloc(N * sizeof(*C));
  stop("stop first");
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      A[i][j] = i + j;
#pragma dvm parallel([i] on B[i])
  for (i = 0; i < N; i++) {
    B[i] = i;
    if (i == 3)
      stop("stop in the loop");
  }
#pragma dvm shadow_start(edges)
  stop("stop exchange under way");
#pragma dvm shadow_wait(edges)
  stop("stop renewed");
#pragma dvm parallel([i] on B[i]) shadow_renew(B[0:1])
  for (i = 1; i < N - 1; i++)
    if (B[i + 1] < 0)
      puts("no");
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 1; j < N; j++)
      A[i][j] = 1;
  stop("stop stale");
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 1; i < N; i++)
    for (j = 1; j < N; j++)
      if (A[i - 1][j - 1] < 0) /* the diagnostic */
        puts("no");
  stop("stop last");
  return 0;
}

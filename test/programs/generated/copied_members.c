/* A struct whose members are narrower than what its copies move: each member keeps what it has, or has not. */
#include <stdio.h>
#include <string.h>
#define N 6

struct pair {
  short u, v;
};
struct mixed {
  char c;
  float f;
  char d[3];
};
#pragma dvm array distribute[block]
struct pair A[N];
#pragma dvm array align([i] with A[i])
struct pair B[N];
#pragma dvm array align([i] with A[i])
struct mixed C[N];
#pragma dvm array align([i] with A[i])
struct mixed D[N];

int main(void) {
  struct pair here[N];
  int sum = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) {
    A[i].v = i;
    B[i] = A[i];
    sum += B[i].v;
    sum += B[i].u;
    //     ^ error dvm-uninitialized 'B[0].u'
  }
  memset(here, 0, sizeof here);
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) {
    memcpy(&B[i].u, &here[i].u, sizeof(short));
    A[i] = B[i];
    sum += A[i].u + A[i].v;
    C[i].f = 1;
    C[i].d[1] = 2;
    D[i] = C[i];
    sum += D[i].f > 0;
    sum += D[i].d[1];
    sum += D[i].d[0];
    //     ^ error dvm-uninitialized 'D[0].d[0]'
    sum += D[i].c;
    //     ^ error dvm-uninitialized 'D[0].c'
  }
  printf("%d\n", sum);
  return 0;
}

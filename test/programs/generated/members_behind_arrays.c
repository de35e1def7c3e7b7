/* A member of an element lies where an element of an array before it would, if that had some more; array_copy of structs of
 * which a member has no value. */
#include <stdio.h>
#define N 30

struct colour {
  unsigned char r, g, b;
};
struct cell {
  long n;
  double v[2];
};
/* P[10] and Q[13] would be where B[10].b and B[13].g are, if the arrays lie one behind the other. */
#pragma dvm array distribute[block]
double P[2];
#pragma dvm array distribute[block]
double Q[2];
#pragma dvm array distribute[block]
double R[2];
#pragma dvm array distribute[block]
double S[2];
#pragma dvm array distribute[block]
struct colour B[N];
#pragma dvm array align([i] with B[i])
struct colour A[N];
#pragma dvm array align([i] with A[i])
struct cell C[N];
#pragma dvm array distribute[block]
struct cell D[N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i] on P[i])
  for (int i = 0; i < 2; i++)
    P[i] = 1;
#pragma dvm parallel([i] on Q[i])
  for (int i = 0; i < 2; i++)
    Q[i] = 1;
#pragma dvm parallel([i] on R[i])
  for (int i = 0; i < 2; i++)
    R[i] = 1;
#pragma dvm parallel([i] on S[i])
  for (int i = 0; i < 2; i++)
    S[i] = 1;
  for (int x = 1; x < N; x++) {
    B[x].r = 1;
    B[x].g = 2;
    B[x].b = 3;
  }
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
    A[i].r = A[i].g = A[i].b = i;
    C[i].n = i;
  }
#pragma dvm array_copy(D = C)
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
  for (int i = 1; i < N; i++)
    sum += B[i].b + B[i].g + A[i].g;
#pragma dvm parallel([i] on D[i]) reduction(sum(sum))
  for (int i = 1; i < N; i++) {
    sum += D[i].n >= 0;
    sum += D[i].v[1] < 1;
    //     ^ error dvm-uninitialized 'D[1].v[1]'
  }
  printf("%d\n", sum);
  return 0;
}

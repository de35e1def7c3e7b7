/* Structs of which the first member has no value are copied under 'across': the others have dependences. */
#include <stdio.h>
#define N 8

struct pair {
  unsigned char u, v;
};
#pragma dvm array distribute[block] shadow[1:1]
struct pair B[N];

int main(void) {
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++)
    B[i].v = i;
#pragma dvm parallel([i] on B[i]) across(B[0:1])
  for (int i = 0; i < N - 1; i++)
    B[i] = B[i + 1];
#pragma dvm parallel([i] on B[i]) across(B[1:0])
  for (int i = 1; i < N - 1; i++)
    B[i] = B[i + 1];
    // expect 20:5 error dvm-across-distance 'B[2]'
  printf("%d\n", B[2].v);
  return 0;
}

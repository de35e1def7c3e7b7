/* The value that is kept goes through 'float' on its way back: what an iteration starts from must survive that. */
#include <stdio.h>
#define N 5
#pragma dvm array distribute[block]
float b[N];

int main(void) {
  int least = 1;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = 0;
#pragma dvm parallel([i] on b[i]) reduction(min(least))
  for (int i = 0; i < N; i++)
    least = least > b[i] ? b[i] : least;
  printf("%d\n", least);
  return 0;
}

/* The same as a compound assignment: its read comes first. */
// TWIN
#include <stdio.h>
#define N 10
#ifdef RIGHT
#define SUMMED reduction(sum(hits))
#else
#define SUMMED
#endif

#pragma dvm array distribute[block]
double x[N];
int hits;

int main(void) {
  int i;
#pragma dvm parallel([i] on x[i])
  for (i = 0; i < N; i++)
    x[i] = i * 0.25;
#pragma dvm parallel([i] on x[i]) SUMMED
  for (i = 0; i < N; i++)
    if (x[i] > 1)
      hits++;
//    ^ error dvm-readonly-write 'hits'
  printf("%d\n", hits);
  return 0;
}

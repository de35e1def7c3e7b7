/* Arrays and templates that several files declare have one directive. */
// TWIN
#include <stdio.h>
#include "sizes.h"

#pragma dvm template[N] distribute[block]
void *grid;
#pragma dvm array align([i] with grid[i]), shadow[2:1]
double a[N];
#pragma dvm array distribute[block][*]
double b[N][N];
#pragma dvm array distribute[block] dynamic
double *p;
#pragma dvm array distribute[block]
double same[N];
double fill(void);
#pragma dvm array distribute[*][block]
extern double never_used[N][N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on same[i])
  for (int i = 0; i < N; i++)
    same[i] = i;
  printf("%g\n", fill());
  return 0;
}

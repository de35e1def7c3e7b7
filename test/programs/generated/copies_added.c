/* Copies that a nest adds to and that have no value: it reads and writes them, which is told, and that some are not assigned is not. */
#include <stdio.h>

#pragma dvm array distribute[block][]
static int a[5][6];
#pragma dvm array align([u] with a[][u])
static float c[6];

int main(void)
{
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 4; i >= 0; i -= 2)
    for (int j = 5; j >= 0; j--)
      for (int y = i; y <= 4; y++)
        c[y] += 1;
//      ^ error dvm-uninitialized
//      ^ error dvm-readonly-write
  return 0;
}

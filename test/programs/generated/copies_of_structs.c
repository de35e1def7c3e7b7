/* Elements with copies that are structs: of the members that some copies were given alone those are private, others have no value. */
#include <stdio.h>

struct pair {
  long double u;
  long v;
  unsigned char w[2];
};
#pragma dvm array distribute[block][block]
static double a[5][4];
#pragma dvm array align([u] with a[u][])
static struct pair d[5];

int main(void)
{
  double sum = 0;
#pragma dvm parallel([i] on a[i][0])
  for (int i = 0; i < 5; i++)
    d[i].w[1] = 1;
//  ^ warning dvm-undeclared-private
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++)
      d[i].u = i;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++) {
      a[i][j] = d[i].v;
      //        ^ error dvm-uninitialized
      a[i][j] += d[i].w[1];
      //         ^ error dvm-private-uninitialized
      a[i][j] += d[i].u;
    }
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++)
      sum += a[i][j];
  printf("%d\n", sum > 0);
  return 0;
}
// stderr dvm-undeclared-private\] 5 times

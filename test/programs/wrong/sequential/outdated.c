/* What a block of remote_access has fetched is as it was when the block began: an element that the block assigns and reads again has the
 * new value on its owner alone.  Its owner's own statements, and output, read the new one. */
// TWIN
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
static int k[N];
#pragma dvm array align([i] with k[i])
static int m[N];

static void set(int i, int v)
{
  k[i] = v;
}

int main(void)
{
  int x = 0, y;
#pragma dvm parallel([i] on k[i])
  for (int i = 0; i < N; i++)
    k[i] = m[i] = i;
#pragma dvm remote_access(k[], m[])
  {
    x += k[7];
    k[7] = m[8] + 1;
    k[2] += x;
    x += k[8];
    k[7] = k[7] + m[7];
    printf("%d\n", k[7]);
#ifdef RIGHT
  }
#pragma dvm remote_access(k[], m[])
  {
#endif
    x += k[7];
    //   ^ error dvm-sequential-access 'k[7]'
    m[1] = k[2];
    //     ^ error dvm-sequential-access 'k[2]'
  }
  for (int pass = 0; pass < 2; pass++)
#pragma dvm remote_access(k[5])
    {
      y = k[5];
      k[5] = y + 1;
    }
#ifdef RIGHT
  set(3, y);
#endif
#pragma dvm remote_access(k[])
  {
#ifndef RIGHT
    set(3, y);
#endif
    x += k[3];
    //   ^ error dvm-sequential-access 'k[3]'
    // help end the block of 'remote_access' behind the assignment, and begin another one
  }
  printf("%d %d %d\n", x, y, m[1]);
  return 0;
}

/* A block of remote_access has copies for what its own text reads: a function that it calls needs its own. */
// TWIN
#include <stdio.h>
#define N 12
#pragma dvm array distribute[block]
static int k[N];

static void show(void)
{
#ifdef RIGHT
#pragma dvm remote_access(k[])
#endif
  for (int i = 0; i < N; i++)
    if (k[i] % 3)
      //^ error dvm-remote-uncovered 'k[0]'
      // note the copies of this block are for the references in its own text, not for those in functions that it calls
      // help put the statement under '#pragma dvm remote_access\(k\[i\]\)'
      putchar('.');
    else
      putchar('#');
  putchar('\n');
}

int main(void)
{
#pragma dvm parallel([i] on k[i])
  for (int i = 0; i < N; i++)
    k[i] = i;
#pragma dvm remote_access(k[])
  {
    show();
  }
  return 0;
}

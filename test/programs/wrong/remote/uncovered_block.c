/* The block reads another element than the one that it has asked for. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define ASKED 4
#else
#define ASKED 3
#endif

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  int x = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * i;
#pragma dvm remote_access(a[ASKED])
  {
    x += a[4];
    //   ^ error dvm-remote-uncovered 'a[4]'
  }
  printf("%d\n", x);
  return 0;
}

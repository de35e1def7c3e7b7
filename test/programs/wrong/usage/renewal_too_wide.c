/* A renewal wider than the edge, with widths known only at run time. */
// TWIN
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block] shadow[1:1]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(int argc, char **argv) {
  int width = argc;
  (void)argv;
#ifndef RIGHT
  width++;
#endif
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i]) shadow_renew(a[width:1])
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-usage 'a'
  for (int i = 1; i < N; i++)
    b[i] = a[i - 1];
  printf("%d\n", b[3]);
  return 0;
}

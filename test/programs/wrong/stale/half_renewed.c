/* The edges are two wide and the clause renews one: the outer element of the edge is stale. */
// TWIN
#include <stdio.h>
#define N 16
#ifdef RIGHT
#define LOW 2
#else
#define LOW 1
#endif

#pragma dvm array distribute[block] shadow[2:2]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
  int i;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++) {
    a[i] = i * i;
    b[i] = 0;
  }
#pragma dvm parallel([i] on b[i]) shadow_renew(a[LOW:2])
  for (i = N - 3; i >= 2; i--)
    b[i] = a[i + 2] - a[i - 1] + 7 * a[i - 2];
    //                               ^ error dvm-shadow-stale 'a[11]'
    // stderr smallest clause: .*shadow_renew\(a\[2:
  for (i = 0; i < N; i++)
    printf("%d%c", b[i], i + 1 < N ? ' ' : '\n');
  return 0;
}

/* The partial value of one reduction goes into another: at once, through a local variable, through a private one. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define SOME(s) 2
#else
#define SOME(s) s
#endif

#pragma dvm array distribute[block]
int a[N];

int main(void) {
  long total = 0;
  int most = 0, u;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * 5 % 8;
#pragma dvm parallel([i] on a[i]) reduction(max(most), sum(total))
  for (int i = 0; i < N; i++) {
    most = a[i] > most ? a[i] : most;
    total += SOME(most);
    //            ^ error dvm-reduction-escape
  }
#pragma dvm parallel([i] on a[i]) reduction(max(most), sum(total))
  for (int i = 0; i < N; i++) {
    most = a[i] > most ? a[i] : most;
    long next = total + SOME(most);
    //                       ^ error dvm-reduction-escape
    total = next;
  }
#pragma dvm parallel([i] on a[i]) reduction(max(most), sum(total)) private(u)
  for (int i = 0; i < N; i++) {
    most = a[i] > most ? a[i] : most;
    u = SOME(most);
    //       ^ error dvm-reduction-escape
    total += u;
  }
  long least = 100;
#pragma dvm parallel([i] on a[i]) reduction(max(most), min(least))
  for (int i = 0; i < N; i++) {
    least = SOME(most) < least ? SOME(most) : least;
    //           ^ error dvm-reduction-escape
    most = a[i] > most ? a[i] : most;
  }
  least = -5;
#pragma dvm parallel([i] on a[i]) reduction(max(most), min(least))
  for (int i = 0; i < N; i++) {
    if (SOME(most) < least)
    //       ^ error dvm-reduction-escape
      least = SOME(most);
    if (a[i] > most)
      most = a[i];
  }
  printf("%d\n", most);
  return 0;
}

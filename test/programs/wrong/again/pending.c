/* Variables whose reduction is under way, used in each iteration of each sweep, also under conditions and beside the reduction of
 * another variable; a loop that has nothing to do with them is right.  The counts are those of each access judged anew. */
#include <stdio.h>
#define N 60

#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
double factor[4];

static void apart(void) {
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = factor[i % 4] + i;
}

int main(void) {
  double s = 0, eps = 0, total = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i % 9;
  for (int k = 0; k < 4; k++)
    factor[k] = k;
  for (int sweep = 0; sweep < 6; sweep++) {
    s = 0;
  //^ error dvm-reduction-pending 's'
#pragma dvm parallel([i] on a[i]) reduction(g: sum(s), max(eps))
  //        ^ error dvm-reduction-protocol
  //        ^ error dvm-reduction-protocol
    for (int i = 0; i < N - sweep / 3; i++) {
      s += a[i];
    //^ error dvm-reduction-pending 's'
      if (a[i] > eps)
      //         ^ error dvm-reduction-pending 'eps'
        eps = a[i];
    }
    apart();
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i - 1] * s;
    //                  ^ error dvm-reduction-pending 's'
#pragma dvm parallel([i] on b[i])
    for (int i = 0; i < N; i++)
      if (a[i] > sweep)
        b[i] += eps;
    //          ^ error dvm-reduction-pending 'eps'
    total += s;
    //       ^ error dvm-reduction-pending 's'
  }
#pragma dvm parallel([i] on b[i]) reduction(sum(total))
  for (int i = 0; i < N; i++)
    total += b[i];
  printf("%g\n", total);
  return 0;
}

/* Updates by the macros of GNU C, whose value is that of a '({ .. })', and by local variables inside of it. */
#include <stdio.h>
#define N 16
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#pragma dvm array distribute[block]
static double A[N];
struct found {
  double most, sum;
};

int main(void)
{
  double most = 0, sum = 0;
  float least = 9;
  struct found found = {0, 0};
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i * 7 % 5;
#pragma dvm parallel([i] on A[i]) reduction(max(most), sum(sum), min(least), max(found.most), sum(found.sum))
  for (int i = 0; i < N; i++) {
    most = MAX(most, A[i]);
    sum = ({ double now = sum; now + A[i]; });
    least = ({ float now = least; if (now > A[i]) now = (float)A[i]; now; });
    found.most = MAX(A[i], found.most);
    found.sum = ({ double now = found.sum; now + A[i]; });
  }
  printf("%g %g %g %g %g\n", most, sum, (double)least, found.most, found.sum);
  return 0;
}

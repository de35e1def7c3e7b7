/* The report of a wrong operation says where the variable is updated and which operation that is. */
// TWIN
#include <math.h>
#include <stdio.h>
#define N 8

#ifdef RIGHT
#define OP1 max
#define OP2 and
#define OP3 minloc
#else
#define OP1 sum
#define OP2 or
#define OP3 maxloc
#endif
#pragma dvm array distribute[block]
double a[N];

int main(void)
{
  double eps = 0, least = 100;
  int same = 1, at = -1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 5 + 1;
#pragma dvm parallel([i] on a[i]) reduction(OP1(eps))
//          ^~~ error dvm-reduction-mismatch 'eps'
  for (int i = 0; i < N; i++)
    eps = fmax(eps, fabs(a[i]));
// stderr :29:5: note: 'eps' is updated here
// stderr help: write 'max\(eps\)' in the 'reduction' of the directive at helps\.c:26
#pragma dvm parallel([i] on a[i]) reduction(OP2(same))
//          ^~~ error dvm-reduction-mismatch 'same'
  for (int i = 0; i < N; i++)
    same = same && a[i] < 3;
// stderr help: write 'and\(same\)' in
#pragma dvm parallel([i] on a[i]) reduction(OP3(least, at))
//          ^~~ error dvm-reduction-mismatch 'least'
  for (int i = 0; i < N; i++)
    if (a[i] < least) {
      least = a[i];
      at = i;
    }
// stderr help: write 'minloc' in place of 'maxloc' in the directive at
  printf("%g %d %g %d\n", eps, same, least, at);
  return 0;
}

/* Elements of array reductions whose subscripts depend on the data: the nest is proved without them, and each subscript is asked for. */
#include <stdio.h>
#define N 40
#pragma dvm array distribute[block]
static int A[N];
static int count[8], pairs[2][3];

int main(void) {
  double sums[4] = {0};
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i % 8;
#pragma dvm parallel([i] on A[i]) reduction(sum(count), sum(sums)) /* right */
  for (int i = 0; i < N; i++) {
    count[A[i]]++;
    sums[A[i] & 3] += A[i];
  }
#pragma dvm parallel([i] on A[i]) reduction(sum(count), sum(sums), sum(pairs))
  for (int i = 0; i < N; i++) {
    if (i < 5) {
      count[A[i] - 1]++;
  //  ^ error dvm-out-of-bounds 'count[-1]'
      pairs[A[i] & 1][A[i]] += 2;
  //  ^ error dvm-out-of-bounds 'pairs[1][3]'
    }
    sums[A[i] >> 1] += i < 9 ? 1 : 0;
  }
  printf("%d %g\n", count[3], sums[1]);
  return 0;
}

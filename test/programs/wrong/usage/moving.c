/* Subscripts of on and remote_access that leave the array in some iteration, whether it is judged at the entry or followed. */
// TWIN
#include <stdio.h>
#define N 12
#ifdef RIGHT
#define FROM 1
#define TO (N - 1)
#else
#define FROM 0
#define TO N
#endif

#pragma dvm array distribute[block]
double a[N], wide[2 * N];
#pragma dvm array align([i] with wide[2 * i])
double b[N];
#pragma dvm array distribute[block][]
double m[N][N];
double seen[N];

static void fill(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on wide[2 * i])
  for (int i = 0; i < N; i++)
    b[i] = i;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i + j;
}

int main(void) {
  int shift = 1, sum = 0;
  fill();
#pragma dvm parallel([i] on a[i + 1]) reduction(sum(sum))
//          ^ error dvm-usage 'a'
  for (int i = 0; i < TO; i++)
    sum += i;
  for (int turn = 0; turn < 3; turn++) {
#pragma dvm parallel([i] on wide[2 * i + shift]) reduction(sum(sum))
//          ^ error dvm-usage 'wide'
    for (int i = TO - 1; i >= FROM; i--)
      sum += i > shift;
    shift += N % 2 + FROM == 0;
  }
#pragma dvm parallel([i][j] on m[i][N - j]) reduction(sum(sum))
//          ^ error dvm-usage 'm'
  for (int i = 0; i < N - FROM; i++)
    for (int j = FROM; j < i + FROM + 1; j++)
      sum += j;
#pragma dvm parallel([i] on b[i]) remote_access(a[i - shift])
//          ^ error dvm-usage 'a'
  for (int i = FROM + shift - 1; i < N; i++)
    b[i] = i >= shift ? a[i - shift] : 0;
  printf("%d\n", sum);
  return 0;
}

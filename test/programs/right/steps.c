/* Steps of two and three, negative steps, bounds with <= and >, indices of other types, empty loops, one iteration. */
#include <stdio.h>
#define N 21

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
  long l;
  unsigned char c;
  int from = 4, to = 3, sum = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = N - 1; i > -1; --i) {
    a[i] = i;
    b[i] = 0;
  }
#pragma dvm parallel([l] on b[l]) shadow_renew(a)
  for (l = 1; l <= N - 2; l += 2)
    b[l] = a[l - 1] + a[l + 1];
#pragma dvm parallel([c] on b[c])
  for (c = 0; c < N; c += 3)
    b[c] += 100;
#pragma dvm parallel([k] on b[k])
  for (short k = N - 1; k >= 2; k -= 4)
    b[k] -= 1000;
#pragma dvm parallel([i] on b[i])
  for (int i = from; i <= to; i++)
    b[i] = -1;
#pragma dvm parallel([i] on b[i])
  for (int i = from; i < from + 1; i = i + 1)
    b[i] = -2;
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 0; N > i; i++)
    sum += b[i];
  for (int i = 0; i < N; i++)
    printf("%d ", b[i]);
  printf("%d\n", sum);
  return 0;
}

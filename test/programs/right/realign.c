/* Alignment changed while the program runs; with new_value the array is filled again before it is read. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block]
int base[N + 4];
#pragma dvm array align([i] with base[i]) dynamic shadow[1:1]
int moving[N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i] on base[i])
  for (int i = 0; i < N + 4; i++)
    base[i] = i;
#pragma dvm parallel([i] on moving[i])
  for (int i = 0; i < N; i++)
    moving[i] = 2 * base[i];
#pragma dvm realign(moving[i] with base[i + 3])
#pragma dvm parallel([i] on moving[i])
  for (int i = 0; i < N; i++)
    moving[i] += base[i + 3];
#pragma dvm realign(moving[i] with base[i + 1]) new_value
#pragma dvm parallel([i] on base[i])
  for (int i = 1; i <= N; i++)
    moving[i - 1] = base[i];
#pragma dvm parallel([i] on moving[i]) shadow_renew(moving) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    sum += moving[i - 1] * moving[i + 1];
  printf("%d\n", sum);
  return 0;
}

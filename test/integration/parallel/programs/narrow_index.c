#include <stdio.h>
#include <stddef.h>
enum { N = 1000 };
#pragma dvm array distribute[block]
static int A[N];
#pragma dvm array align([u] with A[u + 2])
static int D[N - 2];
int main(void) {
  long sum = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) A[i] = 1;
#pragma dvm parallel([i] on D[i])
  for (size_t i = 1; i <= 3; i++) D[i] = 5;
#pragma dvm parallel([i] on A[i])
  for (unsigned char i = 0; i < 200; i++) A[i] += 10;
#pragma dvm parallel([i] on A[i])
  for (unsigned char i = 200; i > 3; i--) A[i] += 100;
#pragma dvm parallel([i] on A[i + 990])
  for (signed char i = 9; i >= 0; i -= 2) A[i + 990] += 7;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) sum = sum + A[i] * (long)(i % 17);
  printf("%ld\n", sum);
  return 0;
}

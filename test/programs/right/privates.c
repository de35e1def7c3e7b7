/* Private scalars, arrays, structures; assigned on all paths, by callees, by address; declared inside or outside. */
#include <stdio.h>
#include <string.h>
#define N 10

typedef struct {
  int low, high;
  double part[3];
} work;

#pragma dvm array distribute[block]
double x[N];

static void split(int n, int *low, int *high) {
  *low = n / 2;
  *high = n - *low;
}

int main(void) {
  int i, k, low, high;
  double buffer[4], *p;
  work w;
  char text[16];
#pragma dvm parallel([i] on x[i]) private(k, low, high, buffer, w) private(p, text)
  for (i = 0; i < N; i++) {
    split(i, &low, &high);
    memset(buffer, 0, sizeof buffer);
    for (k = 0; k < 3; k++)
      w.part[k] = k * i;
    w.low = low;
    w.high = high;
    p = i % 2 ? &buffer[3] : &buffer[0];
    *p = w.part[2];
    sprintf(text, "%d", w.low * 10 + w.high);
    x[i] = buffer[0] + buffer[3] + strlen(text) + text[0];
  }
  k = 0;
  for (i = 0; i < N; i++)
    printf("%g ", x[i]);
  printf("%d\n", k);
  return 0;
}

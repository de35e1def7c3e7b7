/* C89: declarations first, outer index variables, comments of this form, silent under -pedantic -Weverything. */
/* FLAGS -std=c89 -pedantic-errors */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block] shadow[1:1]
static float a[N];
#pragma dvm array align([i] with a[i])
static float b[N];

static float half(float x) {
  return x / 2;
}

int main(void) {
  int i;
  float s;
  double t;
  s = 0;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++)
    a[i] = (float)(i * i);
#pragma dvm region in(a) out(b)
  {
#pragma dvm parallel([i] on b[i]) shadow_renew(a) private(t)
    for (i = 1; i < N - 1; i++) {
      t = a[i - 1] + a[i + 1];
      b[i] = half((float)t);
    }
#pragma dvm parallel([i] on b[i]) reduction(sum(s))
    for (i = 1; i < N - 1; i++)
      s = s + b[i];
  }
#pragma dvm get_actual(s)
  printf("%f\n", (double)s);
  return 0;
}

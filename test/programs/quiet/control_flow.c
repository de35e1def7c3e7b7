/* Values that arrive by ways a simple analysis loses: switch, goto, short circuits, conditions that always agree. */
#include <stdio.h>
#define N 10

#pragma dvm array distribute[block]
int a[N];

static int classify(int k) {
  int r;
  switch (k % 4) {
  case 0:
    r = 10;
    break;
  case 1:
  case 2:
    r = 20;
    if (k > 5)
      goto done;
    r += 1;
    break;
  default:
    r = 30;
  }
done:
  return r;
}

int main(void) {
  int i, t, u, kind, sum = 0;
#pragma dvm parallel([i] on a[i]) private(t, u, kind)
  for (i = 0; i < N; i++) {
    kind = i % 3;
    if (kind == 1)
      t = classify(i);
    if ((u = i) > 4 && (u += 1) > 0)
      u *= 2;
    a[i] = u;
    if (kind == 1)
      a[i] += t;
    do {
      t = a[i];
      if (t & 1)
        continue;
      a[i] = t / 2;
    } while (a[i] && a[i] % 2 == 0);
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (i = 0; i < N; i++)
    sum += a[i];
  printf("%d\n", sum);
  return 0;
}

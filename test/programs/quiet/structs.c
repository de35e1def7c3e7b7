/* Structure copies carry what is assigned and what is not: padding and unused members have no value, nobody reads them. */
#include <stdio.h>
#define N 6

typedef struct {
  char tag;
  double value;
  int unused[10];
  short last;
} record;

static record make(int k) {
  record r;
  r.tag = 'a' + k;
  r.value = k * 1.5;
  r.last = k;
  return r;
}

static double use(record r) {
  return r.value + r.last;
}

#pragma dvm array distribute[block]
record a[N];

int main(void) {
  record all[N], copy[N], one, *p = &one;
  double sum = 0;
  struct { record inner[2]; } outer, twin;
  for (int i = 0; i < N; i++)
    all[i] = make(i);
  for (int i = 0; i < N; i++)
    copy[i] = all[N - 1 - i];
  *p = copy[2];
  outer.inner[1] = one;
  twin = outer;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    record r = copy[i];
    r.value += 1;
    a[i] = r;
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += use(a[i]) + a[i].tag;
  printf("%g %g %c\n", sum, twin.inner[1].value, p->tag);
  return 0;
}

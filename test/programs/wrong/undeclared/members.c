/* A member, or a bit-field, that each iteration assigns: 'private' takes the whole struct, which is a repair only where nobody needs the
 * values of the other members. */
// TWIN
#include <stdio.h>
#define N 8

struct state {
  int scale;
  unsigned low : 3, high : 5;
  double value;
};

#pragma dvm array distribute[block]
int a[N];

static struct state alone, shared, later, both;

int main(void) {
  struct state local = {2, 0, 0, 0};
  shared.scale = later.scale = both.scale = 3;
#ifdef RIGHT
  unsigned low, high;
  double value;
#pragma dvm parallel([i] on a[i]) private(alone)
#else
#pragma dvm parallel([i] on a[i])
  // help add 'private\(alone\)' to the directive
#endif
  for (int i = 0; i < N; i++) {
    alone.low = i;
    // expect -1:5 warning dvm-undeclared-private 'alone.low'
    a[i] = alone.low;
  }
#ifdef RIGHT
#pragma dvm parallel([i] on a[i]) private(high)
  for (int i = 0; i < N; i++) {
    high = i;
    a[i] += high * shared.scale;
  }
#pragma dvm parallel([i] on a[i]) private(value)
  for (int i = 0; i < N; i++) {
    value = i;
    a[i] += value;
  }
#pragma dvm parallel([i] on a[i]) private(low)
  for (int i = 0; i < N; i++) {
    low = i;
    a[i] += low + local.scale;
  }
#pragma dvm parallel([i] on a[i]) private(both)
#else
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    shared.high = i;
    // expect -1:5 warning dvm-undeclared-private 'shared.high'
    // help no directive repairs it: 'private\(shared\)' would take the value of 'shared.scale' too, which is needed at members.c
    a[i] += shared.high * shared.scale;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    later.value = i;
    // expect -1:5 warning dvm-undeclared-private 'later.value'
    // help no directive repairs it: 'private\(later\)' would take the value of 'later.scale' too
    a[i] += later.value;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    local.low = i;
    // expect -1:5 warning dvm-undeclared-private 'local.low'
    // help no directive repairs it: 'private\(local\)' would take the value of 'local.scale' too
    a[i] += local.low + local.scale;
  }
#pragma dvm parallel([i] on a[i])
#endif
  for (int i = 0; i < N; i++) {
    both.scale = i;
    // expect -1:5 warning dvm-undeclared-private 'both.scale'
    both.high = i;
    // expect -1:5 warning dvm-undeclared-private 'both.high'
    a[i] += both.scale + both.high;
  }
  both.scale = 1;
  printf("%d %d\n", later.scale, both.scale);
  for (int i = 0; i < N; i++)
    printf("%d\n", a[i]);
  return 0;
}

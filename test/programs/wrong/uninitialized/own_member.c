/* A struct of the loop's body is the iteration's own, also while members of it have no value. */
// TWIN
#include <stdio.h>
#define N 6

struct row {
  int n, last;
};
#pragma dvm array distribute[block]
struct row rows[N];
static const int offset[] = {-2, -1, 0, 1};

int main(void) {
  int sum = 0;
#pragma dvm parallel([i] on rows[i])
  for (int i = 0; i < N; i++) {
    struct row t;
#ifdef RIGHT
    t.n = 0;
#endif
    t.last = 0;
    for (int k = 0; k < 4; k++) {
      if (i + offset[k] < 0 || i + offset[k] >= N)
        continue;
      t.last = t.last * 3 + k;
      t.n++;
// expect 26:7 error dvm-uninitialized 't.n'
    }
    rows[i] = t;
  }
#pragma dvm parallel([i] on rows[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += rows[i].last;
  printf("%d\n", sum);
  return 0;
}

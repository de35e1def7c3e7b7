/* A flag that the loop tests and sets. */
// TWIN
#include <stdio.h>
#include <stdbool.h>
#define N 10

#pragma dvm array distribute[block]
int x[N];
static bool found = false;

int main(void) {
  int i;
#pragma dvm parallel([i] on x[i])
  for (i = 0; i < N; i++)
    x[i] = i * i;
#ifdef RIGHT
#pragma dvm parallel([i] on x[i]) reduction(or(found))
  for (i = 0; i < N; i++)
    found |= x[i] == 49;
#else
#pragma dvm parallel([i] on x[i])
  for (i = 0; i < N; i++)
    if (!found && x[i] == 49)
      found = true;
//    ^ error dvm-readonly-write 'found'
#endif
  puts(found ? "found" : "absent");
  return 0;
}

/* An update of what has lost its value is two mistakes: it reads nothing, and no clause says who may write it. */
// OUTPUT any
#include <stdio.h>
#define N 5

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array distribute[*]
int whole[N];
static int s;

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    s = i;
//  ^ warning dvm-undeclared-private 's'
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    s += 1;
  // expect -1:5 error dvm-private-uninitialized 's'
  // expect -2:5 error dvm-readonly-write 's'
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    whole[i] += 1;
  // expect -1:5 error dvm-uninitialized 'whole[0]'
  // expect -2:5 error dvm-readonly-write 'whole[0]'
  puts("end");
  return 0;
}

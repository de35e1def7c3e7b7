/* What has no value depends on nothing: the element two above is read before anybody has assigned it. */
// OUTPUT any
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
#pragma dvm parallel([i] on a[i]) across(a[0:1])
  for (int i = 2; i < N - 2; i++) {
    b[i] = a[i + 2];
    //     ^ error dvm-uninitialized 'a'
    // expect -2:12 error dvm-nonlocal-access 'a'
    a[i] = 1;
  }
  puts("end");
  return 0;
}

/* across brings the widths that it names, not the whole edge. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define HIGH 1
#else
#define HIGH 0
#endif

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i]) across(a[1:HIGH])
  for (int i = 1; i < N - 1; i++)
    b[i] = a[i - 1] * a[i + 1];
    //                ^ error dvm-shadow-stale 'a[2]'
  printf("%d\n", b[2]);
  return 0;
}

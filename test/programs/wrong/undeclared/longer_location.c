/* The clause keeps one element of the location, the loop assigns two. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define LENGTH 2
#else
#define LENGTH 1
#endif

#pragma dvm array distribute[block]
int a[N];
static int at[2];

int main(void) {
  int greatest = -1, place[2] = {0, 0};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(maxloc(greatest, at, LENGTH))
  for (int i = 0; i < N; i++)
    if (a[i] > greatest) {
      greatest = a[i];
      at[0] = i;
      at[1] = -i;
      // expect -1:7 warning dvm-undeclared-private 'at[1]'
    }
  printf("%d %d\n", at[0], at[1]);
  //                       ^ error dvm-private-uninitialized 'at[1]'
  greatest = -1;
#pragma dvm parallel([i] on a[i]) reduction(maxloc(greatest, place, LENGTH))
  for (int i = 0; i < N; i++)
    if (a[i] > greatest) {
      greatest = a[i];
      place[0] = i;
      place[1] = -i;
      // expect -1:7 warning dvm-undeclared-private 'place[1]'
    }
  printf("%d %d\n", place[0], place[1]);
  //                          ^ error dvm-private-uninitialized 'place[1]'
  return 0;
}

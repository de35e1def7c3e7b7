/* Elements that get their value between the sweeps, in ways of all kinds: each sweep reads as many without one as there are left.  The
 * counts are those of each access judged anew. */
#include <stdio.h>
#include <string.h>
#define N 80

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double late[N];
#pragma dvm array align([i] with a[i])
double other[N];

static void sweep(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = a[i] + 0 * late[i];
  //                  ^ error dvm-uninitialized 'late[0]'
}

static void read_again(void) {
  sweep();
  sweep();
  sweep();
}

static void give(double *to, int n) {
  for (int i = 0; i < n; i++)
    to[i] = i;
}

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = other[i] = i;
  read_again();
  late[3] = 1;
  read_again();
  memset(&late[8], 0, 4 * sizeof(late[0]));
  read_again();
#pragma dvm parallel([i] on late[i])
  for (int i = 0; i < N; i++)
    if (i % 9 == 0)
      late[i] = i;
  read_again();
  give(&late[30], 11);
  read_again();
  memcpy(&late[60], &other[60], 5 * sizeof(late[0]));
  read_again();
#pragma dvm parallel([i] on late[i])
  for (int i = 50; i < 55; i++)
    late[i] = i;
  read_again();
  if (sscanf("2.5", "%lf", &late[70]) == 1)
    read_again();
  printf("done\n");
  return 0;
}

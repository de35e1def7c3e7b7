/* The section names one element, by a variable that the statement itself moves on: the copy holds the first one alone. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array distribute[*][block]
int m[N][N];
#pragma dvm array distribute[block]
int b[N];
static int at;

static void forward(void) {
  at++;
}

int main(void) {
  int i = 0, k = 2, x = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i * i;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i - j;
#ifdef RIGHT
#pragma dvm remote_access(a[], m[][k])
#else
#pragma dvm remote_access(a[i], m[i][k])
#endif
  for (i = 0; i < N; i++) {
    x += a[i];
    //   ^ error dvm-remote-uncovered 'a[1]'
    // help name 'a\[\]' in the 'remote_access' of the directive
    x += m[i][k];
    //   ^ error dvm-remote-uncovered 'm[1][2]'
    // help name 'm\[\]\[k\]' in the 'remote_access' of the directive
  }
#ifdef RIGHT
#pragma dvm remote_access(a[])
#else
#pragma dvm remote_access(a[at])
#endif
  {
    x += a[at]; /* still the one that was asked for */
    forward();
    x += a[at];
    //   ^ error dvm-remote-uncovered 'a[1]'
  }
#ifdef RIGHT
#pragma dvm parallel([i] on b[i]) private(k) remote_access(a[])
#else
#pragma dvm parallel([i] on b[i]) private(k) remote_access(a[k])
#endif
  for (int i = 0; i < N; i++) {
    k = N - 1 - i;
    b[i] = a[k];
    //     ^ error dvm-remote-uncovered 'a[5]'
  }
  k = 3;
#pragma dvm remote_access(a[k])
  {
    x += a[k];
    k++;
  }
  i = 0;
#ifdef RIGHT
#pragma dvm remote_access(a[])
#endif
  while (a[i] < 7)
    //   ^ error dvm-sequential-access 'a[0]'
    // help put the statement under '#pragma dvm remote_access\(a\[\]\)'
    i++;
  printf("%d %d\n", x, i);
  return 0;
}

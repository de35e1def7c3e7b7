/* Sections of remote_access and targets of on that name a place outside of the array. */
// TWIN
#include <stdio.h>
#define N 6
#ifdef RIGHT
#define BACK 1
#else
#define BACK 0
#endif

#pragma dvm array distribute[block][block]
double a[N][N];
#pragma dvm array align([i] with a[i][0])
double b[N];

int main(void) {
  int k = N - BACK;
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma dvm parallel([i] on b[i]) remote_access(a[k][])
//          ^ error dvm-usage 'a'
  for (int i = 0; i < N; i++)
    b[i] = i < N ? i : a[k][i];
#pragma dvm parallel([i] on a[i][k])
//          ^ error dvm-usage 'a'
  for (int i = 0; i < N; i++)
    ;
#pragma dvm remote_access(a[BACK - 1][0])
//          ^ error dvm-usage 'a'
  {
    s = BACK ? a[BACK - 1][0] : 0;
  }
  printf("%g\n", s);
  return 0;
}

/* The section is an expression of variables: another expression, and the same one with other values, are not covered by it. */
// TWIN
#include <stdio.h>
enum { N = 12 };

#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];

#ifdef RIGHT
#define REMOTE remote_access(a[])
#else
#define REMOTE remote_access(a[i - w])
#endif

int main(int argc, char **argv) {
  int w = argc + 2, v = w, x = argc;
  (void)argv;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i]) REMOTE
  for (int i = 4; i < N; i++)
    b[i] = a[i - w] + a[i - v];
  //                  ^ error dvm-remote-uncovered 'a[1]'
#pragma dvm parallel([i] on b[i]) REMOTE
  for (int i = 4; i < N; i++)
    b[i] = a[i - w - x];
  //       ^ error dvm-remote-uncovered 'a[0]'
#pragma dvm parallel([i] on b[i]) REMOTE
  for (int i = 4; i < N; i++) {
    int w = 4;
    b[i] = a[i - w];
    //     ^ error dvm-remote-uncovered 'a[0]'
  }
#ifdef RIGHT
#pragma dvm parallel([i] on b[i]) private(w) remote_access(a[])
#else
#pragma dvm parallel([i] on b[i]) private(w) remote_access(a[i - w])
#endif
  for (int i = 4; i < N; i++) {
    w = i % 2 + 3;
    b[i] = a[i - w];
    //     ^ error dvm-remote-uncovered 'a[1]'
  }
#ifdef RIGHT
#pragma dvm parallel([i] on b[i]) private(x) remote_access(a[])
#else
#pragma dvm parallel([i] on b[i]) private(x) remote_access(a[(i * x) % N])
#endif
  for (int i = 0; i < N; i++) {
    x = 5;
    b[i] = a[(i * x) % N];
    //     ^ error dvm-remote-uncovered 'a[5]'
  }
  printf("%d %d\n", v, b[5]);
  return 0;
}

/* remote_access names any expression; the reference is the same one, perhaps written in another order, with the same values. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 12, K = 3 };
#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];
#pragma dvm array distribute[block][block]
int m[N][N];
static int W = 2;
int main(int argc, char **argv) {
  int w = argc + 1, s = argc, t = 2;
  (void)argv;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i * j;
#pragma dvm parallel([i] on b[i]) remote_access(a[i - w])
  for (int i = w; i < N; i++)
    b[i] = a[i - w];
#pragma dvm parallel([i] on b[i]) remote_access(a[i + w - s])
  for (int i = 0; i < N - w; i++)
    b[i] = a[i + w - s];
#pragma dvm parallel([i] on b[i]) remote_access(a[w * i + s])
  for (int i = 0; i < 4; i++)
    b[i] = a[w * i + s];
#pragma dvm parallel([i] on b[i]) remote_access(a[(i * w + s) % N])
  for (int i = 0; i < N; i++)
    b[i] = a[(i * w + s) % N];
#pragma dvm parallel([i] on b[i]) remote_access(a[N - 1 - i])
  for (int i = 0; i < N; i++)
    b[i] = a[N - 1 - i];
#pragma dvm parallel([i] on b[i]) remote_access(a[W + i - 2 * t])
  for (int i = 2; i < N; i++)
    b[i] = a[W + i - 2 * t];
#pragma dvm parallel([i] on b[i]) remote_access(a[abs(i - w)])
  for (int i = 0; i < N; i++)
    b[i] = a[abs(i - w)];
#pragma dvm parallel([i] on b[i]) remote_access(m[i - w][w + 1], m[][N - i - 1])
  for (int i = w; i < N; i++)
    b[i] = m[i - w][w + 1] + m[t][N - i - 1];
#pragma dvm parallel([i] on b[i]) remote_access(a[(N + i - w) % N])
  for (int i = 0; i < N; i++) {
    int r = a[(N + i - w) % N];
    b[i] = r;
  }
  for (int k = 0; k < 3; k++) {
#pragma dvm parallel([i] on b[i]) remote_access(a[i + k * w])
    for (int i = 0; i < N - 6; i++)
      b[i] = a[i + k * w];
  }
  printf("%d\n", s);
  return 0;
}

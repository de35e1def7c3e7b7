/* An iteration between two points that have an element: a block of two points has one of them, what is farther off than the edge is
 * not there, nor what every third point has, nor anything where the program gives the sizes of blocks. */
// TWIN
#include <stdio.h>
enum { N = 9, F = 2 * N - 1, T = 3 * N - 2 };
static int sizes[2] = {F - 1, 1};

#pragma dvm array distribute[block]
double u[F];
#pragma dvm array align([i] with u[2 * i]) shadow[1:1]
double e[N];
#pragma dvm array distribute[genblock(sizes)]
double v[F];
#pragma dvm array align([i] with v[2 * i]) shadow[1:1]
double g[N];
#pragma dvm array distribute[block]
double w[T];
#pragma dvm array align([i] with w[3 * i]) shadow[1:1]
double h[N];
#ifdef RIGHT
#define RENEW(a) shadow_renew(a)
#else
#define RENEW(a)
#endif

int main(void) {
#pragma dvm parallel([i] on e[i])
  for (int i = 0; i < N; i++)
    e[i] = i * i;
#pragma dvm parallel([i] on g[i])
  for (int i = 0; i < N; i++)
    g[i] = i * i;
#pragma dvm parallel([i] on h[i])
  for (int i = 0; i < N; i++)
    h[i] = i * i;
#pragma dvm parallel([i] on u[2 * i + 1]) RENEW(e)
  for (int i = 0; i < N - 1; i++)
    u[2 * i + 1] = e[i] + e[i + 1];
  //               ^ error dvm-shadow-stale 'e[0]'
#ifdef RIGHT
#pragma dvm parallel([i] on u[2 * i + 1]) shadow_renew(e) remote_access(e[i + 2])
#else
#pragma dvm parallel([i] on u[2 * i + 1]) shadow_renew(e)
#endif
  for (int i = 0; i < N - 2; i++)
    u[2 * i + 1] = e[i] + e[i + 2];
  //                      ^ error dvm-nonlocal-access 'e[2]'
#ifdef RIGHT
#pragma dvm parallel([i] on v[2 * i + 1]) remote_access(g[i], g[i + 1])
#else
#pragma dvm parallel([i] on v[2 * i + 1]) shadow_renew(g)
#endif
  for (int i = 0; i < N - 1; i++)
    v[2 * i + 1] = g[i] + g[i + 1];
  //               ^ error dvm-nonlocal-access 'g[0]'
#ifdef RIGHT
#pragma dvm parallel([i] on w[3 * i + 1]) remote_access(h[i], h[i + 1])
#else
#pragma dvm parallel([i] on w[3 * i + 1]) shadow_renew(h)
#endif
  for (int i = 0; i < N - 1; i++)
    w[3 * i + 1] = h[i] + h[i + 1];
  //               ^ error dvm-nonlocal-access 'h[0]'
  printf("done\n");
  return 0;
}

/* Gap: "Function parameters, pointers, structs, ++, compound reads, macros not seen".  One stale edge in each form, each
 * in a function of its own so that each is a report. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define RENEW(x) shadow_renew(x)
#else
#define RENEW(x)
#endif
#define LEFT(m, i) m[(i) - 1]
#define THE_NEXT f[i + 1]

struct pair { int left, right; };

#pragma dvm array distribute[block]
int f[N];
#pragma dvm array align([i] with f[i])
int g[N];
#pragma dvm array align([i] with f[i])
struct pair s[N];

#pragma dvm inherit(from, to)
static void parameter(int from[N], int *to) {
#pragma dvm parallel([i] on to[i]) RENEW(from)
  for (int i = 1; i < N; i++)
    to[i] = from[i - 1];
    //      ^ error dvm-shadow-stale
}

static int left_of(const int *p) {
  return p[-1];
  //     ^ error dvm-shadow-stale
}

static void pointer(void) {
#pragma dvm parallel([i] on g[i]) RENEW(f)
  for (int i = 1; i < N; i++)
    g[i] = left_of(&f[i]);
}

static void member(void) {
#pragma dvm parallel([i] on g[i]) RENEW(s)
  for (int i = 1; i < N; i++)
    g[i] = s[i - 1].right;
    //     ^ error dvm-shadow-stale 's[0].right'
}

static void compound(void) {
#pragma dvm parallel([i] on g[i]) RENEW(f)
  for (int i = 1; i < N; i++)
    g[i] += f[i - 1];
    //      ^ error dvm-shadow-stale 'f[0]'
}

static void macro(void) {
#pragma dvm parallel([i] on g[i]) RENEW(f)
  for (int i = 1; i < N - 1; i++)
    g[i] = LEFT(f, i)
    //     ^~~~~~ error dvm-shadow-stale
      + THE_NEXT;
    //  ^ error dvm-shadow-stale 'f[2]'
}

int main(void) {
#pragma dvm parallel([i] on f[i])
  for (int i = 0; i < N; i++) {
    f[i] = g[i] = i;
    s[i].left = s[i].right = i;
  }
  parameter(f, g);
  pointer();
  member();
  compound();
  macro();
  printf("%d\n", g[3]);
  return 0;
}

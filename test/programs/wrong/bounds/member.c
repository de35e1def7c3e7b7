/* Arrays inside of structs have bounds too: in elements of a distributed array, in variables, behind pointers. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define N 6
#define Q 9
#ifdef RIGHT
enum { EXTRA = 0 };
#else
enum { EXTRA = 1 };
#endif
struct cell { double f[Q]; double rho; };
struct line { struct { float x[3]; } end[2]; int used; };
struct text { int length; char first[1]; };
#define F(i, k) g[i].f[k]

#pragma dvm array distribute[block]
static struct cell g[N];
static struct line whole;

static double sum(const struct cell *c, int n)
{
  double s = 0;
  for (int k = 0; k < n; k++)
    s += c->f[k];
  //     ^ error dvm-out-of-bounds 'c->f[9]'
  return s;
}

static int product(int (*row)[4], int n)
{
  int p = 1;
  for (int k = 0; k < n; k++)
    p *= (*row)[k];
  //     ^ error dvm-out-of-bounds
  return p;
}

int main(void)
{
  double s = 0;
#pragma dvm parallel([i] on g[i])
  for (int i = 0; i < N; i++) {
    g[i].rho = 0;
    for (int k = 0; k < Q; k++)
      g[i].f[k] = i + k;
  }
#pragma dvm parallel([i] on g[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int k = 0; k < Q + EXTRA; k++)
      s += g[i].f[k]
        // ^ error dvm-out-of-bounds 'g[0].f[9]'
        // stderr : 'g\[0\]\.f\[9\]' is out of bounds: index 9 of dimension 1 of 'f' is not in 0\.\.8 \[
         + F(i, k);
      //   ^ error dvm-out-of-bounds
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < 3 + EXTRA; k++)
      whole.end[e].x[k] = k;
  //  ^ error dvm-out-of-bounds 'whole.end[0].x[3]'
  struct line *part = &whole;
  int at = 1 + EXTRA;
  part->end[at].x[0] = 2;
//^ error dvm-out-of-bounds 'part->end[2].x[0]'
// stderr index 2 of dimension 1 of 'end' is not in 0\.\.1
  struct cell one = {{0}, 0};
  s += sum(&one, Q + EXTRA);
  int table[4 + 1] = {1, 2, 3, 4, 5};
  s += product((int (*)[4])table, 4 + EXTRA);
  struct text *t = malloc(sizeof *t + 8);
  for (int k = 0; k < 8; k++)
    t->first[k] = 'a';
  s += &one.f[Q] - one.f;
  free(t);
  printf("%g\n", s + part->end[0].x[2]);
  return 0;
}

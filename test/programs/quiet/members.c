/* Elements are structs: a loop may write one member and read its neighbours' other members. */
#include <stdio.h>
#define N 16
struct point { float x, y, z, weight; };

#pragma dvm array distribute[block]
struct point p[N];
#pragma dvm array align([i] with p[i])
struct { double at[2]; unsigned kind : 3, group : 5; char tag; } q[N];

int main(void) {
#pragma dvm parallel([i] on p[i])
  for (int i = 0; i < N; i++) {
    p[i].x = i;
    p[i].y = 2 * i;
    q[i].at[0] = i;
    q[i].kind = 1;
    q[i].group = 2;
  }
#pragma dvm parallel([i] on p[i]) shadow_renew(p, q)
  for (int i = 1; i < N; i++) {
    p[i].z = p[i - 1].y + q[i - 1].at[0] + q[i - 1].kind;
    q[i].at[1] = p[i - 1].x;
    q[i].tag = 'a';
  }
  double s = 0;
#pragma dvm parallel([i] on p[i]) reduction(sum(s))
  for (int i = 1; i < N; i++)
    s += p[i].z + q[i].at[1] + q[i].group + q[i].tag;
  printf("%g\n", s);
  return 0;
}

/* A forest fire: each tree has its state in bit-fields, which are judged like other members. */
// TWIN
#include <stdio.h>
#define N 12
#ifdef RIGHT
#define RENEW shadow_renew(wood)
#else
#define RENEW
#endif

struct tree {
  unsigned burning : 1, dead : 1, age : 9;
  int height;
};
#pragma dvm array distribute[block] shadow[1:1]
static struct tree wood[N];
#pragma dvm array align([i] with wood[i])
static struct tree next[N];
static int steps;
static struct {
  unsigned any : 1, loud : 1;
} state;

int main(void) {
  int dead = 0;
#pragma dvm parallel([i] on wood[i])
  for (int i = 0; i < N; i++) {
    wood[i].burning = i == N / 2;
    wood[i].dead = 0;
    wood[i].age = (unsigned)i * 7 % 50;
    wood[i].height = i;
  }
  state.any = 0;
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i] on next[i]) RENEW
    for (int i = 0; i < N; i++) {
      next[i] = wood[i];
      if (wood[i].burning) {
        next[i].burning = 0;
        next[i].dead = 1;
      } else if (!wood[i].dead && i > 0 && i < N - 1 && (wood[i - 1].burning || wood[i + 1].burning)) {
        // expect -1:58 error dvm-shadow-stale 'wood[0].burning'
        next[i].burning = 1;
#ifndef RIGHT
        state.any = 1;
        // expect -1:9 warning dvm-undeclared-private 'state.any'
#endif
      }
    }
#pragma dvm parallel([i] on wood[i])
    for (int i = 0; i < N; i++)
      wood[i] = next[i];
    steps++;
  }
#ifdef RIGHT
  int oldest = 0;
#pragma dvm remote_access(wood[0])
  {
    oldest = wood[0].age;
  }
#else
  int oldest = wood[0].age;
  // expect -1:16 error dvm-sequential-access 'wood[0].age'
#endif
#pragma dvm parallel([i] on wood[i]) reduction(sum(dead))
  for (int i = 0; i < N; i++)
    dead += wood[i].dead;
  printf("%d %d %d\n", dead, oldest, steps);
  return 0;
}

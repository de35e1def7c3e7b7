/* Units of 'multblock': what lies in another one is another processor's. */
// TWIN
#include <stdio.h>
#define CELLS 6
#define UNIT 4
#pragma dvm array distribute[multblock(UNIT)] shadow[1:1]
static double q[CELLS * UNIT];
#pragma dvm array align([i] with q[i]) shadow[1:1]
static double p[CELLS * UNIT];
#pragma dvm template[2 * CELLS] distribute[multblock(2)]
void *T;
#pragma dvm array align([i] with T[2 * i + 1]) shadow[1:1]
static double h[CELLS];
#ifdef RIGHT
#pragma dvm array align([i] with T[2 * i]) shadow[1:1]
static double e[CELLS];
#else
#pragma dvm array align([i] with T[2 * i]) shadow[0:0]
static double e[CELLS];
#endif

int main(void) {
  double sum = 0;
#pragma dvm parallel([i] on q[i])
  for (int i = 0; i < CELLS * UNIT; i++)
    q[i] = p[i] = i;
#pragma dvm parallel([i] on h[i])
  for (int i = 0; i < CELLS; i++)
    h[i] = e[i] = i;
#ifdef RIGHT
#pragma dvm parallel([c] on q[UNIT * c]) shadow_renew(q)
#else
#pragma dvm parallel([c] on q[UNIT * c])
#endif
  for (int c = 0; c < CELLS - 1; c++)
    p[UNIT * c + 3] = q[UNIT * c + 2] + q[UNIT * c + 4];
  //                                    ^ error dvm-shadow-stale 'q[4]'
#ifndef RIGHT
#pragma dvm parallel([c] on q[UNIT * c]) shadow_renew(q)
  for (int c = 0; c < CELLS - 1; c++)
    p[UNIT * c + 3] = q[UNIT * c + 5];
  //                  ^ error dvm-nonlocal-access 'q[5]'
#pragma dvm parallel([c] on q[UNIT * c + 1])
  for (int c = 0; c < CELLS - 1; c++)
    p[UNIT * c + 4] = 1;
  //^ error dvm-shadow-write 'p[4]'
#pragma dvm parallel([i] on q[i])
  for (int i = 0; i < CELLS * UNIT - 2; i++)
    p[i] = q[i + 2];
  //       ^ error dvm-nonlocal-access 'q[5]'
  p[2] = q[4];
  //     ^ error dvm-sequential-access 'q[4]'
#else
#pragma dvm remote_access(q[4])
  p[2] = q[4];
#endif
#ifdef RIGHT
#pragma dvm parallel([i] on h[i]) shadow_renew(e)
#else
#pragma dvm parallel([i] on h[i])
#endif
  for (int i = 0; i < CELLS - 1; i++)
    h[i] = e[i] + e[i + 1];
  //              ^ error dvm-nonlocal-access 'e[1]'
#pragma dvm parallel([i] on h[i]) reduction(sum(sum))
  for (int i = 0; i < CELLS; i++)
    sum += h[i];
#pragma dvm parallel([i] on p[i]) reduction(sum(sum))
  for (int i = 0; i < CELLS * UNIT; i++)
    sum += p[i];
  printf("%g\n", sum);
  return 0;
}

/* An edge of whole units is counted from the border of the unit that an iteration owns: two elements, though the dependence goes over
 * four.  Between iterations of one unit any width carries the dependence. */
// TWIN
#include <stdio.h>
#define CELLS 24
#define UNIT 4
#ifdef RIGHT
#define LOW 2
#else
#define LOW 1
#endif

#pragma dvm array distribute[multblock(UNIT)] shadow[2:1]
static double e[CELLS * UNIT];
#pragma dvm array align([i] with e[i])
static double f[CELLS * UNIT];

int main(void) {
#pragma dvm parallel([i] on e[i])
  for (int i = 0; i < CELLS * UNIT; i++)
    e[i] = f[i] = i;
#pragma dvm parallel([c] on e[UNIT * c]) shadow_renew(e[2:0])
  for (int c = 1; c < CELLS; c++)
    f[UNIT * c + 3] = e[UNIT * c - 1] + e[UNIT * c - 2];
#pragma dvm parallel([i] on e[i]) across(e[1:0])
  for (int i = 1; i < CELLS * UNIT; i++)
    e[i] += e[i - 1] / 8;
#pragma dvm parallel([c] on e[UNIT * c + 2]) across(e[LOW:0])
  for (int c = 1; c < CELLS; c++)
    e[UNIT * c + 2] = e[UNIT * c - 2] / 2 + e[UNIT * c - 1];
//                    ^ error dvm-across-distance 'e[6]'
  // stderr write .across.e\[2:0\]
  double s = 0;
#pragma dvm parallel([i] on e[i]) reduction(sum(s))
  for (int i = 0; i < CELLS * UNIT; i++)
    s += f[i] * (i % 7) + e[i] * (i % 5);
  printf("%g\n", s);
}

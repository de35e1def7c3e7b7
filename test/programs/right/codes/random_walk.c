/* Walkers with state arrays of their own; a message of results that is built in a buffer and parsed again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WALKERS 40
struct walker {
  unsigned short state[3];
  int x, y;
  char log[20];
};
#pragma dvm array distribute[block]
static struct walker w[WALKERS];
int main(void) {
  double spread = 0;
#pragma dvm parallel([k] on w[k])
  for (int k = 0; k < WALKERS; k++) {
    struct walker *me = &w[k];
    me->state[0] = (unsigned short)k;
    me->state[1] = 7;
    me->state[2] = 99;
    me->x = me->y = 0;
    int n = 0;
    for (int step = 0; step < 50; step++) {
      long r = nrand48(me->state);
      me->x += (r & 1) ? 1 : -1;
      me->y += (r & 2) ? 1 : -1;
      if (step % 10 == 0)
        me->log[n++] = (r & 1) ? 'e' : 'w';
    }
    me->log[n] = 0;
  }
#pragma dvm parallel([k] on w[k]) reduction(sum(spread))
  for (int k = 0; k < WALKERS; k++)
    spread += hypot(w[k].x, w[k].y);
  char message[100];
  int n = snprintf(message, sizeof message, "%.6f;%d", spread, WALKERS);
  char copy[100];
  memcpy(copy, message, (size_t)n + 1);
  char *end;
  double value = strtod(copy, &end);
  int count = 0;
  sscanf(end, ";%d", &count);
  printf("%d %d\n", fabs(value - spread) < 1e-5, count);
  return 0;
}

/* As long as there is but one thread, a lock brings nothing that the object around it leads to. */
// TWIN
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
  pthread_mutex_t lock;
  double *line;
};

static double first(struct box *b) {
  double v;
  pthread_mutex_lock(&b->lock);
  v = b->line[0];
  //  ^ error dvm-uninitialized 'b->line[0]'
  pthread_mutex_unlock(&b->lock);
  return v;
}

int main(void) {
  struct box *b = malloc(sizeof *b);
  if (!b || !(b->line = malloc(4 * sizeof *b->line)) || pthread_mutex_init(&b->lock, NULL))
    return 1;
#ifdef RIGHT
  for (int i = 0; i < 4; i++)
    b->line[i] = i;
#endif
  puts(first(b) < 1e300 ? "done" : "large");
  return 0;
}

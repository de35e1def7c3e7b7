/* A library that gets addresses with marks, words that are none, and frees what it was given. */
#include <stdint.h>
#include <stdlib.h>

struct value { uint64_t bits; };
union either { double number; void *place; };

long lib_sum(const void *p, long words) {
  const uint64_t *w = p;
  uint64_t sum = 0;
  for (long i = 0; i < words; i++)
    sum += w[i];
  return (long)(sum | 1);
}

void lib_set(struct value *v, long n) {
  for (long i = 0; i < n; i++)
    *(double *)(v[i].bits << 16 >> 16 & ~(uint64_t)7) = (double)i + 1;
}

void lib_either(union either *e) { *(double *)e->place = 7; }
void lib_take(void *p) { free(p); }
void lib_look(void *p) { (void)p; }
void *lib_nothing(void) { return (void *)-1; }

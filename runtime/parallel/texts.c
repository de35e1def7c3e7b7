/* Texts in distributed arrays that 'printf' is given: rank 0 gets those of the others. */
#include "runtime/parallel/texts.h"
#include "runtime/parallel/array.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/stream.h"
#include <printf.h>
#include <stdlib.h>
#include <string.h>

/* How x86-64 passes arguments to '...': what 'va_arg' would read next. */
struct cursor {
  unsigned integers, floats;    /* offsets in the saved registers */
  char *more, *saved;
};
enum { INTEGERS_END = 48, FLOATS_END = 176, NTYPES = 64 };

static char *next_slot(struct cursor *c, int type) {
  const bool is_real = (type & ~PA_FLAG_MASK) == PA_DOUBLE || (type & ~PA_FLAG_MASK) == PA_FLOAT;
  const bool is_long = is_real && type & PA_FLAG_LONG_DOUBLE;
  unsigned *offset = is_real ? &c->floats : &c->integers, step = is_real ? 16 : 8;
  if (!is_long && *offset < (is_real ? FLOATS_END : INTEGERS_END)) {
    *offset += step;
    return c->saved + (*offset - step);
  }
  if (is_long)
    c->more += (16 - (uintptr_t)c->more % 16) % 16;
  char *slot = c->more;
  c->more += is_long ? 16 : 8;
  return slot;
}

/* Texts end somewhere in the array, or where the array does. */
static char *collect(const char *s, const struct dvmp_array *a) {
  for (size_t n = 64, left = a->end - (uintptr_t)s;; n *= 2) {
    n = n < left ? n : left;
    char *copy = dvmp_stream_collect(s, n);
    char *text = copy ? realloc(copy, n + 1) : NULL;
    if (!text)
      dvmp_out_of_memory();
    text[n] = 0;
    if (n == left || memchr(text, 0, n))
      return text;
    free(text);
  }
}

/* Given to 'printf' in place of the first one. */
static void replace(struct dvmp_texts *t, char *slot) {
  const char *s;
  memcpy(&s, slot, sizeof(s));
  const struct dvmp_array *a = s ? dvmp_sequential_divided(s) : NULL;
  if (!a || t->n == DVMP_TEXTS_MAX)
    return;
  char *copy = collect(s, a);
  t->slot[t->n] = slot;
  t->before[t->n] = s;
  t->copy[t->n++] = copy;
  memcpy(slot, &copy, sizeof(copy));
}

void dvmp_texts_collect(struct dvmp_texts *t, const char *format, va_list args) {
  int types[NTYPES];
  struct cursor c;
  _Static_assert(sizeof(c) == sizeof(va_list), "is the list of x86-64");
  t->n = 0;
  if (!strchr(format, 's') || !dvmp_stream_one())
    return;
  size_t n = parse_printf_format(format, NTYPES, types);
  memcpy(&c, args, sizeof(c));
  for (size_t i = 0; i < n && i < NTYPES; i++) {
    char *slot = next_slot(&c, types[i]);
    if ((types[i] & ~PA_FLAG_MASK) == PA_STRING)
      replace(t, slot);
  }
}

void dvmp_texts_free(struct dvmp_texts *t) {
  for (int i = t->n; i-- > 0;) {
    memcpy(t->slot[i], &t->before[i], sizeof(t->before[i]));
    free(t->copy[i]);
  }
  t->n = 0;
}

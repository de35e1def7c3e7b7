#include "runtime/parallel/digest.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/trace/digest.h"
#include <stdio.h>
#include <string.h>

struct sum {
  const struct dvmp_array *a;
  uint64_t value;
};

static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return h ^ h >> 31;
}

/* The value of a floating type; false: it is none.  A long double has bytes that belong to no value. */
static bool is_floating(const struct dvmp_array *a, const char *p, long double *value) {
  double d;
  float f;
  if (a->type != 'f')
    return false;
  switch (a->element_bytes) {
  case sizeof(f): memcpy(&f, p, sizeof(f)), *value = f; return true;
  case sizeof(d): memcpy(&d, p, sizeof(d)), *value = d; return true;
  case sizeof(*value): memcpy(value, p, sizeof(*value)); return true;
  default: return false;
  }
}

/* Of floating values so many digits as do not depend on the order of a sum. */
static uint64_t hash_element(const struct dvmp_array *a, const char *p) {
  uint64_t h = 0, bits = 0;
  char values[DVMT_HOLED_MAX];
  long double value;
  if (is_floating(a, p, &value)) {
    char text[64];
    snprintf(text, sizeof(text), a->element_bytes == sizeof(float) ? "%.4Lg" : "%.9Lg", value == 0 ? 0 : value);
    for (const char *t = text; *t; t++)
      h = mix(h ^ (uint64_t)*t);
    return h;
  }
  if (a->holes && a->element_bytes <= sizeof(values)) {
    memcpy(values, p, a->element_bytes);
    dvmt_holes_clear(a->holes, values, a->element_bytes);
    p = values;
  }
  for (uint64_t i = 0; i < a->element_bytes; i += 8) {
    memcpy(&bits, p + i, a->element_bytes - i < 8 ? a->element_bytes - i : 8);
    h = mix(h ^ bits);
  }
  return h;
}

static void add_run(void *arg, int64_t offset, int64_t count) {
  struct sum *s = arg;
  for (int64_t i = offset; i < offset + count; i++)
    if (!dvmp_poison_unset(s->a, (uint64_t)i))
      s->value +=
          mix((uint64_t)i * 0x9e3779b97f4a7c15u ^ hash_element(s->a, (const char *)s->a->address + (uint64_t)i * s->a->element_bytes));
}

/* Of ranks that have the same elements the first one counts. */
static bool is_first(const struct dvmp_array *a) {
  struct dvmp_arena m = {NULL};
  bool first = true;
  for (int q = 0; q < dvmp_job.rank && first; q++) {
    struct dvmp_set theirs = dvmp_array_own(&m, a, q), both = dvmp_set_meet(&m, &theirs, &a->own);
    first = dvmp_set_empty(&both);
  }
  dvmp_arena_free(&m);
  return first;
}

void dvmp_digest_say(const struct dvmp_array *a) {
  struct sum s = {a, 0};
  if (!dvmp_job.digest || a->is_template || dvmp_job.inside || dvmp_job.over || !dvmp_group_holds(a->born, dvmp_job.group))
    return;
  if (dvmp_array_everywhere(a) ? dvmp_job_first() : is_first(a))
    dvmp_set_runs(&a->own, a->stride, a->extent, add_run, &s);
  dvmp_job_combine(&s.value, 1, 's', 'u', 8, NULL);
  if (dvmp_job_first())
    fprintf(stderr, "dvm: digest of '%s': %016llx\n", a->name, (unsigned long long)s.value);
}

void dvmp_digest_say_all(void) {
  for (struct dvmp_array *a = dvmp_array_first(); a; a = a->next)
    dvmp_digest_say(a);
}

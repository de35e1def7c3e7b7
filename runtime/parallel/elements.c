#include "runtime/parallel/elements.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/record.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/elements.h"
#include <stdio.h>
#include <string.h>

bool dvmp_elements_wanted(const struct dvmp_construct *c, uint64_t execution) {
  const struct dvmp_recording *o = &dvmp_options_recording;
  const char *file = c->d->pos.file;
  size_t n = file ? strlen(file) : 0, m = o->elements_file ? strlen(o->elements_file) : 0;
  return m && n >= m && execution == o->elements_execution && c->d->pos.line == o->elements_line &&
         !strcmp(file + n - m, o->elements_file) && (n == m || file[n - m - 1] == '/');
}

/* ---- iterations ------------------------------------------------------------------------------------------------------------------ */

static size_t add_spans(char *text, size_t room, size_t n, struct dvmp_list l) {
  if (!l.n)
    n += (size_t)snprintf(text + n, room - n, "1..0");
  for (int i = 0; i < l.n && n + 64 < room; i++)
    n += (size_t)snprintf(text + n, room - n, "%s%lld..%lld", i ? "," : "", (long long)l.at[i].low, (long long)l.at[i].high);
  return n;
}

static void tell_iterations(const struct dvmp_construct *c) {
  char text[8192];
  size_t n = (size_t)snprintf(text, sizeof(text), "K " DVMT_ELEMENTS_ITERATIONS "\nF %s\nP %u %u\nT %s %s", c->d->pos.file, c->d->pos.line,
                              c->d->pos.column,
                              !c->inside     ? "all"
                              : c->turns > 0 ? "own"
                                             : "none",
                              c->counts ? "counted" : "again");
  for (int k = 0; k < c->d->rank && n + 512 < sizeof(text); k++) {
    n += (size_t)snprintf(text + n, sizeof(text) - n, " %.200s ", c->d->names[k]);
    if (c->clamped[k])
      n = add_spans(text, sizeof(text), n, c->part[k]);
    else
      n += (size_t)snprintf(text + n, sizeof(text) - n, "*");
  }
  dvmp_emit(dvmp_emit_site(text, DVMT_SITE_DIRECT, 0), DVMT_TAG_DIRECT, NULL, 0);
}

void dvmp_elements_iteration(const struct dvmp_construct *c, const int64_t *indices) {
  static struct dvmt_site *site; /* of the one construct that is told */
  if (!site) {
    char text[1024];
    snprintf(text, sizeof(text), "K " DVMT_ELEMENTS_RAN "\nF %s\nP %u %u", c->d->pos.file, c->d->pos.line, c->d->pos.column);
    site = dvmp_emit_site(text, DVMT_SITE_DIRECT, (unsigned)c->d->rank);
  }
  dvmp_emit(site, DVMT_TAG_DIRECT, (const uint64_t *)indices, (size_t)c->d->rank);
}

/* ---- elements -------------------------------------------------------------------------------------------------------------------- */

struct telling {
  const struct dvmp_array *a;
  struct dvmt_site *pieces, *bytes;
};

static struct dvmt_site *site_of(const struct dvmp_construct *c, const struct dvmp_array *a, const char *kind, unsigned words,
                                 unsigned bytes) {
  char text[1024];
  snprintf(text, sizeof(text), "K %s\nF %s\nP %u %u\nT %.200s\nV %.200s\nS %llu", kind, c->d->pos.file, c->d->pos.line, c->d->pos.column,
           a->name, a->name, (unsigned long long)a->element_bytes);
  return dvmp_emit_values(text, words, bytes);
}

/* Bytes that lie at 'from' as those of the address 'at'. */
static void tell_bytes(const struct telling *t, uint64_t at, const unsigned char *from, uint64_t n) {
  for (; n >= DVMT_ELEMENTS_PIECE; at += DVMT_ELEMENTS_PIECE, from += DVMT_ELEMENTS_PIECE, n -= DVMT_ELEMENTS_PIECE) {
    uint64_t words[1 + DVMT_ELEMENTS_WORDS] = {at};
    memcpy(words + 1, from, DVMT_ELEMENTS_PIECE);
    dvmp_emit(t->pieces, DVMT_TAG_WRITE, words, 1 + DVMT_ELEMENTS_WORDS);
  }
  for (; n; at++, from++, n--)
    dvmp_emit(t->bytes, DVMT_TAG_WRITE, (const uint64_t[]){at, *from}, 2);
}

static void tell_run(void *arg, int64_t offset, int64_t count) {
  const struct telling *t = arg;
  unsigned char element[DVMT_HOLED_MAX];
  uint64_t bytes = t->a->element_bytes, at = t->a->address + (uint64_t)offset * bytes, end = at + (uint64_t)count * bytes;
  if (!t->a->holes || bytes > sizeof(element)) {
    tell_bytes(t, at, (const unsigned char *)(uintptr_t)at, end - at);
    return;
  }
  for (; at < end; at += bytes) {
    memcpy(element, (const void *)(uintptr_t)at, bytes);
    dvmt_holes_clear(t->a->holes, element, bytes);
    tell_bytes(t, at, element, bytes);
  }
}

static void tell_arrays(const struct dvmp_construct *c, const char *kind) {
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_USE)); i = i->next) {
    struct telling t = {i->use == 'r' ? NULL : dvmp_array_at((uintptr_t)dvmrt_num_value(i->ref.address, c->args)), NULL, NULL};
    if (!t.a)
      continue;
    dvmp_record_array(t.a);
    t.pieces = site_of(c, t.a, kind, DVMT_ELEMENTS_WORDS, DVMT_ELEMENTS_PIECE);
    t.bytes = site_of(c, t.a, kind, 1, 1);
    dvmp_set_runs(&t.a->own, t.a->stride, t.a->extent, tell_run, &t);
  }
}

void dvmp_elements_enter(struct dvmp_construct *c, uint64_t execution) {
  if (!dvmp_elements_wanted(c, execution))
    return;
  c->told = true;
  tell_iterations(c);
  tell_arrays(c, DVMT_ELEMENTS_BEFORE);
}

void dvmp_elements_leave(const struct dvmp_construct *c, uint64_t execution) {
  if (dvmp_elements_wanted(c, execution))
    tell_arrays(c, DVMT_ELEMENTS_AFTER);
}

#include "runtime/parallel/elements.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/record.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/elements.h"
#include "runtime/trace/reach.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dvmp_elements_wanted(const struct dvmp_construct *c, uint64_t execution) {
  const struct dvmp_recording *o = &dvmp_options_recording;
  const char *file = c->d->pos.file;
  size_t n = file ? strlen(file) : 0, m = o->elements_file ? strlen(o->elements_file) : 0;
  return m && n >= m && execution == o->elements_execution && c->d->pos.line == o->elements_line &&
         !strcmp(file + n - m, o->elements_file) && (n == m || file[n - m - 1] == '/');
}

static bool is_told(const struct dvmp_construct *c) { return c->level == DVMT_LEVEL_MODIFY || c->level == DVMT_LEVEL_FULL; }

/* ---- sites: each is told once ------------------------------------------------------------------------------------------------------ */

static struct dvmt_site **sites;
static size_t nsites;

static struct dvmt_site *keep(struct dvmt_site *site) {
  struct dvmt_site **rows = realloc(sites, (nsites + 1) * sizeof(*rows));
  if (!rows)
    dvmp_out_of_memory();
  sites = rows;
  return sites[nsites++] = site;
}

static struct dvmt_site *known(const char *text, unsigned bytes) {
  for (size_t i = nsites; i--;) /* the latest is the likeliest */
    if (sites[i]->bytes == bytes && !strcmp(sites[i]->text, text))
      return sites[i];
  return NULL;
}

static struct dvmt_site *direct(const char *text, unsigned nargs) {
  struct dvmt_site *s = known(text, 0);
  return s ? s : keep(dvmp_emit_site(text, DVMT_SITE_DIRECT, nargs));
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
  dvmp_emit(direct(text, 0), DVMT_TAG_DIRECT, NULL, 0);
}

static struct dvmt_site *site_at(const struct dvmp_construct *c, const char *kind, int nargs) {
  char text[1024];
  snprintf(text, sizeof(text), "K %s\nF %s\nP %u %u", kind, c->d->pos.file, c->d->pos.line, c->d->pos.column);
  return direct(text, (unsigned)nargs);
}

/* Of the construct that is being executed: there is one whose iterations are told. */
static int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
static bool bounded;

static void widen(const struct dvmp_construct *c, const int64_t *indices) {
  for (int k = 0; k < c->d->rank; k++) {
    low[k] = !bounded || indices[k] < low[k] ? indices[k] : low[k];
    high[k] = !bounded || indices[k] > high[k] ? indices[k] : high[k];
  }
  bounded = true;
}

void dvmp_elements_iteration(const struct dvmp_construct *c, const int64_t *indices) {
  static const struct dvmrt_directive *of;
  static struct dvmt_site *site;
  if (dvmp_options_recording.bounds) {
    widen(c, indices);
    return;
  }
  if (of != c->d)
    site = site_at(c, DVMT_ELEMENTS_RAN, c->d->rank);
  of = c->d;
  dvmp_emit(site, DVMT_TAG_DIRECT, (const uint64_t *)indices, (size_t)c->d->rank);
}

static void tell_bounds(const struct dvmp_construct *c) {
  uint64_t words[2 * DVMRT_NDIMS_MAX];
  for (int k = 0; bounded && k < c->d->rank; k++) {
    words[2 * k] = (uint64_t)low[k];
    words[2 * k + 1] = (uint64_t)high[k];
  }
  if (bounded)
    dvmp_emit(site_at(c, DVMT_ELEMENTS_BOUNDS, 2 * c->d->rank), DVMT_TAG_DIRECT, words, 2 * (size_t)c->d->rank);
  bounded = false;
}

/* ---- elements -------------------------------------------------------------------------------------------------------------------- */

struct telling {
  const struct dvmp_array *a;
  struct dvmt_site *pieces, *bytes;
};

static struct dvmt_site *site_of(const struct dvmp_construct *c, const struct dvmp_array *a, const char *kind, unsigned words,
                                 unsigned bytes) {
  const char *name = a->called.name ? a->called.name : a->name;
  char text[1024];
  snprintf(text, sizeof(text), "K %s\nF %s\nP %u %u\nT %.200s\nV %.200s\nS %llu", kind, c->d->pos.file, c->d->pos.line, c->d->pos.column,
           name, name, (unsigned long long)a->element_bytes);
  struct dvmt_site *s = known(text, bytes);
  if (!s) {
    s = keep(dvmp_emit_values(text, words, bytes));
    s->bytes = (uint8_t)bytes;
  }
  return s;
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

/* What lies there has this name from here on. */
static void declare(const struct dvmp_array *a, bool latest) {
  char text[1024];
  dvmp_record_declaration(a, latest, text, sizeof(text));
  dvmp_emit(direct(text, 1), DVMT_TAG_DIRECT, (const uint64_t[]){a->address}, 1);
}

static void tell_array(const struct dvmp_construct *c, const struct dvmp_array *a, const char *kind) {
  struct telling t = {a, NULL, NULL};
  dvmp_record_array(a);
  if (a->called.name)
    declare(a, true);
  t.pieces = site_of(c, a, kind, DVMT_ELEMENTS_WORDS, DVMT_ELEMENTS_PIECE);
  t.bytes = site_of(c, a, kind, 1, 1);
  dvmp_set_runs(&a->own, a->stride, a->extent, tell_run, &t);
  if (a->called.name) /* for sums */
    declare(a, false);
}

static void tell_arrays(const struct dvmp_construct *c, const char *kind) {
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_USE)); i = i->next) {
    const struct dvmp_array *a = i->use == 'r' ? NULL : dvmp_array_at((uintptr_t)dvmrt_num_value(i->ref.address, c->args));
    if (a)
      tell_array(c, a, kind);
  }
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REACHED)); i = i->next)
    dvmp_record_reached(c, i, tell_array, kind);
}

void dvmp_elements_enter(struct dvmp_construct *c) {
  c->told = is_told(c) || dvmp_options_recording.bounds;
  if (!is_told(c))
    return;
  tell_iterations(c);
  tell_arrays(c, DVMT_ELEMENTS_BEFORE);
}

void dvmp_elements_leave(const struct dvmp_construct *c) {
  if (is_told(c))
    tell_arrays(c, DVMT_ELEMENTS_AFTER);
  if (dvmp_options_recording.bounds)
    tell_bounds(c);
}

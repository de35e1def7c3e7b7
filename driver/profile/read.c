#define _GNU_SOURCE
#include "driver/profile/read.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times and counts of a run that lasts a century fit; sums of all ranks do not overflow. */
#define NUMBER_MAX ((uint64_t)1 << 62)

struct reader {
  struct prof_rank *r;
  const char *at, *end; /* in the line */
  bool bad, out_of_memory;
  bool ranked, ended;
};

static const char *const words[PROF_WHYS] = {"other", "shadow", "across", "reduction", "remote", "redistribute", "copy", "io", "end"};
const char *prof_why_word(int why) { return words[why]; }

/* ---- words ----------------------------------------------------------------------------------------------------------------- */

static size_t word(struct reader *r, const char **w) {
  if (r->at < r->end && *r->at == ' ')
    r->at++;
  *w = r->at;
  while (r->at < r->end && *r->at != ' ')
    r->at++;
  r->bad |= r->at == *w;
  return (size_t)(r->at - *w);
}

static uint64_t number(struct reader *r) {
  const char *w;
  uint64_t v = 0;
  size_t n = word(r, &w);
  for (size_t i = 0; i < n; i++) {
    r->bad |= w[i] < '0' || w[i] > '9' || v > NUMBER_MAX / 10;
    v = r->bad ? 0 : v * 10 + (uint64_t)(w[i] - '0');
  }
  r->bad |= v > NUMBER_MAX;
  return r->bad ? 0 : v;
}

static int64_t signed_number(struct reader *r) {
  bool minus = r->end - r->at > 1 && r->at[0] == ' ' && r->at[1] == '-';
  r->at += minus ? 2 : 0;
  int64_t v = (int64_t)number(r);
  return minus ? -v : v;
}

static unsigned small(struct reader *r, uint64_t limit) {
  uint64_t v = number(r);
  r->bad |= v >= limit;
  return r->bad ? 0 : (unsigned)v;
}

static char *keep(struct reader *r, const char *s, size_t n) {
  char *p = strndup(s, n);
  r->out_of_memory |= !p;
  return p;
}

static char *text(struct reader *r) {
  const char *w;
  size_t n = word(r, &w);
  return keep(r, w, n);
}

/* All that is left of the line; it may be anything but empty. */
static char *rest(struct reader *r) {
  const char *w = r->at;
  r->bad |= r->end - w < 2;
  if (!r->bad)
    w++;
  r->at = r->end;
  return keep(r, w, (size_t)(r->end - w));
}

static bool is(const char *w, size_t n, const char *name) { return n == strlen(name) && !memcmp(w, name, n); }

/* Room for one more at the end of a list of 'n', which doubles. */
static void *grow(struct reader *r, void *list, size_t *n, size_t size) {
  char *p = list;
  if (!(*n & (*n - 1))) {
    p = realloc(list, (*n ? 2 * *n : 1) * size);
    r->out_of_memory |= !p;
  }
  if (!p)
    return list;
  memset(p + *n * size, 0, size);
  ++*n;
  return p;
}

/* ---- lines ----------------------------------------------------------------------------------------------------------------- */

static void read_rank(struct reader *r) {
  r->bad |= r->ranked;
  r->ranked = true;
  r->r->rank = (int)small(r, PROF_RANKS_MAX);
  r->r->size = (int)small(r, PROF_RANKS_MAX);
  r->r->stamp = number(r);
  r->bad |= r->r->rank >= r->r->size;
}

static void read_machine(struct reader *r) {
  r->bad |= r->r->host != NULL;
  r->r->wall_ns = number(r);
  r->r->cpu_ns = number(r);
  r->r->rss_kb = number(r);
  r->r->processors = number(r);
  if (!r->bad)
    r->r->host = rest(r);
}

static void read_interval(struct reader *r) {
  struct prof_rank *p = r->r;
  size_t id = p->nintervals;
  p->intervals = grow(r, p->intervals, &p->nintervals, sizeof(*p->intervals));
  if (r->out_of_memory)
    return;
  struct prof_interval *v = &p->intervals[id];
  r->bad |= small(r, 1u << 30) != id;
  v->parent = (int)small(r, id ? id : 1);
  v->executions = number(r);
  v->has_number = small(r, 2);
  v->number = signed_number(r);
  v->at.line = small(r, 1u << 31);
  v->at.column = small(r, 1u << 31);
  v->at.file = rest(r);
}

static void read_array(struct reader *r) {
  struct prof_rank *p = r->r;
  size_t id = p->narrays;
  p->arrays = grow(r, p->arrays, &p->narrays, sizeof(*p->arrays));
  if (r->out_of_memory)
    return;
  struct prof_array *a = &p->arrays[id];
  a->name = text(r);
  a->element_bytes = number(r);
  a->ndims = (int)small(r, PROF_NDIMS_MAX + 1);
  for (int d = 0; d < a->ndims; d++) {
    a->extent[d] = (int64_t)number(r);
    a->own[d] = (int64_t)number(r);
    a->span[d] = (int64_t)number(r);
  }
  a->at.line = small(r, 1u << 31);
  a->at.column = small(r, 1u << 31);
  a->at.file = rest(r);
}

static void read_entry(struct reader *r) {
  struct prof_rank *p = r->r;
  const char *w;
  size_t id = p->nentries, n;
  p->entries = grow(r, p->entries, &p->nentries, sizeof(*p->entries));
  if (r->out_of_memory)
    return;
  struct prof_entry *e = &p->entries[id];
  e->interval = (int)small(r, p->nintervals);
  n = word(r, &w);
  e->behind = is(w, n, "behind");
  r->bad |= !e->behind && !is(w, n, "directive");
  e->kind = text(r);
  e->executions = number(r);
  e->iterations = number(r);
  e->line = number(r);
  e->stages = number(r);
  for (int t = 0; t < PROF_TIMES; t++)
    e->time_ns[t] = number(r);
  e->at.line = small(r, 1u << 31);
  e->at.column = small(r, 1u << 31);
  e->until = small(r, 1u << 31);
  e->at.file = rest(r);
}

static void read_exchange(struct reader *r) {
  const char *w;
  size_t n = word(r, &w);
  int why = 0;
  while (why < PROF_WHYS && !is(w, n, words[why]))
    why++;
  r->bad |= why == PROF_WHYS || !r->r->nentries;
  struct prof_exchange *x = r->bad ? NULL : &r->r->entries[r->r->nentries - 1].why[why];
  r->bad |= x && x->names;
  if (r->bad)
    return;
  x->count = number(r);
  x->messages = number(r);
  x->bytes = number(r);
  x->wait_ns = number(r);
  x->transfer_ns = number(r);
  x->names = text(r);
}

static void read_late(struct reader *r) {
  struct prof_entry *e = r->r->nentries ? &r->r->entries[r->r->nentries - 1] : NULL;
  struct prof_late late = {(int)small(r, (uint64_t)r->r->size), number(r)};
  r->bad |= !e || e->nlate >= (size_t)r->r->size;
  if (r->bad)
    return;
  e->late = grow(r, e->late, &e->nlate, sizeof(*e->late));
  if (!r->out_of_memory)
    e->late[e->nlate - 1] = late;
}

static void read_line(struct reader *r) {
  static const struct {
    const char *name;
    void (*read)(struct reader *r);
  } kinds[] = {{"rank", read_rank},   {"machine", read_machine},   {"interval", read_interval}, {"array", read_array},
               {"entry", read_entry}, {"exchange", read_exchange}, {"late", read_late}};
  const char *w = r->at;
  size_t n = word(r, &w);
  if (is(w, n, "end") && r->at == r->end) {
    r->ended = true;
    return;
  }
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
    if (is(w, n, kinds[i].name)) {
      r->bad |= !r->ranked && i;
      if (!r->bad)
        kinds[i].read(r);
      r->bad |= r->at != r->end;
      return;
    }
  r->bad = true;
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

int prof_read(const char *s, size_t n, struct prof_rank *p, struct dvm_error *err) {
  static const char magic[] = "dvm-profile 1\n";
  struct reader r = {.r = p};
  size_t line = 1;
  *p = (struct prof_rank){.rank = 0};
  if (n < sizeof(magic) - 1 || memcmp(s, magic, sizeof(magic) - 1))
    return dvm_error_set(err, -EPROTO, "it is not a profile of this version");
  for (const char *at = s + sizeof(magic) - 1, *end = s + n; at < end && !r.ended;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    r.at = at;
    r.end = stop ? stop : end;
    line++;
    r.bad |= !stop || memchr(at, 0, (size_t)(r.end - at));
    if (!r.bad)
      read_line(&r);
    if (r.out_of_memory)
      return dvm_error_set(err, -ENOMEM, "out of memory");
    if (r.bad)
      return dvm_error_set(err, -EPROTO, "line %zu is damaged", line);
    at = r.end + 1;
  }
  if (!r.ended || !r.ranked || !p->host || !p->nintervals)
    return dvm_error_set(err, -EPROTO, "it is not complete");
  return 0;
}

int prof_read_file(const char *path, struct prof_rank *p, struct dvm_error *err) {
  struct dvm_error why = DVM_ERROR_INIT;
  char *s = NULL;
  size_t n = 0;
  *p = (struct prof_rank){.rank = 0};
  FILE *f = fopen(path, "re");
  if (!f)
    return dvm_error_errno(err, "cannot read '%s'", path);
  ssize_t got = getdelim(&s, &n, 0, f);
  int rc =
      got < 0 && ferror(f) ? dvm_error_errno(err, "cannot read '%s'", path) : prof_read(s ? s : "", got < 0 ? 0 : (size_t)got, p, &why);
  fclose(f);
  free(s);
  return rc && why.code ? dvm_error_set(err, rc, "the profile '%s' cannot be read: %s", path, why.text) : rc;
}

void prof_rank_fini(struct prof_rank *r) {
  for (size_t i = 0; i < r->nintervals; i++)
    free(r->intervals[i].at.file);
  for (size_t i = 0; i < r->narrays; i++) {
    free(r->arrays[i].name);
    free(r->arrays[i].at.file);
  }
  for (size_t i = 0; i < r->nentries; i++) {
    free(r->entries[i].kind);
    free(r->entries[i].at.file);
    free(r->entries[i].late);
    for (int w = 0; w < PROF_WHYS; w++)
      free(r->entries[i].why[w].names);
  }
  free(r->intervals);
  free(r->arrays);
  free(r->entries);
  free(r->host);
  *r = (struct prof_rank){.rank = 0};
}

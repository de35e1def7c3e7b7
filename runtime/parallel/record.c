#include "runtime/parallel/record.h"
#include "runtime/parallel/abi.h"
#include "runtime/trace/inside.h"
#include "runtime/parallel/elements.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/levels.h"
#include "runtime/parallel/live.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/results.h"
#include "runtime/parallel/row_sums.h"
#include "runtime/parallel/where.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/launcher.h"
#include "runtime/trace/reach.h"
#include "runtime/trace/results.h"
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 255 };

/* ---- sites: of constructs, of arrays, and of the parts of arrays that this rank has ------------------------------------------------ */

struct told {
  const void *key;       /* directive or array */
  struct dvmt_site *site;
  uint64_t part;         /* of an array: what it was */
  uintptr_t address;     /* of an array: where it was */
  uint64_t executions;   /* of a construct; of the last of them, and of the configuration */
  unsigned level;
  struct dvmp_levels_rule rule;
};
static struct told *told;
static size_t ntold, told_room;

static struct told *told_of(const void *key) {
  for (size_t i = ntold; i--;) /* the latest is the likeliest */
    if (told[i].key == key)
      return &told[i];
  if (ntold == told_room) {
    told_room = told_room ? 2 * told_room : 64;
    told = realloc(told, told_room * sizeof(*told));
    if (!told)
      dvmp_out_of_memory();
  }
  told[ntold] = (struct told){.key = key};
  return &told[ntold++];
}

static unsigned arguments_of(const struct dvmrt_directive *d) { return d->nslots < ARGUMENTS_MAX ? (unsigned)d->nslots : 0; }

static struct told *construct_of(const struct dvmrt_directive *d) {
  struct told *t = told_of(d);
  if (!t->site)
    t->site = dvmp_emit_site(d->site->text, DVMT_SITE_CONSTRUCT, arguments_of(d));
  return t;
}

/* ---- arrays --------------------------------------------------------------------------------------------------------------------- */

static uint64_t part_of(const struct dvmp_set *s) {
  uint64_t h = 1;
  for (int d = 0; d < s->ndims; d++)
    for (int i = 0; i < s->dim[d].n; i++)
      h = dvmt_mix(dvmt_mix(h ^ (uint64_t)s->dim[d].at[i].low) + (uint64_t)s->dim[d].at[i].high + (uint64_t)d);
  return h;
}

static const struct dvmp_called *own_name(const struct dvmp_array *a, struct dvmp_called *own) {
  *own = (struct dvmp_called){.name = a->name, .declared = a->declared, .fortran = a->placed && a->placed->fortran, .ndims = a->ndims};
  memcpy(own->extent, a->extent, sizeof(a->extent));
  memcpy(own->lower, a->lower, sizeof(a->lower));
  return own;
}

void dvmp_record_declaration(const struct dvmp_array *a, bool latest, char *text, size_t room) {
  struct dvmp_called own;
  const struct dvmp_called *c = latest && a->called.name ? &a->called : own_name(a, &own);
  int n = snprintf(text, room, "K array\n%sF %s\nP %u %u\nA %.200s v%c & %llu %d", c->fortran ? "u F\n" : "",
                   c->declared.file ? c->declared.file : "?", c->declared.line, c->declared.column, c->name, a->type,
                   (unsigned long long)a->element_bytes, c->ndims);
  for (int d = 0; d < c->ndims; d++)
    n += snprintf(text + n, room - (size_t)n, " %lld", (long long)c->extent[d]);
  for (int d = 0; d < c->ndims && c->fortran; d++)
    n += snprintf(text + n, room - (size_t)n, "%s%lld", d ? " " : "\no ", (long long)c->lower[d]);
}

/* The site of a part: its text is what messages call it. */
static struct told *array_of(const struct dvmp_array *a) {
  struct told *t = told_of(a);
  uint64_t part = part_of(&a->own);
  char text[1024], own[256];
  if (t->site && t->part == part && t->address == a->address)
    return t;
  if (!t->site || t->address != a->address) {
    const uint64_t address = a->address;
    dvmp_record_declaration(a, false, text, sizeof(text));
    dvmp_emit(dvmp_emit_site(text, DVMT_SITE_DIRECT, 1), DVMT_TAG_DIRECT, &address, 1);
  }
  dvmp_where_own(own, sizeof(own), a);
  snprintf(text, sizeof(text), "K part\nF %s\nP %u %u\nT %s\nV %.200s", a->declared.file ? a->declared.file : "?", a->declared.line,
           a->declared.column, own, a->name);
  t = told_of(a);
  t->site = dvmp_emit_site(text, DVMT_SITE_ACCESS, 0);
  t->part = part;
  t->address = a->address;
  return t;
}

struct summing {
  const struct dvmp_array *a;
  uint64_t elements, digest;
};

/* With poison=1: an element that has no value counts as zeros, which the sequential run has there. */
static void add_known(struct summing *s, uint64_t first, uint64_t count) {
  static const char zeros[4096];
  const struct dvmp_array *a = s->a;
  for (uint64_t i = first; i < first + count; i++) {
    bool unset = dvmp_poison_unset(a, i) && a->element_bytes <= sizeof(zeros);
    uintptr_t at = unset ? (uintptr_t)zeros - i * a->element_bytes : a->address;
    s->digest += dvmt_digest_holed((const void *)at, a->element_bytes, i, 1, a->holes);
  }
}

static void add_run(void *arg, int64_t offset, int64_t count) {
  struct summing *s = arg;
  s->elements += (uint64_t)count;
  if (s->a->poison) {
    add_known(s, (uint64_t)offset, (uint64_t)count);
    return;
  }
  s->digest += dvmt_digest_holed((const void *)s->a->address, s->a->element_bytes, (uint64_t)offset, (uint64_t)count, s->a->holes);
}

static void tell_array(const struct dvmp_array *a) {
  struct summing s = {.a = a};
  if (dvmp_row_sums_of(a, &s.digest))
    s.elements = (uint64_t)dvmp_set_count(&a->own);
  else
    dvmp_set_runs(&a->own, a->stride, a->extent, add_run, &s);
  struct told *t = array_of(a);
  dvmp_emit(t->site, DVMT_TAG_DIGEST, (const uint64_t[]){a->address, s.elements, s.digest, t->part}, 4);
}

/* A variable that no clause names: all ranks should have the same. */
static void tell_shared(const struct dvmp_construct *c, const void *key, const char *name, const void *at, uint64_t bytes) {
  struct told *t = told_of(key);
  if (!t->site) {
    char text[1024];
    snprintf(text, sizeof(text), "K shared\nF %s\nP %u %u\nT %.200s\nV %.200s\nS %llu", c->d->pos.file ? c->d->pos.file : "?",
             c->d->pos.line, c->d->pos.column, name, name, (unsigned long long)bytes);
    t->site = dvmp_emit_site(text, DVMT_SITE_ACCESS, 0);
  }
  dvmp_emit(t->site, DVMT_TAG_DIGEST, (const uint64_t[]){0, bytes, dvmt_digest_array(at, bytes, 1), 0}, 4);
}

static bool is_used(const struct dvmp_construct *c, const struct dvmp_array *a) {
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_USE)); i = i->next)
    if (i->use != 'r' && dvmp_array_at((uintptr_t)dvmrt_num_value(i->ref.address, c->args)) == a)
      return true;
  return false;
}

/* The array that a row of such a table leads to, or NULL. */
static const struct dvmp_array *reached_array(const struct dvmt_reached *row) {
  uintptr_t at = (uintptr_t)row->address;
  return dvmp_array_at(row->flags & DVMT_REACH_POINTER ? *(const uintptr_t *)at : at);
}

static struct dvmt_reached *reached(const struct dvmp_construct *c, const struct dvmrt_item *i, size_t *n) {
  return dvmt_reach_of((const void *)(uintptr_t)dvmrt_num_value(i->ref.address, c->args), n);
}

void dvmp_record_reached(const struct dvmp_construct *c, const struct dvmrt_item *i,
                         void (*tell)(const struct dvmp_construct *c, const struct dvmp_array *a, const char *kind), const char *kind) {
  size_t n;
  struct dvmt_reached *rows = reached(c, i, &n);
  for (size_t k = 0; k < n; k++) {
    const struct dvmp_array *a = reached_array(&rows[k]);
    if (a && !is_used(c, a))
      tell(c, a, kind);
  }
}

static void tell_reached_array(const struct dvmp_construct *c, const struct dvmp_array *a, const char *kind) {
  (void)c, (void)kind;
  tell_array(a);
}

/* What functions of other files assign. */
static void tell_reached(const struct dvmp_construct *c, const struct dvmrt_item *i) {
  size_t n;
  struct dvmt_reached *rows = reached(c, i, &n);
  dvmp_record_reached(c, i, tell_reached_array, NULL);
  for (size_t k = 0; k < n; k++)
    if (rows[k].bytes && (rows[k].flags & DVMT_REACH_EXPOSED) && !reached_array(&rows[k]))
      tell_shared(c, &rows[k], rows[k].name, rows[k].address, rows[k].bytes);
}

DVMRT_EXPORT void __dvmp_reach(const struct dvmt_reach *rows, uint64_t n) { dvmt_reach_add(rows, n); }
DVMRT_EXPORT void __dvmp_reach_gone(const struct dvmt_reach *rows) { dvmt_reach_gone(rows); }

/* Iterations: those that all ranks execute are the same (part 0), others add up. */
static void tell_executed(const struct dvmp_construct *c) {
  struct told *t = told_of(&c->d->rank); /* of the directive, but not itself */
  bool again = c->inside && !c->counts;
  if (!c->d->counted)
    return;
  if (!t->site) {
    char text[1024];
    snprintf(text, sizeof(text), "K " DVMT_EXECUTED_KIND "\nF %s\nP %u %u\nT " DVMT_EXECUTED "\nV " DVMT_EXECUTED "\nS 8",
             c->d->pos.file ? c->d->pos.file : "?", c->d->pos.line, c->d->pos.column);
    t->site = dvmp_emit_site(text, DVMT_SITE_ACCESS, 0);
  }
  const uint64_t words[4] = {0, again ? 0 : c->executed, again ? 0 : c->executed_sum, c->inside ? (uint64_t)dvmp_job.rank + 1 : 0};
  dvmp_emit(t->site, DVMT_TAG_DIGEST, words, 4);
}

void dvmp_record_array(const struct dvmp_array *a) { array_of(a); }

/* ---- constructs ------------------------------------------------------------------------------------------------------------------ */

static int depth; /* of parallel constructs in each other: the outermost counts */

uint64_t dvmp_record_execution(const struct dvmrt_directive *d) { return dvmp_emit_wanted() ? construct_of(d)->executions : 0; }

void dvmp_record_enter(struct dvmp_construct *c) {
  if (!dvmp_emit_wanted() || !c->d->parallel || depth++)
    return;
  struct told *t = construct_of(c->d);
  t->executions++;
  c->level = dvmp_levels_enter(&t->rule, &c->d->pos, t->executions);
  if (dvmp_elements_wanted(c, t->executions))
    c->level = DVMT_LEVEL_MODIFY;
  t->level = c->level;
  if (c->level == DVMT_LEVEL_NONE)
    return;
  uint64_t words[1 + ARGUMENTS_MAX]; /* most of them stay unset */
  words[0] = c->level | t->executions << 8;
  memcpy(words + 1, c->args, arguments_of(c->d) * sizeof(*words));
  dvmp_emit(t->site, DVMT_TAG_ENTER, words, 1 + arguments_of(c->d));
  dvmp_elements_enter(c);
  if (c->level == DVMT_LEVEL_CHECKSUM)
    dvmp_row_sums_begin(c);
}

/* What is compared beside us is told at once. */
static void await_step(void) {
  uint64_t word;
  if (dvmp_emit_ask(dvmp_live_steps() ? DVMT_LIVE_STEP : DVMT_LIVE_NOTHING) && dvmp_live_steps())
    dvmp_live_answer(&word, sizeof(word));
}

static void tell_sums(const struct dvmp_construct *c) {
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_USE)); i = i->next) {
    const struct dvmp_array *a = i->use == 'r' ? NULL : dvmp_array_at((uintptr_t)dvmrt_num_value(i->ref.address, c->args));
    if (a)
      tell_array(a);
  }
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_SHARED)); i = i->next)
    tell_shared(c, i, i->ref.name, (const void *)(uintptr_t)dvmrt_num_value(i->ref.address, c->args),
                (uint64_t)dvmrt_num_value(i->bytes, c->args));
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REACHED)); i = i->next)
    tell_reached(c, i);
}

void dvmp_record_direct(const struct dvmrt_directive *d, const int64_t *args) {
  if (!dvmp_emit_wanted() || dvmp_levels_program() == DVMT_LEVEL_NONE)
    return;
  struct told *t = told_of(d);
  if (!t->site)
    t->site = dvmp_emit_site(d->site->text, DVMT_SITE_DIRECT, arguments_of(d));
  dvmp_emit(t->site, DVMT_TAG_DIRECT, (const uint64_t *)args, arguments_of(d));
}

/* What is told of a construct behind its last turn. */
static void tell_end(const struct dvmp_construct *c) {
  dvmp_elements_leave(c);
  if (c->level != DVMT_LEVEL_SYSTEM && c->level != DVMT_LEVEL_MINIMAL)
    tell_sums(c);
  if (c->level != DVMT_LEVEL_SYSTEM)
    tell_executed(c);
  dvmp_row_sums_end();
  dvmp_emit(construct_of(c->d)->site, DVMT_TAG_LEAVE, NULL, 0);
}

void dvmp_record_leave(struct dvmp_construct *c) {
  if (!dvmp_emit_wanted() || !c->d->parallel || --depth)
    return;
  if (c->level != DVMT_LEVEL_NONE)
    tell_end(c);
  const struct told *t = construct_of(c->d);
  dvmp_levels_leave(&t->rule, t->executions);
  if (dvmp_live_wanted())
    await_step();
  else
    dvmp_emit_pace();
}

void dvmp_record_result(const struct dvmrt_directive *d, uint64_t number, uint64_t execution, const struct dvmp_result *value) {
  uint64_t words[6] = {number, dvmt_results_word((uint64_t)value->bytes, value->magnitude)};
  if (!dvmp_emit_wanted() || value->bytes > 32)
    return;
  memcpy(words + 2, value->at, (size_t)value->bytes);
  const struct told *t = construct_of(d);
  if (t->level != DVMT_LEVEL_NONE)
    dvmp_emit(t->site, DVMT_TAG_RESULT, words, 6);
  if (dvmp_live_wanted() && dvmp_options_recording.substitute) {
    struct dvmt_results_row row;
    if (dvmp_emit_ask(DVMT_LIVE_RESULT) && dvmp_live_answer(&row, sizeof(row)) && row.place)
      dvmp_results_apply(&row, value);
  }
  dvmp_results_put(d, number, execution, value);
}

/* ---- begin and end --------------------------------------------------------------------------------------------------------------- */

static __typeof__(&dvmt_inside_finish) inside_finish;
static pid_t recorded;

/* Beside this library. */
static void *load(void) {
  char path[4096];
  Dl_info info;
  const char *lib = dladdr((void *)(uintptr_t)dvmp_record_begin, &info) ? info.dli_fname : "", *slash = strrchr(lib, '/');
  snprintf(path, sizeof(path), "%.*s/" DVMT_INSIDE_LIBRARY, slash ? (int)(slash - lib) : 1, slash ? lib : ".");
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    dvmp_fail_all(1, NULL, "cannot load the recorder: %s", dlerror());
  return handle;
}

static void in_child(void) {
  dvmp_emit_end();
  dvmp_live_end();
}

void dvmp_record_begin(void) {
  const struct dvmp_recording *o = &dvmp_options_recording;
  __typeof__(&dvmt_inside_start_rank) start = NULL;
  if ((!o->job && !o->live) || dvmt_launcher_taken(getpid()))
    return;
  mallopt(M_MMAP_THRESHOLD, DVMT_CLEARED);
  if (o->live) {
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", getpid());
    setenv(DVMT_RECORDED_BY, pid, 1);
    pthread_atfork(NULL, NULL, in_child);
    dvmp_live_begin(o->live, o->step);
    dvmp_emit_begin_live();
    recorded = getpid();
    return;
  }
  void *handle = load();
  *(void **)&start = dlsym(handle, DVMT_INSIDE_START_RANK);
  *(void **)&inside_finish = dlsym(handle, DVMT_INSIDE_FINISH);
  const struct dvmt_inside_rank r = {o->file ? o->file : "trace.dvmt",       o->job,        "parallel",
                                     dvmt_level_name(dvmp_levels_program()), dvmp_job.rank, dvmp_job.size};
  struct dvmt_ring *ring = start && inside_finish ? start(&r) : NULL;
  if (!ring)
    dvmp_fail_here(1, NULL, "rank %d cannot record", dvmp_job.rank);
  recorded = getpid();
  pthread_atfork(NULL, NULL, dvmp_emit_end);
  dvmp_emit_begin(ring);
  dvmp_emit_program();
  if (o->results && o->substitute)
    dvmp_results_begin(o->results, dlsym(handle, DVMT_INSIDE_PLACE));
}

void dvmp_record_end(void) {
  if (!recorded || recorded != getpid())
    return;
  recorded = 0;
  if (dvmp_live_wanted()) {
    dvmp_emit_ask(DVMT_LIVE_NOTHING);
    in_child();
    return;
  }
  dvmp_emit_end();
  if (inside_finish())
    fprintf(stderr, "dvm: warning: the recording of rank %d is incomplete\n", dvmp_job.rank);
}

/* What a rank has assigned shows where an array differs from a copy that was made before, alike on all ranks: no subscripts have to be known, and an element that was
 * assigned the value it had is there on all ranks anyway. */
#include "runtime/parallel/consistent.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/plan.h"
#include "runtime/trace/digest.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct kept {
  struct kept *next;
  const char *name;
  char *at, *before;
  size_t bytes, unit; /* of an element */
  uint32_t *part; /* of each byte of an element: the number of the datum that it belongs to, which is assigned as a whole .. */
  uint32_t nparts; /* .. of so many; 1: the element is one */
};

struct dvmp_consistent {
  struct kept *first;
};

/* Of a pointer 'bytes' is a row: the allocation says how many there are from there on. */
static size_t size_of(const struct dvmrt_item *i, uintptr_t at, const int64_t *args) {
  size_t bytes = (size_t)dvmrt_num_value(i->bytes, args);
  if (i->ref.flags & DVMRT_REF_POINTER)
    bytes = bytes ? dvmp_plan_heap_left(at) / bytes * bytes : 0;
  return bytes;
}

/* Data of a struct are as they are declared; of what is between them each byte is one. */
static void find_parts(struct dvmp_construct *c, const char *at, struct kept *k) {
  uint32_t n = 0;
  char *end;
  k->part = dvmp_arena_get(&c->memory, k->unit * sizeof(*k->part));
  k->nparts = 1;
  for (uint64_t of[3]; at && *at; at = end) {
    for (int i = 0; i < 3; i++, at = end)
      of[i] = strtoull(at, &end, 10);
    if (!of[1])
      break;
    for (uint64_t byte = 0; byte < of[1] * of[2] && of[0] + byte < k->unit; byte++)
      k->part[of[0] + byte] = n + 1 + (uint32_t)(byte / of[1]);
    n += (uint32_t)of[2];
  }
  for (size_t byte = 0; n && byte < k->unit; byte++)
    k->part[byte] = k->part[byte] ? k->part[byte] - 1 : n++;
  k->nparts = n ? n : 1;
}

static void keep(struct dvmp_construct *c, const struct dvmrt_item *i, struct kept *k) {
  uintptr_t at = (uintptr_t)dvmrt_num_value(i->ref.address, c->args);
  size_t unit = (size_t)dvmrt_num_value(i->ref.element_bytes, c->args);
  k->name = i->ref.name;
  k->at = (char *)at;
  k->bytes = size_of(i, at, c->args);
  k->unit = unit && k->bytes % unit == 0 ? unit : 1;
  find_parts(c, k->unit == unit ? i->parts : NULL, k);
  if (dvmp_array_at(at))
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "'%s' in 'consistent' is distributed: the clause is for replicated arrays [dvm-usage]",
                  k->name);
  if (!k->bytes)
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos,
                  "the size of '%s' in 'consistent' is not known here: allocate it with malloc or calloc [dvm-usage]", k->name);
  k->before = dvmp_arena_get(&c->memory, k->bytes);
  memcpy(k->before, k->at, k->bytes);
}

/* Of the datum that lies at 'at'. */
static size_t size_of_part(const struct kept *k, size_t at) {
  const size_t first = at % k->unit;
  size_t n = 1;
  if (k->nparts == 1)
    return k->unit;
  while (first + n < k->unit && k->part[first + n] == k->part[first])
    n++;
  return n;
}

/* What has no value yet, or was private, is other data on each rank: then a rank could assign what it has there, and others have not. */
static bool is_alike(const struct kept *k) {
  const struct dvmp_group *g = dvmp_job.group;
  const uint64_t mine = dvmt_digest_array(k->at, k->bytes, 1);
  uint64_t *all = calloc((size_t)dvmp_job.size, sizeof(*all));
  bool alike = true;
  if (!all)
    dvmp_out_of_memory();
  dvmp_job_gather(&mine, sizeof(mine), all);
  for (int i = 0; i < (g ? g->n : dvmp_job.size); i++)
    alike &= all[g ? g->rank[i] : i] == mine;
  free(all);
  return alike;
}

/* Of the datum at 'at', which is of 'n' bytes: 'first' has what the first rank has.  Pointers are each rank's own. */
static bool are_addresses(const struct kept *k, const char *first, size_t at, size_t n) {
  const uintptr_t low = 1 << 16, high = (uintptr_t)1 << 47;
  uintptr_t mine, theirs;
  unsigned char there;
  if (n != sizeof(mine))
    return false;
  memcpy(&mine, k->at + at, n);
  memcpy(&theirs, first + at, n);
  if (mine < low || mine >= high || theirs < low || theirs >= high)
    return false;
  return !mincore((void *)(mine & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1)), 1, &there);
}

static void make_alike(struct kept *k) {
  if (dvmp_job.size == 1 || is_alike(k))
    return;
  dvmp_job_tell(k->before, k->bytes, dvmp_job.root);
  for (size_t at = 0, n; at < k->bytes; at += n) {
    n = size_of_part(k, at);
    if (!are_addresses(k, k->before, at, n))
      memcpy(k->at + at, k->before + at, n);
  }
  memcpy(k->before, k->at, k->bytes);
}

void dvmp_consistent_begin(struct dvmp_construct *c) {
  struct kept **last = NULL;
  if (!c->inside)
    return;
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_CONSISTENT)); i = i->next) {
    if (!c->consistent) {
      c->consistent = dvmp_arena_get(&c->memory, sizeof(*c->consistent));
      last = &c->consistent->first;
    }
    *last = dvmp_arena_get(&c->memory, sizeof(**last));
    keep(c, i, *last);
    make_alike(*last);
    last = &(*last)->next;
  }
}

void dvmp_consistent_back(struct dvmp_construct *c) {
  for (struct kept *k = c->consistent && c->recompute ? c->consistent->first : NULL; k; k = k->next)
    memcpy(k->at, k->before, k->bytes);
}

/* ---- what has changed ------------------------------------------------------------------------------------------------------------ */

/* Runs of elements: where one begins, how many bytes it has, these. */
struct changes {
  char *at;
  size_t n, room;
};

static void add(struct changes *c, const void *p, size_t n) {
  if (c->n + n > c->room) {
    c->room = 2 * c->room + n + 256;
    c->at = realloc(c->at, c->room);
    if (!c->at)
      dvmp_out_of_memory();
  }
  memcpy(c->at + c->n, p, n);
  c->n += n;
}

static bool differs(const struct kept *k, size_t at) { return memcmp(k->at + at, k->before + at, size_of_part(k, at)) != 0; }

static struct changes find_changes(const struct kept *k) {
  struct changes c = {NULL, 0, 0};
  for (size_t from = 0, to; from < k->bytes; from = to) {
    for (to = from; to < k->bytes && differs(k, to);)
      to += size_of_part(k, to);
    const uint64_t run[2] = {from, to - from};
    if (to > from) {
      add(&c, run, sizeof(run));
      add(&c, k->at + from, to - from);
    } else {
      to = from + size_of_part(k, from);
    }
  }
  return c;
}

/* 'whose': of each datum the rank that has told it, from 1. */
static void take_changes(const struct dvmp_construct *c, const struct kept *k, const struct changes *from, int rank, int *whose) {
  uint64_t run[2];
  for (size_t n = 0; n < from->n; n += sizeof(run) + run[1]) {
    memcpy(run, from->at + n, sizeof(run));
    for (size_t at = run[0]; at < run[0] + run[1]; at += size_of_part(k, at)) {
      int *who = &whose[at / k->unit * k->nparts + k->part[at % k->unit]];
      if (*who)
        dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos,
                      "element %zu of '%s', counted from 0, is assigned by iterations of rank %d and of rank %d [dvm-loop-dependence]\n"
                      "help: let one iteration assign it",
                      at / k->unit, k->name, *who - 1, rank);
      *who = rank + 1;
    }
    memcpy(k->at + run[0], from->at + n + sizeof(run), run[1]);
  }
}

static void exchange(const struct dvmp_construct *c, const struct kept *k) {
  struct changes mine = c->counts ? find_changes(k) : (struct changes){NULL, 0, 0};
  uint64_t *sizes = calloc((size_t)dvmp_job.size, sizeof(*sizes)), n = mine.n;
  int *whose = calloc(k->bytes / k->unit * k->nparts, sizeof(*whose));
  if (!sizes || !whose)
    dvmp_out_of_memory();
  dvmp_job_gather(&n, sizeof(n), sizes);
  for (int q = 0; q < dvmp_job.size; q++) {
    struct changes theirs = {q == dvmp_job.rank ? mine.at : malloc(sizes[q] + 1), sizes[q], 0};
    if (!theirs.at && sizes[q])
      dvmp_out_of_memory();
    if (sizes[q])
      dvmp_job_tell(theirs.at, theirs.n, q);
    take_changes(c, k, &theirs, q, whose);
    free(theirs.at);
  }
  free(sizes);
  free(whose);
}

void dvmp_consistent_end(struct dvmp_construct *c) {
  for (struct kept *k = c->consistent ? c->consistent->first : NULL; k; k = k->next)
    exchange(c, k);
}

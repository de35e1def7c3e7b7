/* Accesses of second bodies (DVM_OPTIONS=poison=1): each is judged by the state of its element. */
#include "runtime/parallel/check.h"
#include "runtime/parallel/abi.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/edges.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/levels.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/where.h"
#include "runtime/data/mem.h"
#include "runtime/export.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t *flags[1024]; /* of the objects */
static int nflags;

static bool wanted(void) { return dvmp_job.poison || dvmp_options_recording.elements_file || dvmp_levels_iterations(); }

DVMRT_EXPORT void __dvmp_checked(int32_t *flag) {
  if (nflags < 1024)
    flags[nflags++] = flag;
  *flag = wanted();
}

void dvmp_check_gone(uintptr_t address, uint64_t bytes) {
  int n = 0;
  for (int i = 0; i < nflags; i++)
    if ((uintptr_t)flags[i] - address >= bytes)
      flags[n++] = flags[i];
  nflags = n;
}

void dvmp_check_begin(void) {
  for (int i = 0; i < nflags; i++)
    *flags[i] = wanted();
}

/* ---- words ---------------------------------------------------------------------------------------------------------------------- */

struct verdict {
  const char *what, *id, *help;
};

/* In the edge that is declared. */
static bool in_edge(const struct dvmp_array *a, uintptr_t at) {
  int64_t ix[DVMRT_NDIMS_MAX];
  struct dvmp_arena m = {NULL};
  struct dvmp_set s = dvmp_array_with_edges(&m, a, dvmp_job.rank, a->low, a->high);
  bool in = true;
  dvmp_array_indices(a, at, ix);
  for (int d = 0; d < a->ndims && in; d++)
    in = dvmp_list_has(s.dim[d], ix[d]);
  dvmp_arena_free(&m);
  return in || dvmp_edges_hold(a, at);
}

static bool has_clause(const struct dvmrt_directive *d, char key, const struct dvmp_array *a) {
  for (const struct dvmrt_item *i = d ? dvmrt_directive_find(d->items, key) : NULL; i; i = dvmrt_directive_find(i->next, key))
    if (!strcmp(i->ref.name, a->name))
      return true;
  return false;
}

static struct verdict judge_write(const struct dvmp_array *a, uintptr_t at, uint8_t state) {
  if (has_clause(dvmp_construct_current(), DVMRT_DIRECTIVE_REMOTE, a) && state == DVMP_REMOTE)
    return (struct verdict){"written, although 'remote_access' fetched it for reading only,", "dvm-remote-write",
                            "write it in a loop that is executed by its owner"};
  if (in_edge(a, at))
    return (struct verdict){"written in the shadow edge", "dvm-shadow-write", "make its owner execute the iteration that writes it"};
  return (struct verdict){"written", "dvm-nonlocal-access", "make its owner execute the iteration that writes it: change 'on'"};
}

static struct verdict judge_read(const struct dvmp_array *a, uintptr_t at, uint8_t state) {
  const struct dvmrt_directive *d = dvmp_construct_current();
  bool edge = in_edge(a, at);
  if (state == DVMP_UNSET)
    return (struct verdict){"read before it has a value", "dvm-uninitialized", "assign it first"};
  if (state == DVMP_PENDING)
    return (struct verdict){"read while its exchange is under way", "dvm-shadow-pending",
                            "wait for the shadow group first, with 'shadow_wait'"};
  if (!dvmp_job.inside)
    return (struct verdict){"read in the sequential part", "dvm-sequential-access", "put '#pragma dvm remote_access' before the statement"};
  if (has_clause(d, DVMRT_DIRECTIVE_REMOTE, a))
    return (struct verdict){"read, although 'remote_access' does not fetch it,", "dvm-remote-uncovered",
                            "extend its section to include the element"};
  if (has_clause(d, DVMRT_DIRECTIVE_ACROSS, a))
    return (struct verdict){"read, although 'across' does not fetch it,", "dvm-across-distance",
                            "declare the width of the dependence in 'across'"};
  if (state == DVMP_STALE)
    return (struct verdict){"read from the shadow edge, which is older than the last write,", "dvm-shadow-stale",
                            "add 'shadow_renew' to the directive"};
  if (edge)
    return (struct verdict){"read from the shadow edge, which was not renewed,", "dvm-shadow-stale", "add 'shadow_renew' to the directive"};
  if (state == DVMP_OVER)
    return (struct verdict){"read after the construct whose 'remote_access' fetched it", "dvm-nonlocal-access",
                            "add 'remote_access' to this directive"};
  return (struct verdict){"read", "dvm-nonlocal-access", "add 'remote_access' to the directive, or a wider 'shadow' and 'shadow_renew'"};
}

static void fail(struct dvmp_array *a, uintptr_t at, bool write, struct dvmrt_site *site) {
  char element[256], own[256];
  uint8_t state = a->poison->state[(at - a->address) / a->element_bytes];
  struct verdict v = write ? judge_write(a, at, state) : judge_read(a, at, state);
  const struct dvmrt_directive *d = dvmp_construct_current();
  bool entered = dvmrt_mem_enter();
  const struct dvmrt_access *x = site ? dvmrt_site_access(site) : NULL;
  if (entered)
    dvmrt_mem_leave();
  dvmp_where_element(element, sizeof(element), a, at);
  dvmp_where_own(own, sizeof(own), a);
  char in[256] = "";
  if (d && d->pos.file)
    snprintf(in, sizeof(in), ", in the '%s' at %s:%u", d->kind, d->pos.file, d->pos.line);
  char whose[64] = "";
  if (state != DVMP_UNSET)
    snprintf(whose, sizeof(whose), ", which belongs to rank %d,", dvmp_array_owner(a, at));
  dvmp_fail_here(DVMP_STATUS_WRONG, x ? &x->pos : dvmp_construct_place(), "'%s'%s is %s by rank %d, which has %s%s [%s]\nhelp: %s", element,
                 whose, v.what, dvmp_job.rank, own, in, v.id, v.help);
}

/* ---- accesses ------------------------------------------------------------------------------------------------------------------- */

static bool is_poison(const struct dvmp_array *a, uintptr_t at, uint64_t size) {
  uint64_t in = (at - a->address) % a->element_bytes;
  if (in + size > a->element_bytes)
    size = a->element_bytes - in;
  return !memcmp((const void *)at, a->poison->value + in, size);
}

/* An element, or a part of one. */
static void check_read(struct dvmp_array *a, uintptr_t at, uint64_t size, struct dvmrt_site *site) {
  uint8_t state = a->poison->state[(at - a->address) / a->element_bytes];
  if (state == DVMP_OWN || state == DVMP_REMOTE || (state == DVMP_EDGE && dvmp_job.inside))
    return;
  if (!dvmp_job_together() || state == DVMP_UNSET || dvmp_job.size == 1) {
    if (state == DVMP_PENDING || is_poison(a, at, size))
      fail(a, at, false, site);
    return;
  }
  if (!dvmp_construct_fetched(a, at))
    fail(a, at, false, site);
}

static bool is_written(struct dvmp_array *a, uintptr_t at) {
  uint8_t *state = &a->poison->state[(at - a->address) / a->element_bytes];
  if (dvmp_job.edges && *state > DVMP_UNSET) /* of another rank's iteration */
    return *state != DVMP_REMOTE;
  if (*state > DVMP_UNSET)
    return false;
  *state = DVMP_OWN;
  return a->poison->written = true;
}

DVMRT_EXPORT void *__dvmp_check(void *p, uint64_t size, struct dvmrt_site *site) {
  uintptr_t at = (uintptr_t)p;
  struct dvmp_array *a = dvmp_array_at(at);
  if (!a || !a->poison || !size)
    return p;
  char kind = site->text[2]; /* "K r" */
  if (kind != 'w')
    check_read(a, at, size, site);
  if (kind == 'r')
    return p;
  if (dvmp_job_together()) {
    dvmp_poison_assigned(a, at, size);
    return dvmp_sequential_target(a, p, size);
  }
  if (!is_written(a, at))
    fail(a, at, true, site);
  return p;
}

void dvmp_check_range(struct dvmp_array *a, uintptr_t at, uint64_t size, bool write, struct dvmrt_site *site) {
  if (!a->poison)
    return;
  uintptr_t end = at + size < a->end ? at + size : a->end;
  for (uintptr_t p = at; p < end; p += a->element_bytes - (p - a->address) % a->element_bytes) {
    if (!write) {
      if (a->poison->state[(p - a->address) / a->element_bytes] != DVMP_UNSET) /* no values may be copied */
        check_read(a, p, 1, site);
    } else if (!is_written(a, p))
      fail(a, p, true, site);
  }
}

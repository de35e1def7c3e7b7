#include "runtime/parallel/facts.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/data/facts.h"
#include "runtime/export.h"
#include <stdlib.h>
#include <string.h>

/* What ends a run; the ids are those of the checker, and two of parallel runs. */
static const char *const ids[] = {"error",           "divergence",     "usage",        "nonlocal-access",  "sequential-access",
                                  "shadow-stale",    "shadow-pending", "shadow-write", "remote-uncovered", "remote-write",
                                  "across-distance", "uninitialized"};
enum { NIDS = sizeof(ids) / sizeof(ids[0]) };
static const uint8_t severities[NIDS];

struct finding {
  struct finding *next;
  uint32_t id;
  char *message, *what;
  const struct dvmrt_directive *construct;
  struct dvmrt_pos pos;
  uint64_t count;
};
static struct finding *findings;
static const uint64_t none;

/* ---- how records lie ------------------------------------------------------------------------------------------------------------ */

static void tell_arrays(struct dvm_facts *f) {
  f->arrays = (uintptr_t)dvmp_array_list();
  DVMRT_FACT(f, ARRAY_NEXT, struct dvmp_array, next);
  DVMRT_FACT(f, ARRAY_NAME, struct dvmp_array, name);
  DVMRT_FACT(f, ARRAY_FILE, struct dvmp_array, declared.file);
  DVMRT_FACT(f, ARRAY_LINE, struct dvmp_array, declared.line);
  DVMRT_FACT(f, ARRAY_ADDRESS, struct dvmp_array, address);
  DVMRT_FACT(f, ARRAY_TEMPLATE, struct dvmp_array, is_template);
  DVMRT_FACT(f, ARRAY_DISTRIBUTED, struct dvmp_array, distributed);
  DVMRT_FACT(f, ARRAY_ALIGNED, struct dvmp_array, aligned);
  DVMRT_FACT(f, ARRAY_TYPE, struct dvmp_array, type);
  DVMRT_FACT(f, ARRAY_ELEMENT, struct dvmp_array, element_bytes);
  DVMRT_FACT(f, ARRAY_NDIMS, struct dvmp_array, ndims);
  DVMRT_FACT(f, ARRAY_EXTENT, struct dvmp_array, extent);
  DVMRT_FACT(f, ARRAY_DIST, struct dvmp_array, dist);
  DVMRT_FACT(f, ARRAY_TARGET, struct dvmp_array, target_name);
  DVMRT_FACT(f, ARRAY_NTARGET, struct dvmp_array, nmap);
  DVMRT_FACT(f, ARRAY_MAP, struct dvmp_array, map);
  DVMRT_FACT(f, ARRAY_LOW, struct dvmp_array, low);
  DVMRT_FACT(f, ARRAY_HIGH, struct dvmp_array, high);
  DVMRT_FACT(f, ARRAY_OWN, struct dvmp_array, own.dim);
  DVMRT_FACT(f, ARRAY_ROOT, struct dvmp_array, layout.root);
  DVMRT_FACT(f, ARRAY_NROOT, struct dvmp_array, layout.ndims);
  DVMRT_FACT(f, ARRAY_DIVIDED, struct dvmp_array, layout.block);
  DVMRT_FACT(f, ARRAY_PLACE, struct dvmp_array, layout.at);
  DVMRT_FACT(f, ARRAY_GRID, struct dvmp_array, grid);
  DVMRT_FACT(f, ARRAY_POISON, struct dvmp_array, poison);
  DVMRT_FACT(f, POISON_STATES, struct dvmp_poison, state);
}

static void tell_parts(struct dvm_facts *f) {
  f->fields[DVM_FACTS_LIST_BYTES].bytes = sizeof(struct dvmp_list);
  DVMRT_FACT(f, LIST_COUNT, struct dvmp_list, n);
  DVMRT_FACT(f, LIST_SPANS, struct dvmp_list, at);
  f->fields[DVM_FACTS_SPAN_BYTES].bytes = sizeof(struct dvmp_span);
  DVMRT_FACT(f, SPAN_LOW, struct dvmp_span, low);
  DVMRT_FACT(f, SPAN_HIGH, struct dvmp_span, high);
  DVMRT_FACT(f, GRID_AXES, struct dvmp_grid, axis);
  f->fields[DVM_FACTS_AXIS_BYTES].bytes = sizeof(struct dvmp_axis);
  DVMRT_FACT(f, AXIS_PROCS, struct dvmp_axis, nprocs);
  DVMRT_FACT(f, AXIS_PARTS, struct dvmp_axis, part);
}

static void tell_constructs(struct dvm_facts *f) {
  f->now = (uintptr_t)&dvmp_job;
  DVMRT_FACT(f, NOW_RANK, struct dvmp_job, rank);
  DVMRT_FACT(f, NOW_RANKS, struct dvmp_job, size);
  DVMRT_FACT(f, FRAME_OUTER, struct dvmp_construct, outer);
  DVMRT_FACT(f, FRAME_DIRECTIVE, struct dvmp_construct, d);
  DVMRT_FACT(f, FRAME_CLAMPED, struct dvmp_construct, clamped);
  DVMRT_FACT(f, FRAME_PART, struct dvmp_construct, part);
  DVMRT_FACT(f, FRAME_TURN, struct dvmp_construct, turn);
  DVMRT_FACT(f, FRAME_TURNS, struct dvmp_construct, turns);
}

static void tell_findings(struct dvm_facts *f) {
  f->ids = (uintptr_t)ids;
  f->severities = (uintptr_t)severities;
  f->nids = NIDS;
  f->findings = (uintptr_t)&findings;
  DVMRT_FACT(f, FINDING_NEXT, struct finding, next);
  DVMRT_FACT(f, FINDING_ID, struct finding, id);
  DVMRT_FACT(f, FINDING_MESSAGE, struct finding, message);
  DVMRT_FACT(f, FINDING_WHAT, struct finding, what);
  DVMRT_FACT(f, FINDING_CONSTRUCT, struct finding, construct);
  DVMRT_FACT(f, FINDING_FILE, struct finding, pos.file);
  DVMRT_FACT(f, FINDING_LINE, struct finding, pos.line);
  DVMRT_FACT(f, FINDING_COLUMN, struct finding, pos.column);
  DVMRT_FACT(f, FINDING_COUNT, struct finding, count);
}

void dvmp_facts_begin(void) {
  struct dvm_facts *f = &__dvm_facts;
  f->groups = f->loops = f->accesses = (uintptr_t)&none;
  dvmrt_shared_facts(f);
  tell_arrays(f);
  tell_parts(f);
  tell_constructs(f);
  tell_findings(f);
}

/* ---- diagnostics ---------------------------------------------------------------------------------------------------------------- */

DVMRT_EXPORT __attribute__((noinline)) void __dvm_diagnostic(void) { __asm__ volatile(""); }

static uint32_t id_of(const char *message) {
  const char *at = strstr(message, " [dvm-");
  for (uint32_t i = 1; i < NIDS && at; i++) {
    size_t n = strlen(ids[i]);
    if (!strncmp(at + 6, ids[i], n) && at[6 + n] == ']')
      return i;
  }
  return 0;
}

/* What the message puts into quotes first, without subscripts: an array, in most of them. */
static char *name_in(const char *message) {
  const char *from = strchr(message, '\'');
  return from ? strndup(from + 1, strcspn(from + 1, "'[")) : strdup("");
}

void dvmp_facts_tell(const struct dvmrt_pos *at, const char *message) {
  struct finding *one = calloc(1, sizeof(*one)), **last = &findings;
  if (one) {
    size_t n = strcspn(message, "\n");
    *one = (struct finding){.id = id_of(message), .construct = dvmp_construct_current(), .count = 1};
    const char *id = strstr(message, " [dvm-");
    n = id && (size_t)(id - message) < n ? (size_t)(id - message) : n;
    one->message = strndup(message, n);
    one->what = name_in(message);
    if (at && at->file)
      one->pos = *at;
    while (*last)
      last = &(*last)->next;
    *last = one;
  }
  __dvm_diagnostic();
}

/* Entry points of abi.h: constructs and directives. */
#include "runtime/entry/inside.h"
#include "runtime/entry/direct.h"
#include "runtime/abi_pieces.h"
#include "runtime/rules/reduce.h"
#include "runtime/rules/section.h"
#include "runtime/rules/stretch.h"
#include "runtime/rules/summary.h"
#include "runtime/rules/turns.h"
#include "runtime/rules/repeat.h"

/* A construct in code that interrupted the runtime runs unobserved; all that must be right is 'once'. */
static __thread struct dvmrt_site *unobserved __attribute__((tls_model("initial-exec")));

static int enter_construct(struct dvmrt_site *site, void *frame, const int64_t *args) {
  if (unobserved == site) {
    unobserved = NULL;
    return 0;
  }
  if (!enter())
    return 1;
  int run = dvmrt_construct_enter(dvmrt_directive_of(site), frame, args);
  leave();
  return run;
}

int __dvmrt_enter(struct dvmrt_site *site, void *frame, const int64_t *args) {
  if (DVMRT_UNLIKELY(dvmrt_section_nwaiting) && enter()) {
    dvmrt_section_close();
    leave();
  }
  return dvmrt_construct_enter_again(site, frame, args, enter_construct);
}

static void leave_construct(struct dvmrt_site *site, void *frame) {
  if (!enter()) {
    unobserved = site;
    return;
  }
  dvmrt_construct_leave(dvmrt_directive_of(site), frame);
  leave();
}

void __dvmrt_leave(struct dvmrt_site *site, void *frame) { dvmrt_construct_leave_again(site, frame, leave_construct); }

void __dvmrt_row(struct dvmrt_site *construct) {
  if (!enter())
    return;
  dvmrt_construct_row(dvmrt_directive_of(construct));
  leave();
}

static __attribute__((noinline)) int prove(struct dvmrt_site *construct, const struct dvmrt_summary *s, const int64_t *box,
                                           const int64_t *values) {
  if (!enter())
    return dvmrt_finding_stopped;
  int proved = dvmrt_summary_prove(dvmrt_directive_of(construct), s, box, values);
  leave();
  return proved;
}

int __dvmrt_summary(struct dvmrt_site *construct, const struct dvmrt_summary *s, const int64_t *box, const int64_t *values) {
  return __dvmrt_now.mask ? prove(construct, s, box, values) : dvmrt_finding_stopped;
}

int __dvmrt_data(struct dvmrt_site *construct, const void *p, uint64_t size) {
  if (!enter())
    return 0;
  int known = dvmrt_summary_data(dvmrt_directive_of(construct), (uintptr_t)p, size);
  leave();
  return known;
}

int __dvmrt_stretch(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (!enter())
    return dvmrt_finding_stopped;
  int proved = dvmrt_stretch_prove(s, turns, first);
  leave();
  return proved;
}

static __attribute__((noinline)) int prove_turns(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (dvmrt_turns_certain(s, turns, first))
    return 1;
  if (!enter())
    return 0;
  int proved = dvmrt_turns_prove(s, turns, first);
  leave();
  return proved;
}

int __dvmrt_turns(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped))
    return 1;
  if (!__dvmrt_now.mask)
    return prove_turns(s, turns, first);
  return !dvmrt_mem_inside() && dvmrt_turns_own(s, turns, first);
}

int __dvmrt_certain(const struct dvmrt_pieces *pieces, uint64_t n, uint64_t turns, const uintptr_t *first) {
  return !__dvmrt_now.mask && !dvmrt_doubt_any_piece(pieces, n, turns, first);
}

void __dvmrt_direct(struct dvmrt_site *site, const int64_t *args) {
  if (!enter())
    return;
  dvmrt_repeat_end();
  dvmrt_direct_run(dvmrt_directive_of(site), args);
  leave();
}

const struct dvmrt_view *__dvmrt_view(struct dvmrt_site *construct, uint32_t use, uint32_t shift) {
  static const struct dvmrt_view none = {.first_read = DVMRT_W_FIRST, .first_write = UINT32_MAX};
  if (!enter())
    return &none;
  const struct dvmrt_view *v = dvmrt_construct_view(dvmrt_directive_of(construct), use, shift);
  leave();
  return v;
}

int __dvmrt_reduction(struct dvmrt_site *construct, uint32_t number, uint32_t state, const void *before, const void *result,
                      const void *partial, double magnitude, double roundings, const void *loc_before, const void *loc_result,
                      const void *loc_partial, uint64_t loc_bytes) {
  if (!enter())
    return 0;
  struct dvmrt_evaluation e = {.number = number,
                               .disturbed = state & 1,
                               .tied = state & 2,
                               .before = before,
                               .result = result,
                               .partial = partial,
                               .magnitude = magnitude,
                               .roundings = roundings,
                               .each_iteration = state >> DVMRT_ROUNDINGS_SHIFT,
                               .loc_before = loc_before,
                               .loc_result = loc_result,
                               .loc_partial = loc_partial,
                               .loc_bytes = loc_bytes};
  bool replace = dvmrt_reduce_compare(dvmrt_directive_of(construct), &e);
  leave();
  return replace;
}

void __dvmrt_results(struct dvmrt_site *construct, uint32_t number, uint32_t state, const void *before, void *result, const void *partial,
                     const void *last, const double *magnitude, uint64_t count) {
  if (!enter())
    return;
  struct dvmrt_results r = {number, state & 1, before, result, partial, last, magnitude, count};
  dvmrt_reduce_results(dvmrt_directive_of(construct), &r);
  leave();
}

void __dvmrt_step(struct dvmrt_site *construct, uint32_t numbers, uint32_t over) {
  if (!enter())
    return;
  dvmrt_reduce_step(dvmrt_directive_of(construct), numbers, over);
  leave();
}

void __dvmrt_escape(struct dvmrt_site *access) {
  if (DVMRT_UNLIKELY(dvmrt_finding_stopped) || dvmrt_repeat_count(access, DVMRT_REPEAT_ESCAPE) || !enter())
    return;
  dvmrt_reduce_escape(access);
  leave();
}

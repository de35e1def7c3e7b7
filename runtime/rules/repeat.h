/* Accesses that give again what they have been reported for.
 *
 * The first report of a place says all but how often, and which widths all of its occurrences need.  Where the answer for the
 * next access of a site can only be one of those that it has given already in this execution of its nest, with widths that the
 * clause holds, it is counted by the site alone: without the lock, without an event, without names.  The counts go to the
 * findings when the execution is over, or whatever else the answers rest on may change (dvmrt_repeat_end). */
#ifndef DVMRT_REPEAT_H
#define DVMRT_REPEAT_H
#include "runtime/rules/check.h"
#include "runtime/rules/group.h"
#include "runtime/rules/offsets.h"
#include "runtime/data/finding.h"
#include "runtime/data/due.h"

extern bool dvmrt_repeat_wanted; /* repeats=1 */

/* All but the inline functions inside dvmrt_mem_enter.  '*_note': the access has just been judged and reported; 'hits': what
 * dvmrt_finding_hits said before that. */
void dvmrt_repeat_note_place(const struct dvmrt_event *ev, uint64_t hits);
/* An access to a variable whose reduction is under way. */
void dvmrt_repeat_note_pending(const struct dvmrt_event *ev, const struct dvmrt_pending_var *v, uint64_t hits);
void dvmrt_repeat_note_sequential(const struct dvmrt_event *ev, uint64_t hits);
/* An access to an array under 'across', right or wrong. */
void dvmrt_repeat_note_across(const struct dvmrt_event *ev, struct dvmrt_clause_array *c, bool covered, uint64_t hits);
void dvmrt_repeat_note_word(const struct dvmrt_event *ev, enum dvmrt_verdict v, uint64_t hits);
void dvmrt_repeat_note_bounds(const struct dvmrt_event *ev, uint64_t hits);
void dvmrt_repeat_note_escape(struct dvmrt_access *x, uint64_t hits);
void dvmrt_repeat_note_local(const struct dvmrt_event *ev, enum dvmrt_verdict v, uint64_t hits);
/* A read of an element in the sequential part, of which only a row is counted (turns.h). */
void dvmrt_repeat_note_turns(const struct dvmrt_event *ev, uint64_t hits);
/* An access in the sequential part that dvmrt_check_assigns_again may judge from now on. */
void dvmrt_repeat_note_waits(const struct dvmrt_event *ev);
/* What the answers rest on may change: the counts go to their findings. */
extern struct dvmrt_access *dvmrt_repeat_first; /* of those whose accesses are counted; or NULL */
void dvmrt_repeat_end_all(void);
static inline void dvmrt_repeat_end(void) {
  if (DVMRT_UNLIKELY(dvmrt_repeat_first))
    dvmrt_repeat_end_all();
  dvmrt_offsets_end();
}
/* Did all reports, since dvmrt_finding_hits said 'hits', go to one finding?  NULL: of what nobody wants to know. */
bool dvmrt_repeat_one(uint64_t hits, struct dvmrt_finding **f);
/* Drops them: the findings are gone. */
void dvmrt_repeat_forget(void);

/* Without the lock, by any thread.  The answers are the thread's that made them. */
static inline struct dvmrt_access *dvmrt_repeat_of(const struct dvmrt_site *site) {
  struct dvmrt_access *x = __atomic_load_n(&site->cache, __ATOMIC_ACQUIRE);
  return x && x->repeat.thread == &__dvmrt_now && !dvmrt_due ? x : NULL;
}
static inline bool dvmrt_repeat_count(struct dvmrt_site *site, enum dvmrt_repeat_kind kind) {
  struct dvmrt_access *x = dvmrt_repeat_of(site);
  if (!x || !x->repeat.finding[kind])
    return false;
  x->repeat.count[kind]++;
  return true;
}
/* Is every access of the site counted so, by any of 'kind'?  Inside dvmrt_mem_enter. */
static inline bool dvmrt_repeat_known(const struct dvmrt_access *x, int kind) {
  return x->repeat.thread == &__dvmrt_now && x->repeat.finding[kind];
}
/* The place of the access is counted if it is wrong again.  'ix': its subscripts, or NULL.  False: it is to be judged. */
bool dvmrt_repeat_place(struct dvmrt_access *x, uintptr_t a, const int64_t *ix, uint32_t flags);
/* The same in short, of reads of a row of elements that the iteration has asked about: far from its own one, that one, or at a place of
 * its edge that has been asked for in this execution. */
static inline bool dvmrt_repeat_row(struct dvmrt_access *x, uintptr_t a, const int64_t *ix, uint32_t flags) {
  struct dvmrt_repeat *r = &x->repeat;
  if (!r->row || r->iteration != __dvmrt_now.write || !ix || flags != DVMRT_READ || a != r->first + (uint64_t)ix[0] * r->unit)
    return false;
  const uint64_t at = (uint64_t)(ix[0] - r->near);
  if (at > r->width) {
    r->count[DVMRT_REPEAT_AWAY]++;
    return true;
  }
  if (ix[0] == r->own[0])
    return true;
  if (at >= DVMRT_REPEAT_EDGE || r->edge[at] == DVMRT_EDGE_ASK)
    return false;
  r->count[DVMRT_REPEAT_STALE] += r->edge[at] == DVMRT_EDGE_STALE;
  return true;
}
/* The access of 'size' bytes at 'a' changes its words, and is counted if they are wrong.  False: it is to be judged. */
bool dvmrt_repeat_touch(struct dvmrt_access *x, uintptr_t a, uint64_t size, uint32_t flags);
/* The same of a variable's word; '*word' becomes the new one. */
bool dvmrt_repeat_local(struct dvmrt_access *x, uint32_t *word, uint32_t kind, uint32_t flags);
/* A sum whose clause is missing, mostly: it is counted, and the word stays (dvmrt_check_word). */
static inline bool dvmrt_repeat_sum(struct dvmrt_access *x, uint32_t w, uint32_t flags) {
  const struct dvmrt_now *now = &__dvmrt_now;
  if (flags != DVMRT_WRITE || x->repeat.class != DVMRT_CLASS_FIRST || !x->repeat.finding[DVMRT_READONLY_WRITE] || !now->base ||
      w < now->base || (w & (DVMRT_W_FILLED | 1)))
    return false;
  x->repeat.count[DVMRT_READONLY_WRITE]++;
  return true;
}
#endif

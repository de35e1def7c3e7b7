#include "runtime/parallel/construct.h"
#include "runtime/parallel/abi.h"
#include "runtime/parallel/across.h"
#include "runtime/parallel/check.h"
#include "runtime/parallel/consistent.h"
#include "runtime/parallel/edges.h"
#include "runtime/parallel/elements.h"
#include "runtime/parallel/exchange.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/guard.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/record.h"
#include "runtime/parallel/recompute.h"
#include "runtime/parallel/reduce.h"
#include "runtime/parallel/task.h"
#include "runtime/parallel/wait.h"
#include "runtime/data/facts.h"
#include "runtime/data/mem.h"
#include "runtime/trace/object.h"
#include "runtime/export.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static struct dvmp_construct *stack[DEPTH_MAX];
static int depth;
static const struct dvmrt_pos *place;

const struct dvmrt_pos *dvmp_construct_place(void) { return place; }
void dvmp_construct_at(const struct dvmrt_pos *pos) { place = pos; }

const struct dvmrt_directive *dvmp_construct_current(void) { return depth ? stack[depth - 1]->d : NULL; }
int dvmp_construct_depth(void) { return depth; }

struct dvmp_construct *dvmp_construct_top(void) { return depth ? stack[depth - 1] : NULL; }

/* ---- turns ---------------------------------------------------------------------------------------------------------------------- */

static void set_clamps(struct dvmp_construct *c, int64_t *clamps) {
  int64_t turn = c->turn;
  for (int k = c->d->rank - 1; k >= 0; k--) {
    int64_t *to = &clamps[4 * k];
    to[0] = DVMP_NO_LOW;
    to[1] = DVMP_NO_HIGH;
    to[2] = c->whole[k].n ? c->whole[k].at[0].low : 1;
    to[3] = c->whole[k].n ? c->whole[k].at[0].high : 0;
    if (!c->clamped[k])
      continue;
    int n = c->part[k].n > 0 ? c->part[k].n : 1;
    to[0] = c->part[k].n ? c->part[k].at[turn % n].low : 1;
    to[1] = c->part[k].n ? c->part[k].at[turn % n].high : 0;
    if (!c->across)
      turn /= n;
  }
}

static bool is_loop_of_tasks(const struct dvmp_construct *c) { return c->tasks && c->d->parallel; }

static int take_turn(struct dvmp_construct *c, int64_t *clamps) {
  if (is_loop_of_tasks(c))
    dvmp_task_turn(c);
  set_clamps(c, clamps);
  dvmp_across_turn(c, clamps);
  for (int k = 0; c->across && c->idle && k < c->d->rank; k++) {
    clamps[4 * k] = 1;
    clamps[4 * k + 1] = 0;
  }
  dvmp_profile_time(c->inside ? DVMP_TIME_PART : DVMP_TIME_ALL);
  return 1;
}

static const char *kind_name(const struct dvmp_construct *c) { return c->d->kind; }

static int finish(struct dvmp_construct *c, int64_t *at) {
  dvmp_job.inside -= c->inside;
  dvmp_across_end(c);
  dvmp_reduce_end(c, at);
  dvmp_consistent_end(c);
  dvmp_record_leave(c);
  for (struct dvmrt_item *i = c->d->items; c->d->parallel && (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_SHADOW)); i = i->next)
    if (!strcmp(i->word, "start"))
      dvmp_exchange_start(c->d, i->ref.name);
  dvmp_task_leave(c);
  dvmp_task_end(c);
  if (--depth == 0)
    dvmp_guard_close_all();
  __dvm_facts.frame = (uintptr_t)dvmp_construct_top();
  dvmp_recompute_keep(c);
  if (c->d->parallel || dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_REMOTE))
    dvmp_poison_end(depth);
  dvmp_recompute_end(c);
  dvmp_arena_free(&c->memory);
  dvmp_profile_leave();
  return 0;
}

/* The iterations of the rank's own part: after those that it executes for its edges, of which nothing else is to be left. */
static int begin_own(struct dvmp_construct *c, int64_t *clamps, int64_t *at) {
  dvmp_consistent_back(c);
  if (!c->d->parallel)
    dvmp_record_direct(c->d, c->args);
  dvmp_record_enter(c);
  dvmp_reduce_begin(c, at);
  return c->turns > 0 ? take_turn(c, clamps) : finish(c, at);
}

static void push(struct dvmp_construct *c) {
  stack[depth++] = c;
  __dvm_facts.frame = (uintptr_t)c;
  dvmp_job.inside += c->inside;
}

static void pop(struct dvmp_construct *c) {
  dvmp_job.inside -= c->inside;
  depth--;
  __dvm_facts.frame = (uintptr_t)dvmp_construct_top();
}

static int begin_turns(struct dvmp_construct *c, int64_t *clamps, int64_t *at) {
  if (c->d->parallel)
    dvmp_across_begin(c);
  dvmp_consistent_begin(c);
  push(c);
  return dvmp_recompute_begin(c) ? take_turn(c, clamps) : begin_own(c, clamps, at);
}

static int begin(struct dvmp_construct *c, int64_t *clamps, int64_t *at) {
  const struct dvmp_construct *outer = dvmp_construct_top();
  if (dvmp_job.inside)
    dvmp_fail_here(DVMP_STATUS_WRONG, &c->d->pos, "this '%s' is executed inside the parallel loop at %s:%u, by some ranks only [dvm-usage]",
                   kind_name(c), outer && outer->d->pos.file ? outer->d->pos.file : "?", outer ? outer->d->pos.line : 0);
  if (depth == DEPTH_MAX)
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "constructs are nested more than %d deep [dvm-usage]", DEPTH_MAX);
  c->outer = dvmp_construct_top();
  dvmp_task_find(c);
  if (!dvmp_task_enter(c)) { /* others execute it */
    dvmp_arena_free(&c->memory);
    dvmp_profile_leave();
    return 0;
  }
  if (c->d->parallel)
    dvmp_parts_find(c);
  else
    c->turns = 1;
  if (is_loop_of_tasks(c))
    dvmp_task_turns(c);
  dvmp_recompute_find(c);
  for (struct dvmrt_item *i = c->d->items; c->d->parallel && (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_SHADOW)); i = i->next)
    if (!strcmp(i->word, "wait"))
      dvmp_exchange_wait(c->d, i->ref.name);
  if (c->d->parallel)
    dvmp_exchange_renew(c->d, c->args);
  dvmp_exchange_remote(c);
  if (!dvmp_across_asks(c))
    return begin_turns(c, clamps, at);
  push(c);
  dvmp_across_ask(c, clamps);
  return 1;
}

static struct dvmrt_directive *directive_of(struct dvmrt_site *site) {
  if (site->cache)
    return site->cache;
  bool entered = dvmrt_mem_enter();
  struct dvmrt_directive *d = dvmrt_directive_of(site);
  if (entered)
    dvmrt_mem_leave();
  return d;
}

DVMRT_EXPORT int __dvmp_enter(struct dvmrt_site *site, const void *frame, const int64_t *args, int64_t *clamps, int64_t *at) {
  static struct dvmp_construct room[DEPTH_MAX];
  struct dvmp_construct *c = dvmp_construct_top();
  if (c && c->site == site && c->frame == frame && c->left) {
    c->left = false;
    dvmp_profile_time(DVMP_TIME_SYSTEM);
    if (c->asks) {
      c->asks = false;
      pop(c);
      return begin_turns(c, clamps, at);
    }
    if (dvmp_job.edges)
      return dvmp_recompute_turned(c) ? take_turn(c, clamps) : begin_own(c, clamps, at);
    if (is_loop_of_tasks(c))
      dvmp_task_turned(c);
    dvmp_across_turned(c);
    if (++c->turn < c->turns)
      return take_turn(c, clamps);
    return finish(c, at);
  }
  dvmp_job_begin();
  c = &room[depth < DEPTH_MAX ? depth : DEPTH_MAX - 1];
  *c = (struct dvmp_construct){.site = site, .frame = frame, .d = directive_of(site)};
  int64_t *kept = dvmp_arena_get(&c->memory, ((size_t)c->d->nslots + 1) * sizeof(*kept));
  if (c->d->nslots)
    memcpy(kept, args, (size_t)c->d->nslots * sizeof(*kept));
  c->args = kept;
  place = &c->d->pos;
  dvmp_profile_enter(c->d);
  dvmp_wait_mark(place, 0);
  return begin(c, clamps, at);
}

DVMRT_EXPORT void __dvmp_leave(struct dvmrt_site *site, const void *frame) {
  struct dvmp_construct *c = dvmp_construct_top();
  if (c && c->site == site && c->frame == frame)
    c->left = true;
}

DVMRT_EXPORT void __dvmp_executed(struct dvmrt_site *site, const void *frame, uint64_t count, uint64_t sum) {
  struct dvmp_construct *c = dvmp_construct_top();
  if (c && c->site == site && c->frame == frame && !dvmp_job.edges && !c->asks) {
    c->executed += count;
    c->executed_sum += sum;
  }
}

DVMRT_EXPORT void __dvmp_iteration(struct dvmrt_site *site, const void *frame, const int64_t *indices) {
  struct dvmp_construct *c = dvmp_construct_top();
  if (!c || c->site != site || c->frame != frame || dvmp_job.edges)
    return;
  if (c->told)
    dvmp_elements_iteration(c, indices);
  dvmp_reduce_iteration(c);
}

DVMRT_EXPORT void __dvmp_outside(struct dvmrt_site *site, uint32_t index, int64_t value) {
  const struct dvmrt_directive *d = directive_of(site);
  const struct dvmrt_item *on = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ON);
  dvmp_fail_here(DVMP_STATUS_WRONG, &d->pos, "the iteration %s=%lld lies outside '%s' [dvm-usage]", d->names[index], (long long)value,
                 on ? on->ref.name : "?");
}

/* ---- directives that stand alone ------------------------------------------------------------------------------------------------- */

DVMRT_EXPORT void __dvmp_direct(struct dvmrt_site *site, const int64_t *args) {
  struct dvmrt_directive *d = directive_of(site);
  const struct dvmrt_item *group = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  const char *kind = d->kind;
  place = &d->pos;
  if (!strcmp(kind, "array") || !strcmp(kind, "bind") || !strcmp(kind, "template")) {
    dvmp_array_declare(d, args);
    return;
  }
  if (!strcmp(kind, "task") || !strcmp(kind, "processors")) { /* other arrays of the file may still have to be declared */
    dvmp_task_declare(d, args);
    return;
  }
  dvmp_job_begin();
  dvmp_record_direct(d, args);
  dvmp_profile_enter(d);
  dvmp_wait_mark(place, 0);
  if (dvmp_profile_interval(d, args))
    ;
  else if (!strcmp(kind, "redistribute") || !strcmp(kind, "realign"))
    dvmp_array_redistribute(d, args);
  else if (!strcmp(kind, "map"))
    dvmp_task_map(d, args);
  else if (!strcmp(kind, "shadow_group"))
    dvmp_exchange_group(d, args);
  else if (!strcmp(kind, "shadow_start"))
    dvmp_exchange_start(d, group->ref.name);
  else if (!strcmp(kind, "shadow_wait"))
    dvmp_exchange_wait(d, group->ref.name);
  else if (!strcmp(kind, "reduction_start"))
    dvmp_reduce_start(d, group->ref.name);
  else if (!strcmp(kind, "reduction_wait"))
    dvmp_reduce_wait(d, group->ref.name);
  else if (!strcmp(kind, "array_copy"))
    dvmp_exchange_copy(d, args);
  else if (!strcmp(kind, "shadow_add"))
    dvmp_edges_add(d, args);
  else if (!strcmp(kind, "localize"))
    dvmp_edges_localize(d, args);
  dvmp_profile_leave();
}

DVMRT_EXPORT void __dvmp_link_with_fdvm_parallel_1(void) {}
DVMRT_EXPORT void __dvmp_gone(const void *p) { dvmp_array_forget((uintptr_t)p, 1); }
DVMRT_EXPORT void __dvmp_begin(void) {
  dvmp_job_begin();
  dvmp_array_declare_early();
}

DVMRT_EXPORT void __dvmp_module_gone(const void *in) {
  struct dvmt_object object;
  if (dvmp_job.over || !dvmt_object_of(&object, in))
    return;
  bool entered = dvmrt_mem_enter();
  dvmrt_site_module_gone((const void *)(uintptr_t)object.low, (const void *)(uintptr_t)object.high);
  if (entered)
    dvmrt_mem_leave();
  dvmp_check_gone(object.low, object.high - object.low);
  dvmp_task_gone(object.low, object.high - object.low);
  dvmp_array_gone(object.low, object.high - object.low);
}

#include "runtime/parallel/task.h"
#include "runtime/parallel/ask.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/output.h"
#include "runtime/parallel/reduce.h"
#include "runtime/parallel/wait.h"
#include "runtime/parallel/way.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array of tasks or of processors. */
struct dvmp_task_array {
  struct dvmp_task_array *next;
  const char *name;
  uintptr_t address;
  bool processors, any;         /* any: one of the tasks is mapped */
  int ndims;
  int64_t extent[DVMRT_NDIMS_MAX], count;
  struct mapped {
    bool given;
    struct dvmp_group *group;
    const struct dvmp_group *within; /* inside a task of these ranks, which alone know of it; or NULL */
  } *task;                      /* [count] */
};
static struct dvmp_task_array *arrays;

static struct dvmp_task_array *find(uintptr_t address) {
  struct dvmp_task_array *t = arrays;
  while (t && t->address != address)
    t = t->next;
  return t;
}

static struct dvmp_task_array *named(const struct dvmrt_item *i, const int64_t *args) {
  return i ? find((uintptr_t)dvmrt_num_value(i->ref.address, args)) : NULL;
}

/* ---- directives ------------------------------------------------------------------------------------------------------------------ */

void dvmp_task_declare(const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_TEMPLATE);
  struct dvmp_task_array *t = named(own, args);
  if (!own)
    return;
  if (!t) {
    t = calloc(1, sizeof(*t));
    if (!t)
      dvmp_out_of_memory();
    t->next = arrays;
    arrays = t;
  }
  free(t->task);
  *t = (struct dvmp_task_array){.next = t->next, .name = own->ref.name, .address = (uintptr_t)dvmrt_num_value(own->ref.address, args)};
  t->processors = !strcmp(d->kind, "processors");
  t->ndims = own->ref.ndims;
  t->count = 1;
  for (int i = 0; i < t->ndims; i++) {
    t->extent[i] = dvmrt_num_value(own->ref.extent[i], args);
    t->count *= t->extent[i] > 0 ? t->extent[i] : 0;
  }
  t->task = calloc(t->processors ? 1 : (size_t)t->count + 1, sizeof(*t->task));
  if (!t->task)
    dvmp_out_of_memory();
}

void dvmp_task_gone(uintptr_t address, uint64_t bytes) {
  for (struct dvmp_task_array **l = &arrays; *l;) {
    struct dvmp_task_array *t = *l;
    if (t->address - address >= bytes) {
      l = &t->next;
      continue;
    }
    *l = t->next;
    free(t->task);
    free(t);
  }
}

static void span_of(const struct dvmrt_directive *d, const struct dvmrt_item *onto, const struct dvmp_task_array *p, int i,
                    const int64_t *args, int64_t *low, int64_t *high) {
  const struct dvmrt_axis *x = i < onto->naxes ? &onto->axis[i] : NULL;
  bool range = x && x->kind == 'r', open = range && x->add.slot < 0 && x->add.v == -1;
  *low = range ? dvmrt_num_value(x->coef, args) : x && x->kind == 'c' ? dvmrt_num_value(x->add, args) : 0;
  *high = x && x->kind == 'c' ? *low : range && !open ? dvmrt_num_value(x->add, args) : p->extent[i] - 1;
  if (*low < 0 || *high >= p->extent[i] || *low > *high)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                  d->fortran ? "the section (%lld:%lld) of dimension %d of the processors '%s' is not in 1..%lld [dvm-usage]"
                             : "the section [%lld:%lld] of dimension %d of the processors '%s' is not in 0..%lld [dvm-usage]",
                  (long long)*low + d->fortran, (long long)*high + d->fortran, d->fortran ? p->ndims - i : i + 1, p->name,
                  (long long)p->extent[i] - 1 + d->fortran);
}

/* Processor p of n is the ranks from floor(p*R/n) to before floor((p+1)*R/n); where there are fewer ranks, several are one rank. */
static void add_ranks(bool *in, int64_t p, int64_t n) {
  int64_t low = p * dvmp_job.size / n, high = (p + 1) * dvmp_job.size / n - 1;
  for (int64_t q = low; q <= (high > low ? high : low); q++)
    in[q] = true;
}

static struct dvmp_group *section(const struct dvmrt_directive *d, const struct dvmrt_item *onto, const struct dvmp_task_array *p,
                                  const int64_t *args) {
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX], at[DVMRT_NDIMS_MAX];
  bool *in = calloc((size_t)dvmp_job.size, sizeof(*in));
  if (!in)
    dvmp_out_of_memory();
  for (int i = 0; i < p->ndims; i++) {
    span_of(d, onto, p, i, args, &low[i], &high[i]);
    at[i] = low[i];
  }
  for (int i = 0; i >= 0;) {
    int64_t number = 0;
    for (int k = 0; k < p->ndims; k++)
      number = number * p->extent[k] + at[k];
    add_ranks(in, number, p->count);
    for (i = p->ndims - 1; i >= 0 && ++at[i] > high[i]; i--)
      at[i] = low[i];
  }
  struct dvmp_group *g = dvmp_group_of(in);
  free(in);
  return g;
}

static void no_task(const struct dvmrt_directive *d, const struct dvmp_task_array *t, int64_t n) {
  dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the task array '%s' has no task %lld: they are %d..%lld [dvm-usage]", t->name,
                (long long)n + d->fortran, d->fortran, (long long)t->count - 1 + d->fortran);
}

static int64_t number_of(const struct dvmrt_directive *d, const struct dvmrt_item *i, const struct dvmp_task_array *t,
                         const int64_t *args) {
  int64_t n = i->naxes && i->axis[0].kind == 'c' ? dvmrt_num_value(i->axis[0].add, args) : -1;
  if (n < 0 || n >= t->count)
    no_task(d, t, n);
  return n;
}

static bool in_groups(void) { return dvmp_job.size > 1 && !dvmp_job.tasks_all && !dvmp_emit_wanted(); }

/* Who compares is to know what is not looked at; once, and not again where one construct is executed again for its elements. */
static bool put_onto; /* some array, if groups were used */
static void say_by_all(const struct dvmrt_pos *at) {
  static bool said;
  if (said || !dvmp_emit_wanted() || dvmp_job.size < 2 || dvmp_job.tasks_all || dvmp_options_recording.elements_file || !dvmp_job_first())
    return;
  said = true;
  fprintf(
      stderr,
      "%s:%u:%u: note: while a run is compared or recorded each task is executed by all ranks, so that what goes wrong only on groups of "
      "ranks is not seen: a run with DVM_OPTIONS=poison=1, without 'dvm compare', sees it\n",
      at->file ? at->file : "?", at->line, at->column);
}

void dvmp_task_map(const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *task = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ON),
                          *onto = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ONTO);
  struct dvmp_task_array *t = named(task, args), *p = named(onto, args);
  if (!t || !p || !p->processors)
    return;
  struct mapped *m = &t->task[number_of(d, task, t, args)];
  struct dvmp_group *group = section(d, onto, p, args);
  m->within = dvmp_job.group;
  if (m->within) /* regions within tasks are executed by all ranks of these */
    return;
  m->group = group;
  m->given = t->any = true;
  if (in_groups())
    dvmp_job_prepare(m->group);
}

const struct dvmp_group *dvmp_task_onto(const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *onto = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ONTO);
  struct dvmp_task_array *t = named(onto, args);
  put_onto |= t != NULL;
  if (!t || !in_groups())
    return dvmp_job.group;
  const struct mapped *m = t->processors ? NULL : &t->task[number_of(d, onto, t, args)];
  if (m && m->within && m->within == dvmp_job.group)
    return dvmp_job.group;
  if (m && !m->given)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "'%s' is put onto the processors of a task before 'map' has given it some [dvm-usage]",
                  d->items->ref.name);
  const struct dvmp_group *g = m ? m->group : section(d, onto, t, args);
  if (!dvmp_group_holds(dvmp_job.group, g))
    dvmp_fail_all(1, &d->pos, "'%s' is put onto ranks that do not execute this task: not supported in parallel execution yet",
                  d->items->ref.name);
  return g;
}

/* ---- regions and tasks ----------------------------------------------------------------------------------------------------------- */

void dvmp_task_refuse(const struct dvmp_array *a, const struct dvmrt_pos *pos) {
  dvmp_fail_all(DVMP_STATUS_WRONG, pos,
                "'%s' is used in a task, but lies on ranks that do not execute the task [dvm-nonlocal-access]\n"
                "help: put it onto the task's processors with 'redistribute', or let all ranks execute each task (DVM_OPTIONS=tasks=all)",
                a->name);
}

/* Arrays that lie on some of the ranks, or none that is divided at all: else the tasks work on arrays of all ranks. */
static bool are_apart(void) {
  bool any = false;
  for (struct dvmp_array *a = dvmp_array_common(dvmp_array_first()); a; a = dvmp_array_common(a->next)) {
    if (a->layout.root && ((const struct dvmp_array *)a->layout.root)->grid->group)
      return true;
    any |= !dvmp_array_everywhere(a);
  }
  return !any;
}

static const struct dvmp_construct *region_of(const struct dvmp_construct *c, const struct dvmp_task_array *t) {
  while (c && !(c->tasks && c->tasks == t && !c->d->parallel))
    c = c->outer;
  return c;
}

/* The task of the whole loop; INT64_MIN: its index variable tells. */
static int64_t only_task(const struct dvmp_construct *c) {
  const struct dvmrt_item *on = dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ON);
  const struct dvmrt_axis *x = &on->axis[0];
  return x->kind == 'a' && dvmrt_num_value(x->coef, c->args) ? INT64_MIN : dvmrt_num_value(x->add, c->args);
}

void dvmp_task_find(struct dvmp_construct *c) {
  bool region = !strcmp(c->d->kind, "task_region");
  if (dvmp_job.in_task || dvmp_job.inside || !(region || c->d->parallel))
    return;
  const struct dvmrt_item *on = dvmrt_directive_find(c->d->items, region ? DVMRT_DIRECTIVE_TEMPLATE : DVMRT_DIRECTIVE_ON);
  const struct dvmp_task_array *t = named(on, c->args);
  if (t && t->any && region && (put_onto || are_apart()))
    say_by_all(&c->d->pos);
  if (!t || !t->any || !in_groups())
    return;
  if (region ? are_apart() : region_of(c->outer, t) && on->naxes && strchr("ac", on->axis[0].kind))
    c->tasks = t;
  if (!c->tasks || !region)
    return;
  dvmp_ask_begin();
  dvmp_output_begin();
}

/* The ranks of the task, which all must know. */
static const struct dvmp_group *ranks_of(const struct dvmp_construct *c, const struct dvmp_task_array *t, int64_t n) {
  if (!t->task[n].given)
    dvmp_fail_all(DVMP_STATUS_WRONG, &c->d->pos, "task %lld of '%s' is executed before %s has given it processors [dvm-usage]",
                  (long long)n + c->d->fortran, t->name, c->d->fortran ? "MAP" : "'map'");
  return t->task[n].group;
}

static void begin(struct dvmp_construct *c, const struct dvmp_group *g, int64_t key) {
  c->in_task = dvmp_job.in_task = true;
  c->task_key = key;
  dvmp_wait_push((uint64_t)key);
  dvmp_job_narrow(g);
  dvmp_output_key(key);
  dvmp_reduce_task_begin(c);
}

static void end(struct dvmp_construct *c) {
  dvmp_reduce_task_end(c, c->task_key);
  dvmp_job_narrow(NULL);
  dvmp_wait_pop();
  dvmp_construct_at(&c->d->pos); /* for all ranks, whatever the task has come through */
  c->in_task = dvmp_job.in_task = false;
}

bool dvmp_task_enter(struct dvmp_construct *c) {
  const struct dvmrt_item *on = dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ON);
  const struct dvmp_task_array *t = named(on, c->args);
  if (strcmp(c->d->kind, "on") != 0 || !t || !region_of(c->outer, t) || dvmp_job.in_task)
    return true;
  const struct dvmp_group *g = ranks_of(c, t, number_of(c->d, on, t, c->args));
  int64_t key = dvmp_output_keys(2);
  if (dvmp_group_place(g, dvmp_job.rank) < 0) {
    dvmp_output_key(key + 1);
    return false;
  }
  begin(c, g, key);
  return true;
}

void dvmp_task_leave(struct dvmp_construct *c) {
  if (!c->in_task)
    return;
  end(c);
  dvmp_output_key(c->task_key + 1);
}

/* ---- loops of tasks -------------------------------------------------------------------------------------------------------------- */

/* The tasks of the loop in their order; those before 'from' left out.  -1: no more. */
static int64_t next_task(const struct dvmp_construct *c, int64_t from) {
  int64_t only = only_task(c);
  bool all = only == INT64_MIN;
  if (!all && (only < 0 || only >= c->tasks->count))
    no_task(c->d, c->tasks, only);
  for (int64_t n = all ? from : only; n >= from && n < (all ? c->tasks->count : only + 1); n++)
    if (dvmp_group_place(ranks_of(c, c->tasks, n), dvmp_job.rank) >= 0)
      return n;
  return -1;
}

void dvmp_task_turns(struct dvmp_construct *c) {
  const struct dvmrt_item *on = dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ON);
  const struct dvmrt_axis *x = &on->axis[0];
  struct dvmp_list all = dvmp_list_of(&c->memory, 0, c->tasks->count - 1);
  if (x->kind == 'a')
    c->whole[x->index] = dvmp_list_before(&c->memory, all, dvmrt_num_value(x->coef, c->args), dvmrt_num_value(x->add, c->args));
  c->turns = 0;
  for (int64_t n = next_task(c, 0); n >= 0; n = next_task(c, n + 1))
    c->turns++;
  c->task_next = 0;
  c->task_key = dvmp_output_keys(c->tasks->count + 1);
  c->task_first = c->task_key;
}

void dvmp_task_turn(struct dvmp_construct *c) {
  const struct dvmrt_axis *x = &dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ON)->axis[0];
  int64_t n = next_task(c, c->task_next);
  c->task_next = n + 1;
  int64_t coef = x->kind == 'a' ? dvmrt_num_value(x->coef, c->args) : 0;
  bool down = coef && (dvmp_way(c, x->index) < 0) != (coef < 0);
  if (coef) {
    struct dvmp_list one = dvmp_list_of(&c->memory, n, n);
    c->part[x->index] = dvmp_list_before(&c->memory, one, coef, dvmrt_num_value(x->add, c->args));
    c->clamped[x->index] = true;
  }
  begin(c, c->tasks->task[n].group, c->task_first + (down ? c->tasks->count - 1 - n : n));
}

void dvmp_task_turned(struct dvmp_construct *c) { end(c); }

void dvmp_task_end(struct dvmp_construct *c) {
  if (!c->tasks)
    return;
  if (c->d->parallel) {
    dvmp_output_key(c->task_first + c->tasks->count);
    return;
  }
  dvmp_output_end();
  dvmp_ask_end();
}

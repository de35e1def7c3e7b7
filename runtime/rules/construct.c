#include "runtime/rules/construct_private.h"
#include "runtime/rules/across.h"
#include "runtime/rules/beyond.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/facts.h"
#include "runtime/rules/group.h"
#include "runtime/rules/outdated.h"
#include "runtime/data/mem.h"
#include "runtime/rules/region.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/rule.h"
#include "runtime/rules/task.h"
#include "runtime/rules/repeat.h"
#include <stdio.h>
#include <string.h>

enum {
  BORN_FIRST = 16,
  BORN_COUNT = DVMRT_W_FIRST - BORN_FIRST, /* valueless words that carry the construct's number */
  ID_FIRST = (DVMRT_W_ASSIGNED >> 1) + 2,                     /* one is left for what the header of the first nest touches */
  ID_RENUMBER = 1 << 30
};

#define SEQUENTIAL {.write = DVMRT_W_ASSIGNED, .first_read = DVMRT_W_FIRST, .first_write = UINT32_MAX, .mask = 0, .base = 0}

__thread struct dvmrt_now __dvmrt_now __attribute__((tls_model("initial-exec"))) = SEQUENTIAL;
static __thread struct dvmrt_frame *top __attribute__((tls_model("initial-exec")));
static __thread char self __attribute__((tls_model("initial-exec"))); /* its address names the thread */
static const void *owner, *main_thread;
static struct dvmrt_frame *owned;       /* the owner's nest */
static struct dvmrt_frame *spare;
static uint32_t next_id = ID_FIRST, next_serial;
static unsigned nsites;
static uint32_t processes; /* how often it has forked: findings of another process are others */
static void forget_array(struct dvmrt_array *a);

static bool is_parallel(const struct dvmrt_directive *d) { return d->parallel; }

/* ---- frames ------------------------------------------------------------------------------------------------------------------- */

static struct dvmrt_frame *frame_get(void) {
  struct dvmrt_frame *f = spare;
  if (!f)
    return dvmrt_mem_alloc(sizeof(*f));
  spare = f->outer;
  if (f->bare) {
    f->bare = f->left = false;
    return f;
  }
  struct dvmrt_frame keep = *f;
  memset(f, 0, sizeof(*f));
  f->rows.runs = keep.rows.runs, f->rows.cap = keep.rows.cap;
  f->vars = keep.vars, f->vars_cap = keep.vars_cap;
  f->clauses = keep.clauses, f->clauses_cap = keep.clauses_cap;
  f->uses = keep.uses, f->uses_cap = keep.uses_cap;
  f->undeclared = keep.undeclared, f->undeclared_cap = keep.undeclared_cap;
  f->filled = keep.filled, f->filled_cap = keep.filled_cap;
  f->dirty = keep.dirty, f->dirty_cap = keep.dirty_cap;
  f->args = keep.args, f->args_cap = keep.args_cap;
  return f;
}

struct dvmrt_frame *dvmrt_construct_top(void) { return top; }

struct dvmrt_frame *dvmrt_construct_of(const struct dvmrt_directive *d) {
  struct dvmrt_frame *f = top;
  while (f && (f->left || f->d != d))
    f = f->outer;
  return f;
}

struct dvmrt_frame *dvmrt_construct_nest(void) {
  struct dvmrt_frame *f = top;
  while (f && (f->left || !is_parallel(f->d)))
    f = f->outer;
  return f && f->nest ? f : NULL;
}

bool dvmrt_construct_judges(void) { return owner ? owner == &self : main_thread == &self; }

bool dvmrt_construct_opaque(void) {
  const struct dvmrt_frame *f = top;
  while (f && (f->left || !is_parallel(f->d)))
    f = f->outer;
  return f && !f->nest;
}

unsigned dvmrt_construct_count(void) { return nsites; }

void dvmrt_construct_init(void) {
  main_thread = &self;
  dvmrt_array_gone = forget_array;
  dvmrt_array_placed = dvmrt_rule_check;
  dvmrt_array_onto = dvmrt_task_onto;
}

void dvmrt_construct_forked(void) {
  main_thread = &self;
  processes++;
  if (owner != &self) {
    owner = NULL;
    owned = NULL;
  }
}

/* ---- subscribers --------------------------------------------------------------------------------------------------------------- */

static const struct dvmrt_subscriber *subscribers = &(const struct dvmrt_subscriber){0};

void dvmrt_construct_subscribe(const struct dvmrt_subscriber *table) { subscribers = table; }

static bool is_row(const struct dvmrt_subscriber *s) { return s->before || s->over || s->left || s->judged; }

static void tell_before(struct dvmrt_frame *f) {
  for (const struct dvmrt_subscriber *s = subscribers; is_row(s); s++)
    if (s->before)
      s->before(f);
}

static void tell_over(struct dvmrt_frame *f) {
  for (const struct dvmrt_subscriber *s = subscribers; is_row(s); s++)
    if (s->over)
      s->over(f);
}

static void tell_left(struct dvmrt_frame *f) {
  for (const struct dvmrt_subscriber *s = subscribers; is_row(s); s++)
    if (s->left)
      s->left(f);
}

void dvmrt_construct_judged(struct dvmrt_directive *d, const char *why) {
  for (const struct dvmrt_subscriber *s = subscribers; is_row(s); s++)
    if (s->judged)
      s->judged(d, why);
}

/* ---- enter and leave --------------------------------------------------------------------------------------------------------- */

static void renumber_words(uint32_t *w, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (w[i] > DVMRT_W_ASSIGNED)
      w[i] = DVMRT_W_ASSIGNED;
}

static void renumber_array(struct dvmrt_array *a) {
  if (!a->is_template)
    renumber_words(a->region.words, (a->region.end - a->region.base) >> a->region.shift);
}

static void renumber_if_full(void) {
  if (next_id < ID_RENUMBER)
    return;
  dvmrt_shadow_each(renumber_words);
  for (struct dvmrt_array *a = dvmrt_array_first(); a; a = a->next)
    renumber_array(a);
  next_id = ID_FIRST;
}

/* Each access goes the slow way: who touched what must be known by task, not by iteration of some loop in it. */
static void watch_tasks(void) {
  __dvmrt_now.first_read = DVMRT_W_FIRST;
  __dvmrt_now.first_write = 0;
  __dvmrt_now.mask = UINT32_MAX;
}

static void nest_begin(struct dvmrt_frame *f) {
  struct dvmrt_now *now = &__dvmrt_now;
  if (!owner)
    renumber_if_full();
  owner = &self;
  owned = f;
  f->nest = true;
  f->on_left = 0;
  f->serial = next_serial++;
  dvmrt_construct_read_clauses(f);
  dvmrt_construct_place_nest(f);
  dvmrt_beyond_begin(f);
  now->base = next_id << 1;
  now->write = ((next_id - 1) << 1) | 1;
  now->first_read = now->base;
  now->first_write = f->mapped ? 0 : now->base;
  now->mask = 1;
  if (dvmrt_task_active() || (DVMRT_UNLIKELY(dvmrt_held_count) && dvmrt_region_watches_data()))
    watch_tasks();
  int64_t step = f->d->rank ? dvmrt_num_value(f->d->step[f->d->rank - 1], f->args) : 0;
  dvmrt_rows_begin(&f->rows, f->d->rank, next_id, step);
  for (uint32_t i = 0; i < f->nvars; i++)
    if (f->vars[i].class == DVMRT_CLASS_PRIVATE)
      dvmrt_shadow_fill(f->vars[i].low, f->vars[i].high - f->vars[i].low, DVMRT_W_PRIVATE);
}

static void settle_filled(const struct dvmrt_range *r) {
  struct dvmrt_span s;
  for (uintptr_t a = r->low; a < r->high; a = s.end) {
    dvmrt_shadow_span(a, r->high - a, false, &s);
    for (uint32_t i = 0; i < s.count; i++)
      if (s.words[i] & DVMRT_W_FILLED)
        s.words[i] = DVMRT_W_ASSIGNED;
  }
}

/* Their numbers come again: who touched what is not told apart any more. */
static void count_iterations(const struct dvmrt_frame *f) {
  static bool told;
  const uint64_t done = dvmrt_construct_iterations();
  if (told || done <= ID_RENUMBER)
    return;
  told = true;
  char text[600];
  int n = snprintf(
      text, sizeof(text),
      "dvm: warning: %.400s:%d: more than %d iterations in one execution of this parallel loop: not all of them are distinguished\n",
      f->d->pos.file, f->d->pos.line, ID_RENUMBER);
  dvmrt_mem_say(text, (size_t)n);
}

/* Each processor has computed what its edges hold, with their corners where it could. */
static void recompute(struct dvmrt_frame *f) {
  for (struct dvmrt_item *i = dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_RECOMPUTE); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_RECOMPUTE))
    dvmrt_construct_renew(f, i, !f->beyond.lost);
}

static void nest_end(struct dvmrt_frame *f) {
  count_iterations(f);
  dvmrt_construct_check_ranges(f);
  tell_over(f);
  for (uint32_t i = 0; i < f->nclauses; i++)
    if (f->clauses[i].array && f->clauses[i].array->ordinary)
      dvmrt_array_unwatch(f->clauses[i].array);
  for (uint32_t i = 0; i < f->nvars; i++)
    if (f->vars[i].class == DVMRT_CLASS_PRIVATE)
      dvmrt_shadow_fill(f->vars[i].low, f->vars[i].high - f->vars[i].low, DVMRT_W_PRIVATE);
  for (uint32_t i = 0; i < f->nfilled; i++)
    settle_filled(&f->filled[i]);
  for (uint32_t i = 0; i < f->nundeclared; i++)
    dvmrt_shadow_fill(f->undeclared[i].low, f->undeclared[i].high - f->undeclared[i].low, DVMRT_W_PRIVATE);
  for (uint32_t i = 0; i < f->ndirty; i++)
    if (f->dirty[i])
      dvmrt_array_stale(f->dirty[i]);
  recompute(f);
  next_id = (__dvmrt_now.write >> 1) + 2;
  __dvmrt_now = f->saved;
  owner = NULL;
  owned = NULL;
}

/* A parallel loop inside of another one: it has been reported, as entered by the nest that is being executed itself.  Until that is over,
 * entering it from the same place of the stack is counted. */
struct dvmrt_inside {
  struct dvmrt_finding *finding; /* NULL: none */
  uint64_t *total;               /* where its occurrences count, too */
  uint32_t serial, process;      /* of the nest; 'processes' */
  struct dvmrt_frame ready;      /* entered when it is 'top' */
};

/* Of what a thread's state says, as much as a loop of that rank may change. */
static void copy_now(struct dvmrt_now *to, const struct dvmrt_now *from, int rank) {
  enum { FEW = 2 };
  if (rank <= FEW)
    memcpy(to, from, offsetof(struct dvmrt_now, iv) + FEW * sizeof(to->iv[0]));
  else
    *to = *from;
}

static bool is_ready(const struct dvmrt_frame *f) { return f->d->inside && f == &f->d->inside->ready; }

static void restore(const struct dvmrt_frame *f) {
  if (is_ready(f))
    copy_now(&__dvmrt_now, &f->saved, f->d->rank);
  else
    __dvmrt_now = f->saved;
}

static void end(struct dvmrt_frame *f) {
  if (f->nest) {
    nest_end(f);
    return;
  }
  if (!f->bare)
    tell_over(f);
  restore(f);
}

/* ---- what debuggers see ----------------------------------------------------------------------------------------------------------- */

static void show_top(void) {
  __dvm_facts.frame = (uintptr_t)top;
  __dvm_facts.now = (uintptr_t)&__dvmrt_now;
}

void dvmrt_construct_facts(struct dvm_facts *f) {
  DVMRT_FACT(f, FRAME_OUTER, struct dvmrt_frame, outer);
  DVMRT_FACT(f, FRAME_DIRECTIVE, struct dvmrt_frame, d);
  DVMRT_FACT(f, FRAME_LEFT, struct dvmrt_frame, left);
  DVMRT_FACT(f, FRAME_NEST, struct dvmrt_frame, nest);
  DVMRT_FACT(f, FRAME_PROVED, struct dvmrt_frame, proved);
  DVMRT_FACT(f, NOW_WRITE, struct dvmrt_now, write);
  DVMRT_FACT(f, NOW_BASE, struct dvmrt_now, base);
  DVMRT_FACT(f, NOW_INDEX, struct dvmrt_now, iv);
  DVMRT_FACT(f, SITE_ACCESS, struct dvmrt_site, cache);
  DVMRT_FACT(f, ACCESS_FILE, struct dvmrt_access, pos.file);
  DVMRT_FACT(f, ACCESS_LINE, struct dvmrt_access, pos.line);
}

/* Takes the uppermost construct off; it has been left, or jumped out of. */
static void pop(void) {
  struct dvmrt_frame *f = top;
  if (!f->left)
    end(f);
  top = f->outer;
  if (!is_ready(f)) {
    f->outer = spare;
    spare = f;
  }
  if (__dvm_facts.frame == (uintptr_t)f)
    __dvm_facts.frame = (uintptr_t)top;
}

/* Frames of functions that are over lie below the present one on the stack. */
static bool is_dead(const struct dvmrt_frame *f, const void *frame) {
  enum { STACK_MAX = 1 << 28 };
  uintptr_t a = (uintptr_t)f->frame, b = (uintptr_t)frame;
  return a < b && b - a < STACK_MAX;
}

static bool on_stack(const struct dvmrt_directive *d, const void *frame) {
  for (const struct dvmrt_frame *f = top; f; f = f->outer)
    if (f->d == d && f->frame == frame)
      return true;
  return false;
}

static void drop_leftovers(const struct dvmrt_directive *d, const void *frame) {
  while (top && is_dead(top, frame))
    pop();
  if (on_stack(d, frame))
    while (top->d != d || top->frame != frame)
      pop();
  /* Parallel loops of one function do not nest, but in a loop of tasks: an unfinished one was jumped out of.  The frame alone does
   * not tell that: a function that has been expanded inside of another one has the same. */
  while (top && top->frame == frame && !(top->d == d) &&
         (top->left || (is_parallel(top->d) && is_parallel(d) && !top->task_on && top->d->function == d->function)))
    pop();
}

static void count_site(struct dvmrt_directive *d) {
  static struct dvmrt_directive *seen[1024];
  unsigned n = nsites < 1024 ? nsites : 1024;
  for (unsigned i = 0; i < n; i++)
    if (seen[i] == d)
      return;
  if (n < 1024)
    seen[n] = d;
  nsites++;
}

static bool same_site_active(const struct dvmrt_directive *d) {
  for (const struct dvmrt_frame *f = top; f; f = f->outer)
    if (f->d == d && !f->left)
      return true;
  return false;
}

/* A task, or a loop whose iterations are tasks.  Variables that the pass keeps hold the number of the task that wrote them; no
 * nest of another task may give its iterations the same one. */
static void task_begin(struct dvmrt_frame *f, const struct dvmrt_item *on) {
  if (!dvmrt_construct_judges())
    return;
  renumber_if_full();
  int64_t count = f->d->parallel ? dvmrt_task_count((uintptr_t)dvmrt_num_value(on->ref.address, f->args)) : 1;
  __dvmrt_now.write = ((next_id - 1) << 1) | 1;
  __dvmrt_now.base = f->d->parallel ? next_id << 1 : UINT32_MAX;
  dvmrt_task_enter(f, on);
  if (!f->task) {
    __dvmrt_now = f->saved;
    return;
  }
  next_id += (uint32_t)(count > 0 && count < 1 << 20 ? count : 1) + 2;
  watch_tasks();
}

static bool is_task_loop(const struct dvmrt_frame *f, const struct dvmrt_item *on) {
  return on && is_parallel(f->d) && dvmrt_task_count((uintptr_t)dvmrt_num_value(on->ref.address, f->args)) >= 0;
}

/* ---- a parallel loop inside of another one, again and again ------------------------------------------------------------------ */

static void note_inside(const struct dvmrt_frame *f, uint64_t hits) {
  struct dvmrt_inside *in = f->d->inside;
  if (!dvmrt_repeat_wanted || top != owned || dvmrt_finding_hits() != hits + 1)
    return;
  if (!in)
    in = f->d->inside = dvmrt_mem_alloc(sizeof(*in));
  struct dvmrt_finding *found = dvmrt_finding_last();
  *in = (struct dvmrt_inside){
      found, dvmrt_finding_total(found), owned->serial, processes, {.d = f->d, .frame = f->frame, .outer = owned, .bare = true}};
}

/* The loop of the site, as it has been entered from that place of the stack; NULL: that is to be looked at. */
static struct dvmrt_inside *inside_of(const struct dvmrt_site *site, const void *frame) {
  const struct dvmrt_directive *d = site->cache;
  struct dvmrt_inside *in = d ? d->inside : NULL;
  return in && in->ready.frame == frame && dvmrt_mem_alone() && !dvmrt_finding_stopped && !dvmrt_due && !dvmrt_repeat_first ? in : NULL;
}

static void set_top(struct dvmrt_frame *f) {
  top = f;
  __dvm_facts.frame = (uintptr_t)f;
}

int dvmrt_construct_enter_again(struct dvmrt_site *site, void *frame, const int64_t *args, dvmrt_enter_fn *enter) {
  struct dvmrt_inside *in = inside_of(site, frame);
  if (!in)
    return enter(site, frame, args);
  struct dvmrt_frame *f = &in->ready;
  if (top == f && f->left) {
    set_top(f->outer);
    return 0;
  }
  if (!in->finding || !top || top != owned || in->serial != top->serial || in->process != processes)
    return enter(site, frame, args);
  dvmrt_mem_enter_alone();
  in->finding->count++;
  ++*in->total;
  f->outer = top;
  f->left = false;
  struct dvmrt_now *now = &__dvmrt_now;
  copy_now(&f->saved, now, f->d->rank);
  now->write = DVMRT_W_ASSIGNED, now->first_read = DVMRT_W_FIRST, now->first_write = UINT32_MAX, now->mask = now->base = 0;
  set_top(f);
  dvmrt_mem_leave_alone();
  return 1;
}

void dvmrt_construct_leave_again(struct dvmrt_site *site, void *frame, dvmrt_leave_fn *leave) {
  struct dvmrt_inside *in = inside_of(site, frame);
  if (!in || top != &in->ready || in->ready.left) {
    leave(site, frame);
    return;
  }
  dvmrt_mem_enter_alone();
  copy_now(&__dvmrt_now, &in->ready.saved, in->ready.d->rank);
  in->ready.left = true;
  dvmrt_mem_leave_alone();
}

static void begin(struct dvmrt_frame *f) {
  const struct dvmrt_frame *outer = owner == &self ? owned : NULL;
  const struct dvmrt_item *on = dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON);
  if (!is_parallel(f->d)) {
    if (same_site_active(f->d) && dvmrt_construct_judges())
      dvmrt_verdict_give(
          &(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = f->d, .usage = "this construct is entered inside itself (recursion)"});
    dvmrt_construct_read_clauses(f);
    tell_before(f);
    if (on && !strcmp(f->d->kind, "on"))
      task_begin(f, on);
    return;
  }
  count_site(f->d);
  if (is_task_loop(f, on) && !owner) {
    dvmrt_construct_read_clauses(f);
    task_begin(f, on);
    return;
  }
  if (owner && owner != &self)
    return;
  if (!outer) {
    tell_before(f);
    nest_begin(f);
    return;
  }
  uint64_t hits = dvmrt_finding_hits();
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = f->d,
                                            .usage = outer->d == f->d ? "this parallel loop is entered inside itself (recursion)"
                                                                      : "this parallel loop is entered inside another one"});
  note_inside(f, hits);
  /* It runs as a part of the outer iteration, unobserved. */
  __dvmrt_now = (struct dvmrt_now)SEQUENTIAL;
  f->bare = true;
}

int dvmrt_construct_enter(struct dvmrt_directive *d, void *frame, const int64_t *args) {
  if (top && top->left && top->d == d && top->frame == frame) {
    pop();
    return 0;
  }
  dvmrt_repeat_end();
  drop_leftovers(d, frame);
  if (top && top->d == d && top->frame == frame) {
    bool left = top->left;
    pop();
    if (left)
      return 0;
  }
  struct dvmrt_frame *f = frame_get();
  f->d = d;
  f->frame = frame;
  f->saved = __dvmrt_now;
  f->nargs = (uint32_t)d->nslots;
  f->args = dvmrt_mem_grow(f->args, &f->args_cap, f->nargs, sizeof(*f->args));
  if (args)
    memcpy(f->args, args, f->nargs * sizeof(*args));
  begin(f);
  f->outer = top;
  top = f;
  if (dvmrt_construct_judges())
    show_top();
  return 1;
}

void dvmrt_construct_leave(struct dvmrt_directive *d, void *frame) {
  bool uppermost = top && top->d == d && top->frame == frame;
  if (!uppermost && !on_stack(d, frame))
    return;
  dvmrt_repeat_end();
  if (uppermost && top->bare) {
    restore(top);
    top->left = true;
    return;
  }
  while (top->d != d || top->frame != frame)
    pop();
  end(top);
  if (top->nest || (top->task && d->parallel) || (!d->parallel && !strcmp(d->kind, "task_region")))
    tell_left(top);
  top->left = true;
}

void dvmrt_construct_landed(const void *frame) {
  while (top && (top->frame == frame || is_dead(top, frame))) {
    if (!top->left && dvmrt_construct_judges())
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = top->d,
                                                .usage = top->d->parallel ? "this parallel loop is left by a jump out of it (longjmp)"
                                                                          : "this construct is left by a jump out of it (longjmp)"});
    pop();
  }
}

void dvmrt_construct_row(struct dvmrt_directive *d) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  if (f && f->d == d)
    count_iterations(f);
  if (f && f->d == d)
    dvmrt_rows_next(&f->rows, (__dvmrt_now.write >> 1) + 1, __dvmrt_now.iv);
}

/* ---- arrays that go, and words --------------------------------------------------------------------------------------------------- */

static void forget_in(struct dvmrt_frame *f, const struct dvmrt_array *a) {
  for (uint32_t i = 0; i < f->ndirty; i++)
    if (f->dirty[i] == a)
      f->dirty[i] = NULL;
  for (uint32_t i = 0; i < f->nclauses; i++)
    if (f->clauses[i].array == a) {
      dvmrt_across_end(&f->clauses[i]);
      f->clauses[i].array = NULL;
    }
  for (uint32_t i = 0; i < f->nuses; i++)
    if (f->uses[i].array == a)
      f->uses[i] =
          (struct dvmrt_use){f->uses[i].item, NULL, false, dvmrt_construct_no_view, dvmrt_construct_no_view, dvmrt_construct_no_view};
  if (f->on == a)
    f->on = NULL;
}

static void forget_array(struct dvmrt_array *a) {
  dvmrt_repeat_end();
  dvmrt_group_forget(a);
  dvmrt_remote_forget(a);
  dvmrt_outdated_forget(a);
  dvmrt_check_close_waiting_in(a);
  for (struct dvmrt_frame *f = top; f; f = f->outer)
    forget_in(f, a);
  if (owned)
    forget_in(owned, a);
}

bool dvmrt_construct_iteration(const struct dvmrt_frame *f, uint32_t word, int64_t *iv) {
  const struct dvmrt_now *now = &__dvmrt_now;
  return word >= now->base && dvmrt_rows_find(&f->rows, word >> 1, now->write >> 1, now->iv, iv);
}

uint32_t dvmrt_construct_born_word(void) {
  const struct dvmrt_frame *f = top && top == owned ? owned : dvmrt_construct_nest();
  return f ? BORN_FIRST + f->serial % BORN_COUNT : DVMRT_W_NEVER;
}

bool dvmrt_construct_born_here(const struct dvmrt_frame *f, uint32_t word) { return word == BORN_FIRST + f->serial % BORN_COUNT; }

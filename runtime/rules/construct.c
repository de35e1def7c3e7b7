#include "runtime/rules/construct.h"
#include "runtime/rules/across.h"
#include "runtime/rules/beyond.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/heap.h"
#include "runtime/data/text.h"
#include "runtime/data/facts.h"
#include "runtime/rules/group.h"
#include "runtime/rules/named.h"
#include "runtime/rules/outdated.h"
#include "runtime/data/mem.h"
#include "runtime/rules/reduce.h"
#include "runtime/rules/region.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/rule.h"
#include "runtime/rules/task.h"
#include "runtime/rules/repeat.h"
#include <stdio.h>
#include <string.h>

/* Of no array: every access is looked at. */
static const struct dvmrt_view no_view = {.first_read = DVMRT_W_FIRST, .first_write = UINT32_MAX};

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

/* ---- clauses ------------------------------------------------------------------------------------------------------------------- */

static void add_var(struct dvmrt_frame *f, const struct dvmrt_item *i, int64_t address, uint64_t bytes, enum dvmrt_class class) {
  if (!address || !bytes)
    return;
  f->vars = dvmrt_mem_grow(f->vars, &f->vars_cap, f->nvars + 1, sizeof(*f->vars));
  f->vars[f->nvars++] = (struct dvmrt_var){(uintptr_t)address, (uintptr_t)address + bytes, class, i};
}

static void add_result(struct dvmrt_frame *f, const struct dvmrt_item *i, int64_t address, uint64_t bytes) {
  if (address && dvmrt_group_nvars)
    dvmrt_group_named(f->d, (uintptr_t)address, (uintptr_t)address + bytes);
  add_var(f, i, address, bytes, DVMRT_CLASS_REDUCTION);
}

static void add_reduction(struct dvmrt_frame *f, const struct dvmrt_item *i) {
  add_result(f, i, dvmrt_num_value(i->ref.address, f->args), dvmrt_directive_reduction_bytes(i, f->args));
  if (!i->loc_name)
    return;
  uint64_t n = (uint64_t)dvmrt_num_value(i->bytes, f->args);
  add_result(f, i, dvmrt_num_value(i->loc_address, f->args), (uint64_t)dvmrt_num_value(i->loc_bytes, f->args) * (n ? n : 1));
}

/* Of a pointer the bytes are those of a row: the allocation says how many there are. */
static void add_consistent(struct dvmrt_frame *f, const struct dvmrt_item *i) {
  int64_t address = dvmrt_num_value(i->ref.address, f->args);
  uint64_t bytes = (uint64_t)dvmrt_num_value(i->bytes, f->args);
  struct dvmrt_extent x;
  if (i->ref.flags & DVMRT_REF_POINTER && dvmrt_heap_find((uintptr_t)address, &x))
    bytes = x.start + x.size - (uintptr_t)address;
  add_var(f, i, address, bytes, DVMRT_CLASS_SHARED);
}

/* When the ranges of the index variables are known: at the end. */
static void check_ranges(struct dvmrt_frame *f) {
  if (!f->proved)
    dvmrt_rows_next(&f->rows, (__dvmrt_now.write >> 1) + 1, __dvmrt_now.iv);
  if (!f->rows.any)
    return;
  if (f->on)
    dvmrt_rule_moving(f, dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON), f->on);
  for (uint32_t i = 0; i < f->nclauses; i++)
    if (f->clauses[i].key == DVMRT_DIRECTIVE_REMOTE)
      dvmrt_rule_moving(f, f->clauses[i].item, f->clauses[i].array);
}

static void add_clause(struct dvmrt_frame *f, struct dvmrt_item *i) {
  struct dvmrt_array *a = dvmrt_array_of(&i->ref, f->args);
  bool ordinary = i->key == DVMRT_DIRECTIVE_ACROSS && !dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON);
  if (!a && ordinary)
    a = dvmrt_array_watch(i, f->args);
  if (!a && !ordinary)
    return;
  f->clauses = dvmrt_mem_grow(f->clauses, &f->clauses_cap, f->nclauses + 1, sizeof(*f->clauses));
  struct dvmrt_clause_array *c = &f->clauses[f->nclauses++];
  *c = (struct dvmrt_clause_array){.key = i->key, .array = a, .item = i};
  if (i->key == DVMRT_DIRECTIVE_REMOTE)
    dvmrt_rule_fixed(f, i, a);
  if (a && i->key == DVMRT_DIRECTIVE_ACROSS) {
    dvmrt_array_widths(a, i, f->args, &c->box);
    c->box.corner = true;
    if (!ordinary)
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_WIDTHS, .directive = f->d, .widths = {a, &c->box, "width of 'across'"}});
  }
}

static void renew(struct dvmrt_frame *f, struct dvmrt_item *i, bool corners) {
  struct dvmrt_array *a = dvmrt_array_of(&i->ref, f->args);
  struct dvmrt_box box;
  if (!a)
    return;
  if (i->named || i->key == DVMRT_DIRECTIVE_RENEW) /* shadow_compute computes those of widths */
    dvmrt_named_renew(f->d, i, a);
  if (i->named)
    return;
  dvmrt_array_widths(a, i, f->args, &box);
  box.corner |= corners;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_WIDTHS, .directive = f->d, .widths = {a, &box, "renewed width"}});
  dvmrt_array_renew(a, &box);
}

static void read_clauses(struct dvmrt_frame *f) {
  for (struct dvmrt_item *i = f->d->items; i; i = i->next) {
    switch (i->key) {
    case DVMRT_DIRECTIVE_PRIVATE:
      add_var(f, i, dvmrt_num_value(i->ref.address, f->args), (uint64_t)dvmrt_num_value(i->bytes, f->args), DVMRT_CLASS_PRIVATE);
      break;
    case DVMRT_DIRECTIVE_CONSISTENT: add_consistent(f, i); break;
    case DVMRT_DIRECTIVE_REDUCTION: add_reduction(f, i); break;
    case DVMRT_DIRECTIVE_RENEW: renew(f, i, false); break;
    case DVMRT_DIRECTIVE_ACROSS:
    case DVMRT_DIRECTIVE_REMOTE: add_clause(f, i); break;
    case DVMRT_DIRECTIVE_SHADOW:
      if (!strcmp(i->word, "wait"))
        dvmrt_group_shadow_wait(f->d, i->ref.name);
      break;
    case DVMRT_DIRECTIVE_USE:
      f->uses = dvmrt_mem_grow(f->uses, &f->uses_cap, f->nuses + 1, sizeof(*f->uses));
      f->uses[f->nuses++] = (struct dvmrt_use){.item = i};
      break;
    default: break;
    }
  }
}

static struct dvmrt_coord axis_coord(const struct dvmrt_axis *x, const int64_t *args) {
  if (x->kind == 'c')
    return (struct dvmrt_coord){DVMRT_COORD_CONST, 0, 0, dvmrt_num_value(x->add, args)};
  if (x->kind == 'a')
    return (struct dvmrt_coord){DVMRT_COORD_AFFINE, x->index, dvmrt_num_value(x->coef, args), dvmrt_num_value(x->add, args)};
  return (struct dvmrt_coord){DVMRT_COORD_ALL, 0, 0, 0};
}

static void place_nest(struct dvmrt_frame *f) {
  struct dvmrt_item *on = dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON);
  f->mapped = on != NULL;
  if (!on)
    return;
  f->on = dvmrt_array_target((uintptr_t)dvmrt_num_value(on->ref.address, f->args));
  if (!f->on) {
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_TARGET, .directive = f->d, .target = on->ref.name});
    return;
  }
  dvmrt_rule_fixed(f, on, f->on);
  dvmrt_rule_alignment(f->on);
  const struct dvmrt_layout *l = dvmrt_array_layout(f->on);
  if (!l->root && !f->on->distributed && !f->on->aligned)
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_UNPLACED, .directive = f->d, .unplaced = f->on});
  struct dvmrt_coord axes[DVMRT_NDIMS_MAX];
  for (int i = 0; i < on->naxes; i++)
    axes[i] = axis_coord(&on->axis[i], f->args);
  f->layout = *l;
  for (int r = 0; r < l->ndims; r++)
    f->layout.at[r] = dvmrt_coord_compose(l->at[r], axes, on->naxes);
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
  read_clauses(f);
  place_nest(f);
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
    renew(f, i, !f->beyond.lost);
}

static void nest_end(struct dvmrt_frame *f) {
  count_iterations(f);
  check_ranges(f);
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
    read_clauses(f);
    tell_before(f);
    if (on && !strcmp(f->d->kind, "on"))
      task_begin(f, on);
    return;
  }
  count_site(f->d);
  if (is_task_loop(f, on) && !owner) {
    read_clauses(f);
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

/* ---- views ---------------------------------------------------------------------------------------------------------------------- */

bool dvmrt_construct_only_reads(const struct dvmrt_frame *f, const struct dvmrt_array *a) {
  for (uint32_t i = 0; i < f->nuses; i++)
    if ((uintptr_t)dvmrt_num_value(f->uses[i].item->ref.address, f->args) == a->address && f->uses[i].item->use != 'r')
      return false;
  return true;
}

static void view_limits(const struct dvmrt_frame *f, const struct dvmrt_use *u, struct dvmrt_view *v) {
  enum dvmrt_class class = dvmrt_construct_array_class(f, u->array);
  *v = no_view;
  v->ndims = (uint32_t)u->array->ndims;
  memcpy(v->extent, u->array->extent, sizeof(v->extent));
  if (class == DVMRT_CLASS_ACROSS || (u->item->use == 'r' && class != DVMRT_CLASS_FIRST))
    return;
  v->first_read = __dvmrt_now.base;
  v->first_write = class == DVMRT_CLASS_FIRST ? 0 : __dvmrt_now.base;
  v->mask = 1;
}

const struct dvmrt_use *dvmrt_construct_use(const struct dvmrt_frame *f, const struct dvmrt_view *view) {
  uintptr_t at = (uintptr_t)view - (uintptr_t)f->uses;
  return at < f->nuses * sizeof(*f->uses) ? &f->uses[at / sizeof(*f->uses)] : NULL;
}

const struct dvmrt_view *dvmrt_construct_view(struct dvmrt_directive *d, uint32_t use, uint32_t shift) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  if (!f || f->d != d || use >= f->nuses)
    return &no_view;
  struct dvmrt_use *u = &f->uses[use];
  struct dvmrt_item *item = (struct dvmrt_item *)u->item;
  u->array = dvmrt_array_of(&item->ref, f->args);
  if (!u->array)
    return &no_view;
  const struct dvmrt_region *r = &u->array->region;
  bool parts = shift & DVMRT_PARTS, fits;
  shift %= DVMRT_PARTS;
  fits = r->shift == shift && (parts || u->array->element_bytes == (uint64_t)1 << shift);
  struct dvmrt_view *v = !parts ? &u->view : fits ? &u->part : &u->extents;
  view_limits(f, u, v);
  u->held = fits && DVMRT_UNLIKELY(dvmrt_held_count) && dvmrt_region_watches(u->array, item->use);
  const bool copied =
      item->use != 'r' && f->mapped && f->on && dvmrt_layout_copied(dvmrt_array_layout(u->array), &f->layout); /* replicas.h */
  if (u->held || copied || dvmrt_task_active() || (item->use == 'r' && !dvmrt_construct_only_reads(f, u->array)))
    return v; /* each access must be looked at: the nest may write the array under another name, which inserted code does not
                 know */
  if (fits)
    v->words = r->words - (r->base >> shift);
  return v;
}

/* ---- questions ------------------------------------------------------------------------------------------------------------------- */

bool dvmrt_construct_private(uintptr_t a, uint64_t n) {
  const struct dvmrt_frame *f = dvmrt_construct_nest();
  const struct dvmrt_var *var;
  return f && dvmrt_construct_class(f, a, &var) == DVMRT_CLASS_PRIVATE && a + n <= var->high;
}

bool dvmrt_construct_reduces(uintptr_t a, uint64_t n) {
  const struct dvmrt_frame *f = dvmrt_construct_nest();
  const struct dvmrt_var *var;
  return f && dvmrt_construct_class(f, a, &var) == DVMRT_CLASS_REDUCTION && a + n <= var->high;
}

enum dvmrt_class dvmrt_construct_class(const struct dvmrt_frame *f, uintptr_t a, const struct dvmrt_var **var) {
  *var = NULL;
  if (!f)
    return DVMRT_CLASS_PLAIN;
  for (uint32_t i = 0; i < f->nvars; i++) {
    if (a >= f->vars[i].low && a < f->vars[i].high) {
      *var = &f->vars[i];
      return f->vars[i].class;
    }
  }
  if (f->mapped && !f->on)
    return DVMRT_CLASS_PLAIN; /* who executes what is not known: that was reported */
  return f->mapped ? DVMRT_CLASS_FIRST : DVMRT_CLASS_SHARED;
}

enum dvmrt_class dvmrt_construct_array_class(const struct dvmrt_frame *f, struct dvmrt_array *a) {
  const struct dvmrt_var *var;
  if (!f)
    return DVMRT_CLASS_PLAIN;
  if (dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, a))
    return DVMRT_CLASS_ACROSS;
  /* A replicated array is ordinary data in a nest that is shared out; in one that everybody executes as a whole each
   * processor writes its own copy, alike.  So is one with copies in some dimension, where that is shared out. */
  const struct dvmrt_layout *l = dvmrt_array_layout(a);
  const bool placed = f->mapped && f->on;
  if (dvmrt_layout_everywhere(l) ? placed && dvmrt_layout_everywhere(&f->layout) : !placed || !dvmrt_layout_copied(l, &f->layout))
    return DVMRT_CLASS_SHARED;
  return dvmrt_construct_class(f, a->region.base, &var);
}

struct dvmrt_clause_array *dvmrt_construct_clause(const struct dvmrt_frame *f, char key, const struct dvmrt_array *a) {
  for (; f; f = f->outer) {
    for (uint32_t i = 0; i < f->nclauses && !f->left; i++)
      if (f->clauses[i].key == key && f->clauses[i].array == a)
        return &f->clauses[i];
    if (key != DVMRT_DIRECTIVE_REMOTE)
      break;
  }
  return NULL;
}

bool dvmrt_construct_across_named(const struct dvmrt_frame *f, const char *name) {
  for (uint32_t i = 0; name && i < f->nclauses; i++)
    if (f->clauses[i].key == DVMRT_DIRECTIVE_ACROSS && !f->clauses[i].array && !strcmp(f->clauses[i].item->ref.name, name))
      return true;
  return false;
}

void dvmrt_construct_undeclared(struct dvmrt_frame *f, uintptr_t low, uintptr_t high) {
  struct dvmrt_range *last = f->nundeclared ? &f->undeclared[f->nundeclared - 1] : NULL;
  if (last && last->high == low) {
    last->high = high;
    return;
  }
  f->undeclared = dvmrt_mem_grow(f->undeclared, &f->undeclared_cap, f->nundeclared + 1, sizeof(*f->undeclared));
  f->undeclared[f->nundeclared++] = (struct dvmrt_range){low, high};
}

void dvmrt_construct_filled(struct dvmrt_frame *f, uintptr_t low, uintptr_t high) {
  enum { LOOK_BACK = 8 }; /* a nest that fills the same few data in each iteration keeps one range for each */
  for (uint32_t i = f->nfilled; i > 0 && i + LOOK_BACK > f->nfilled; i--) {
    struct dvmrt_range *r = &f->filled[i - 1];
    if (r->low <= low && high <= r->high)
      return;
    if (r->high == low) {
      r->high = high;
      return;
    }
  }
  f->filled = dvmrt_mem_grow(f->filled, &f->filled_cap, f->nfilled + 1, sizeof(*f->filled));
  f->filled[f->nfilled++] = (struct dvmrt_range){low, high};
}

void dvmrt_construct_written(struct dvmrt_array *a, struct dvmrt_site *site) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  a->writer = site;
  a->writer_in = f ? f->d : NULL;
  a->ever_written = true;
  a->region.gains++;
  a->moved = NULL;
  if (!f) {
    dvmrt_array_stale(a);
    return;
  }
  if (a->dirty)
    return;
  a->dirty = true;
  f->dirty = dvmrt_mem_grow(f->dirty, &f->dirty_cap, f->ndirty + 1, sizeof(struct dvmrt_array *));
  f->dirty[f->ndirty++] = a;
}

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
      f->uses[i] = (struct dvmrt_use){f->uses[i].item, NULL, false, no_view, no_view, no_view};
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

#include "runtime/rules/task.h"
#include "runtime/rules/onto.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/mem.h"
#include <stdio.h>
#include <string.h>

struct task_array {
  struct task_array *next;
  uintptr_t address;
  const char *name;
  int64_t count;
  bool processors;          /* an array of them: 'map' puts tasks onto its sections */
  int ndims;
  int64_t extent[DVMRT_NDIMS_MAX];
  bool fixed[DVMRT_NDIMS_MAX]; /* the extent is the same in every run; else it may be made for the processors that there are */
  bool any_mapped;
  struct mapped {
    bool given;
    const struct dvmrt_onto *onto;
  } *mapped;                /* [count], or NULL: which tasks have processors of their own, and which */
};

/* What has touched one datum in the present region. */
struct cell {
  uintptr_t at;             /* 0: free */
  uint32_t bytes;           /* that were written */
  int64_t writer, reader;   /* last one that wrote, first one that read; -1: none */
  struct dvmrt_site *writer_site, *reader_site; /* NULL: not known */
  int64_t other_reader;     /* some reader besides 'reader', -1: none */
  struct dvmrt_site *other_site;
};

/* Words of variables that the pass keeps itself: what was written from 'first' on was written in task 'number'. */
struct stretch {
  uint32_t first;
  int64_t number;
};

static struct task_array *arrays;
static unsigned depth;          /* regions that are being executed */
static bool apart;              /* some array lies on processors of its own, or none is divided: tasks have theirs alone */
static struct cell *cells;
static uint32_t cells_cap, ncells;
static struct stretch *stretches;
static uint32_t stretches_cap, nstretches;

/* ---- task arrays ---------------------------------------------------------------------------------------------------------------- */

static struct task_array *find(uintptr_t address) {
  for (struct task_array *t = arrays; t; t = t->next)
    if (t->address == address)
      return t;
  return NULL;
}

static void forget_map(struct task_array *t) {
  if (t->mapped)
    dvmrt_mem_free(t->mapped, (uint64_t)t->count * sizeof *t->mapped);
  t->mapped = NULL;
  t->any_mapped = false;
}

void dvmrt_task_declare(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_TEMPLATE);
  if (!own)
    return;
  uintptr_t address = (uintptr_t)dvmrt_num_value(own->ref.address, args);
  struct task_array *t = find(address);
  if (!t) {
    t = dvmrt_mem_alloc(sizeof *t);
    *t = (struct task_array){.next = arrays, .address = address};
    arrays = t;
  }
  t->name = own->ref.name;
  t->ndims = own->ref.ndims;
  for (int i = 0; i < t->ndims; i++)
    t->extent[i] = dvmrt_num_value(own->ref.extent[i], args), t->fixed[i] = own->ref.extent[i].slot < 0;
  forget_map(t);
  t->count = dvmrt_num_value(own->ref.extent[0], args);
  if (t->count <= 0)
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = "a task array needs at least one task"});
}

int64_t dvmrt_task_count(uintptr_t address) {
  const struct task_array *t = find(address);
  return t ? t->count : -1;
}

/* ---- processors ------------------------------------------------------------------------------------------------------------------- */

void dvmrt_task_processors(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_TEMPLATE);
  dvmrt_task_declare(d, args);
  struct task_array *t = own ? find((uintptr_t)dvmrt_num_value(own->ref.address, args)) : NULL;
  if (t)
    t->processors = true;
}

static void say(const struct dvmrt_directive *d, const char *text) {
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = d, .usage = text});
}

static void span_of(const struct dvmrt_item *onto, const struct task_array *p, int i, const int64_t *args, int64_t *low, int64_t *high) {
  const struct dvmrt_axis *x = i < onto->naxes ? &onto->axis[i] : NULL;
  const bool range = x && x->kind == 'r', open = range && x->add.slot < 0 && x->add.v == -1;
  *low = range ? dvmrt_num_value(x->coef, args) : x && x->kind == 'c' ? dvmrt_num_value(x->add, args) : 0;
  *high = x && x->kind == 'c' ? *low : range && !open ? dvmrt_num_value(x->add, args) : p->extent[i] - 1;
}

/* Is the section of processors one? */
static bool check_section(const struct dvmrt_directive *d, const struct dvmrt_item *onto, const struct task_array *p, const int64_t *args) {
  char text[240];
  for (int i = 0; i < p->ndims && i < onto->naxes; i++) {
    int64_t low, high;
    span_of(onto, p, i, args, &low, &high);
    if (!p->fixed[i] || (low >= 0 && high < p->extent[i] && low <= high))
      continue;
    const int first = d->fortran;
    snprintf(text, sizeof text,
             first ? "the section (%lld:%lld) of dimension %d of the processors '%s' is not in 1..%lld"
                   : "the section [%lld:%lld] of dimension %d of the processors '%s' is not in 0..%lld",
             (long long)low + first, (long long)high + first, first ? p->ndims - i : i + 1, p->name, (long long)p->extent[i] - 1 + first);
    say(d, text);
    return false;
  }
  return true;
}

static const struct dvmrt_onto *section(const struct dvmrt_item *onto, const struct task_array *p, const int64_t *args) {
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  for (int i = 0; i < p->ndims; i++)
    span_of(onto, p, i, args, &low[i], &high[i]);
  return dvmrt_onto_section(p->address, p->ndims, p->extent, low, high);
}

/* The subscript, if it is one of the tasks; -1: it is not, which has been told. */
static int64_t task_named(const struct dvmrt_directive *d, const struct dvmrt_item *i, const struct task_array *t, const int64_t *args) {
  int64_t n = i->naxes && i->axis[0].kind == 'c' ? dvmrt_num_value(i->axis[0].add, args) : -1;
  char text[200];
  if (n >= 0 && n < t->count)
    return n;
  snprintf(text, sizeof text, "the task array '%s' has no task %lld: they are %d..%lld", t->name, (long long)n + d->fortran, d->fortran,
           (long long)t->count - 1 + d->fortran);
  say(d, text);
  return -1;
}

void dvmrt_task_map(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *task = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ON),
                          *onto = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ONTO);
  struct task_array *t = task ? find((uintptr_t)dvmrt_num_value(task->ref.address, args)) : NULL;
  const struct task_array *p = onto ? find((uintptr_t)dvmrt_num_value(onto->ref.address, args)) : NULL;
  int64_t n = t && p ? task_named(d, task, t, args) : -1;
  if (n < 0 || !check_section(d, onto, p, args))
    return;
  if (!t->mapped)
    t->mapped = dvmrt_mem_alloc((uint64_t)t->count * sizeof *t->mapped);
  if (!t->any_mapped)
    memset(t->mapped, 0, (uint64_t)t->count * sizeof *t->mapped);
  t->any_mapped = true;
  t->mapped[n] = (struct mapped){true, dvmrt_task_active() ? dvmrt_task_onto() : section(onto, p, args)};
}

void dvmrt_task_place(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *own = d->items, *onto = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ONTO);
  struct dvmrt_array *a = !own                                  ? NULL
                          : own->ref.flags & DVMRT_REF_TEMPLATE ? dvmrt_array_target((uintptr_t)dvmrt_num_value(own->ref.address, args))
                                                                : dvmrt_array_of(&own->ref, args);
  const struct task_array *t = onto ? find((uintptr_t)dvmrt_num_value(onto->ref.address, args)) : NULL;
  if (!a)
    return;
  a->tasks = 0;
  if (!t)
    return;
  if (t->processors) {
    if (check_section(d, onto, t, args))
      a->onto = section(onto, t, args);
    return;
  }
  int64_t n = task_named(d, onto, t, args);
  if (n < 0)
    return;
  if (!t->any_mapped || !t->mapped[n].given)
    say(d, d->fortran ? "the array is put onto the processors of a task before MAP has given it some"
                      : "the array is put onto the processors of a task before 'map' has given it some");
  else
    a->onto = t->mapped[n].onto;
  a->tasks = t->address;
  a->task = n;
}

int64_t dvmrt_task_of_array(struct dvmrt_array *a) {
  const struct dvmrt_array *root = dvmrt_array_layout(a)->root;
  return root && root->tasks ? root->task : -1;
}

/* ---- regions and tasks ------------------------------------------------------------------------------------------------------------ */

static void cells_clear(void) {
  if (cells)
    dvmrt_mem_unmap(cells, cells_cap * sizeof *cells);
  cells = NULL;
  cells_cap = ncells = nstretches = 0;
}

/* As ranks ask when a region begins. */
static bool are_apart(void) {
  bool any = false;
  for (struct dvmrt_array *a = dvmrt_array_first(); a; a = a->next) {
    const struct dvmrt_layout *l = a->ordinary ? NULL : dvmrt_array_layout(a);
    if (l && l->root && ((const struct dvmrt_array *)l->root)->onto)
      return true;
    any |= l && !dvmrt_layout_everywhere(l);
  }
  return !any;
}

static bool is_region(const struct dvmrt_frame *f) { return !strcmp(f->d->kind, "task_region"); }

void dvmrt_task_before(struct dvmrt_frame *f) {
  if (!is_region(f) || depth++)
    return;
  cells_clear();
  apart = are_apart();
}

static void leave_behind(const struct dvmrt_frame *f);

void dvmrt_task_over(struct dvmrt_frame *f) {
  if (!is_region(f) || !depth || --depth)
    return;
  leave_behind(f);
  cells_clear();
}

static const struct dvmrt_frame *region_around(const struct dvmrt_frame *f) {
  while (f && (f->left || strcmp(f->d->kind, "task_region") != 0))
    f = f->outer;
  return f;
}

/* The value of the subscript after 'on'. */
static int64_t number_of(const struct dvmrt_frame *f, const int64_t *iv) {
  const struct dvmrt_axis *x = &f->task_on->axis[0];
  int64_t add = dvmrt_num_value(x->add, f->args);
  return x->kind == 'a' ? dvmrt_num_value(x->coef, f->args) * iv[x->index] + add : add;
}

static void usage(const struct dvmrt_frame *f, const char *format, const char *name, long long a, long long b) {
  char text[200];
  snprintf(text, sizeof text, format, name, a, b);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = f->d, .usage = text});
}

static void check_number(const struct dvmrt_frame *f, const struct task_array *t, int64_t number) {
  if (number < 0 || number >= t->count)
    usage(f,
          f->d->fortran ? "the task array '%s' has no task %lld: they are 1..%lld"
                        : "the task array '%s' has no task %lld: they are 0..%lld",
          t->name, number + f->d->fortran, t->count - 1 + f->d->fortran);
}

static void check_mapped(const struct dvmrt_frame *f, const struct task_array *t, int64_t number) {
  if (t->any_mapped && number >= 0 && number < t->count && !t->mapped[number].given)
    usage(f,
          f->d->fortran ? "task %2$lld of '%1$s' is executed before MAP has given it processors"
                        : "task %2$lld of '%1$s' is executed before 'map' has given it processors",
          t->name, number + f->d->fortran, 0);
}

void dvmrt_task_enter(struct dvmrt_frame *f, const struct dvmrt_item *on) {
  const struct dvmrt_frame *region = region_around(dvmrt_construct_top());
  const struct task_array *t = find((uintptr_t)dvmrt_num_value(on->ref.address, f->args));
  f->task_on = on;
  f->task = depth > 0;
  if (!region)
    usage(f, "tasks of '%s' are executed outside any task region", on->ref.name, 0, 0);
  else if (dvmrt_num_value(region->d->items->ref.address, region->args) != dvmrt_num_value(on->ref.address, f->args))
    usage(f, "a task of '%s' is executed in the region of another task array", on->ref.name, 0, 0);
  if (!t || f->d->parallel)
    return;
  check_number(f, t, number_of(f, f->saved.iv));
  check_mapped(f, t, number_of(f, f->saved.iv));
  stretches = dvmrt_mem_grow(stretches, &stretches_cap, nstretches + 1, sizeof *stretches);
  stretches[nstretches++] = (struct stretch){__dvmrt_now.write, number_of(f, f->saved.iv)};
}

/* The task that this thread is executing, -1: none. */
static int64_t current(const struct dvmrt_frame **in) {
  const int64_t *iv = __dvmrt_now.iv;
  for (const struct dvmrt_frame *f = depth ? dvmrt_construct_top() : NULL; f; f = f->outer) {
    if (f->left)
      continue;
    if (f->task) {
      *in = f;
      return number_of(f, iv);
    }
    iv = f->saved.iv;
  }
  return -1;
}

const struct dvmrt_onto *dvmrt_task_onto(void) {
  const struct dvmrt_frame *in = NULL;
  int64_t number = -1;
  const int64_t *iv = __dvmrt_now.iv;
  for (const struct dvmrt_frame *f = depth && apart ? dvmrt_construct_top() : NULL; f; f = f->outer) {
    if (f->left)
      continue;
    if (f->task) {
      in = f;
      number = number_of(f, iv);
    }
    iv = f->saved.iv;
  }
  const struct task_array *t = in ? find((uintptr_t)dvmrt_num_value(in->task_on->ref.address, in->args)) : NULL;
  return t && t->any_mapped && number >= 0 && number < t->count ? t->mapped[number].onto : NULL;
}

int64_t dvmrt_task_current(void) {
  const struct dvmrt_frame *f;
  return current(&f);
}

bool dvmrt_task_active(void) {
  const struct dvmrt_frame *f;
  return depth && current(&f) >= 0;
}

/* ---- cells ------------------------------------------------------------------------------------------------------------------------ */

static struct cell *slot_of(uintptr_t at) {
  uint32_t i = (uint32_t)((at * 0x9e3779b97f4a7c15u) >> 32) & (cells_cap - 1);
  while (cells[i].at && cells[i].at != at)
    i = (i + 1) & (cells_cap - 1);
  return &cells[i];
}

static bool grow(void) {
  struct cell *old = cells;
  uint32_t old_cap = cells_cap, cap = old_cap ? 2 * old_cap : 1 << 12;
  struct cell *new = dvmrt_mem_map(cap * sizeof *new);
  if (!new)
    return false;
  cells = new;
  cells_cap = cap;
  for (uint32_t i = 0; i < old_cap; i++)
    if (old[i].at)
      *slot_of(old[i].at) = old[i];
  if (old)
    dvmrt_mem_unmap(old, old_cap * sizeof *old);
  return true;
}

/* NULL: not there, and not to be made (or no memory). */
static struct cell *cell_at(uintptr_t at, bool create) {
  if (create && 2 * (ncells + 1) > cells_cap && !grow())
    return NULL;
  if (!cells)
    return NULL;
  struct cell *c = slot_of(at);
  if (c->at)
    return c;
  if (!create)
    return NULL;
  ncells++;
  *c = (struct cell){.at = at, .writer = -1, .reader = -1, .other_reader = -1};
  return c;
}

/* Data are known by 4 bytes, or by single ones where they are smaller; those of distributed arrays by their words. */
static uintptr_t step_from(uintptr_t a, uintptr_t end) {
  const struct dvmrt_region *r = (dvmrt_shadow_entry(a) & 3) == 3 ? dvmrt_shadow_region_in(a, 1) : NULL;
  if (r)
    return ((uintptr_t)1 << r->shift) - ((a - r->base) & (((uintptr_t)1 << r->shift) - 1));
  return !(a & 3) && end - a >= 4 ? 4 : 1;
}

static struct dvmrt_task_left *left;
static uint32_t left_cap, nleft;

const struct dvmrt_task_left *dvmrt_task_left_at(uintptr_t a) {
  for (uint32_t i = nleft; i > 0; i--)
    if (a >= left[i - 1].low && a < left[i - 1].high)
      return &left[i - 1];
  return NULL;
}

/* Do the cell and the one four bytes on tell of one datum of eight? */
static bool goes_on(const struct cell *c, const struct cell *next) {
  return next && next->bytes == c->bytes && next->writer == c->writer && next->writer_site == c->writer_site;
}

static void leave_one(const struct cell *c, const struct dvmrt_frame *f) {
  struct dvmrt_array *a = (struct dvmrt_array *)dvmrt_shadow_region_in(c->at, 1);
  if (c->writer < 0 || !c->writer_site || dvmrt_shadow_word(c->at) < DVMRT_W_FIRST ||
      (a && !dvmrt_layout_everywhere(dvmrt_array_layout(a))))
    return;
  uint64_t bytes = c->bytes;
  if (bytes == 4 && (c->at & 7) == 4 && cell_at(c->at - 4, false) && goes_on(cell_at(c->at - 4, false), c))
    return; /* told with the other half */
  if (bytes == 4 && !(c->at & 7) && goes_on(c, cell_at(c->at + 4, false)))
    bytes = 8;
  left = dvmrt_mem_grow(left, &left_cap, nleft + 1, sizeof *left);
  left[nleft++] = (struct dvmrt_task_left){c->at, c->at + bytes, c->writer, c->writer_site, f->d};
  dvmrt_shadow_fill(c->at, bytes, DVMRT_W_TASK);
}

static void leave_behind(const struct dvmrt_frame *f) {
  enum { KEPT = 1 << 16 };
  if (nleft > KEPT)
    nleft = 0;
  for (uint32_t i = 0; i < cells_cap; i++)
    if (cells[i].at)
      leave_one(&cells[i], f);
}

bool dvmrt_task_remembers(void) { return cells; }

void dvmrt_task_forget(uintptr_t a, uint64_t n) {
  if (!cells)
    return;
  for (uintptr_t at = a; at < a + n; at++) {
    struct cell *c = cell_at(at, false);
    if (c)
      c->writer = c->reader = c->other_reader = -1;
  }
}

void dvmrt_task_assigned(uintptr_t a, uint64_t n) {
  const struct dvmrt_frame *in;
  int64_t task = current(&in);
  dvmrt_task_forget(a, n);
  for (uintptr_t at = a; task >= 0 && at < a + n; at += step_from(at, a + n)) {
    struct cell *c = cell_at(at, true);
    if (c)
      c->writer = task, c->writer_site = NULL;
  }
}

/* ---- judging ---------------------------------------------------------------------------------------------------------------------- */

static void report(const struct dvmrt_event *ev, const struct dvmrt_frame *in, int64_t task, enum dvmrt_verdict v, int64_t other,
                   struct dvmrt_site *site) {
  const struct dvmrt_frame *region = region_around(in);
  const struct dvmrt_task_conflict t = {region ? region->d : in->d, in->task_on->ref.name, task, other, site};
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_TASK, .event = ev, .task = {v, &t}});
}

static void note_read(struct cell *c, int64_t task, struct dvmrt_site *site) {
  if (c->reader < 0 || c->reader == task)
    c->reader = task, c->reader_site = site;
  else
    c->other_reader = task, c->other_site = site;
}

/* 'replicated': each task has its own. */
static enum dvmrt_verdict judge(const struct cell *c, int64_t task, uint32_t flags, bool replicated) {
  if ((flags & DVMRT_READ) && c->writer >= 0 && c->writer != task)
    return DVMRT_FLOW;
  if (replicated || !(flags & DVMRT_WRITE))
    return DVMRT_FINE;
  if (c->writer >= 0 && c->writer != task)
    return DVMRT_OUTPUT;
  if ((c->reader >= 0 && c->reader != task) || (c->other_reader >= 0 && c->other_reader != task))
    return DVMRT_ANTI;
  return DVMRT_FINE;
}

/* False: a conflict, which is reported unless one of this access has been ('told'). */
static bool touch(const struct dvmrt_event *ev, const struct dvmrt_frame *in, int64_t task, uintptr_t at, uintptr_t end, bool replicated,
                  bool told) {
  struct cell *c = cell_at(at, true);
  if (!c)
    return true;
  enum dvmrt_verdict v = judge(c, task, ev->flags, replicated);
  bool first = c->reader >= 0 && c->reader != task;
  int64_t other = v != DVMRT_ANTI ? c->writer : first ? c->reader : c->other_reader;
  struct dvmrt_site *site = v != DVMRT_ANTI ? c->writer_site : first ? c->reader_site : c->other_site;
  if (ev->flags & DVMRT_READ)
    note_read(c, task, ev->access->site);
  if (ev->flags & DVMRT_WRITE) { /* takes the datum over: those who read it before have met one writer, and are told of */
    c->writer = task, c->writer_site = ev->access->site;
    c->bytes = (uint32_t)step_from(at, end);
    c->reader = c->other_reader = -1;
  }
  if (v != DVMRT_FINE && !told)
    report(ev, in, task, v, other, site);
  return v == DVMRT_FINE;
}

/* A result that all tasks of the region add to: of the task's own clauses, or of the region's. */
static bool is_result(const struct dvmrt_frame *f, uintptr_t a) {
  for (; f; f = f->outer) {
    const struct dvmrt_var *var;
    for (uint32_t i = 0; i < f->nvars && !f->left; i++) {
      var = &f->vars[i];
      if (var->class == DVMRT_CLASS_REDUCTION && a >= var->low && a < var->high)
        return true;
    }
    if (is_region(f) && !f->left)
      return false;
  }
  return false;
}

/* On the processors of another task, or on more than those of this one, who have not all of it. */
static bool lies_elsewhere(const struct dvmrt_event *ev, const struct dvmrt_frame *in, int64_t task) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_array *root = l->root;
  const struct dvmrt_place none = {0};
  if (!root || dvmrt_layout_everywhere(l))
    return false;
  const bool others = root->tasks == (uintptr_t)dvmrt_num_value(in->task_on->ref.address, in->args) && root->task != task;
  if (!others && dvmrt_onto_holds(dvmrt_task_onto(), root->onto))
    return false;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev, .place = {&none, DVMRT_ID_NONLOCAL_ACCESS, DVMRT_OTHER_TASK}});
  return true;
}

void dvmrt_task_access(const struct dvmrt_event *ev, uintptr_t a, uint64_t n) {
  const struct dvmrt_frame *in;
  int64_t task = current(&in);
  if (task >= 0 && is_result(in, a))
    return;
  if (task < 0 || ev->class == DVMRT_CLASS_PRIVATE || ev->class == DVMRT_CLASS_REDUCTION)
    return;
  if (!(ev->flags & DVMRT_WRITE) && dvmrt_check_buffered(ev))
    return; /* fetched by remote_access */
  if (ev->array && lies_elsewhere(ev, in, task))
    return;
  bool replicated = !ev->array || dvmrt_layout_everywhere(dvmrt_array_layout(ev->array)), told = false;
  for (uintptr_t at = a; at < a + n; at += step_from(at, a + n))
    told |= !touch(ev, in, task, at, a + n, replicated, told);
}

void dvmrt_task_local(const struct dvmrt_event *ev) {
  const struct dvmrt_frame *in;
  int64_t task = current(&in);
  if (task < 0 || !(ev->flags & DVMRT_READ) || !(ev->word & 1) || !nstretches || ev->word < stretches[0].first)
    return;
  uint32_t i = nstretches;
  while (stretches[i - 1].first > ev->word)
    i--;
  if (stretches[i - 1].number != task)
    report(ev, in, task, DVMRT_FLOW, stretches[i - 1].number, NULL);
}

#include "runtime/parallel/reduce.h"
#include "runtime/parallel/dual.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/record.h"
#include "runtime/parallel/results.h"
#include "runtime/parallel/way.h"
#include "runtime/trace/text.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result {
  const struct dvmrt_item *item;
  char *at, *location;
  int64_t count, location_bytes;
  int64_t elements;             /* that are recorded */
  float *magnitude;             /* of each of them, of what ranks have added up; or NULL: nobody knows */
  char op;                      /* of dvmp_job_combine; 'X' maxloc, 'N' minloc */
  char type;
  int bytes;
  bool pending;                 /* finished by its group */
  bool scalar;
  bool last;                    /* of equal extremes the last counts */
  struct dvmp_dual *dual;       /* evaluated a second time, or NULL */
  struct dvmp_dual_location *dual_location; /* likewise, with its location */
  int64_t *when;                /* values of the index variables when the extreme was met */
  int nwhen;                    /* how many, the first one apart: whether it was */
  char *initial, *all;          /* of tasks: the value from before, and of this rank's tasks together; each with its location */
};

struct dvmp_reductions {
  int n;
  struct result *at;
};

/* Of asynchronous groups, between the end of the construct and the wait. */
struct waiting {
  struct waiting *next;
  const char *group;
  const struct dvmrt_directive *d;
  unsigned number;
  uint64_t execution;           /* of the construct that computed it */
  struct result r;
  bool started;
  void *handle;
};
static struct waiting *waiting;

/* An extreme with its location: combined where it is waited for. */
static bool is_located(const struct result *r) { return r->op == 'X' || r->op == 'N'; }

static char op_of(const char *word) {
  static const struct {
    const char *word;
    char op;
  } ops[] = {{"sum", 's'}, {"product", 'p'}, {"max", 'M'},    {"min", 'm'}, {"and", 'a'}, {"or", 'o'},
             {"xor", 'x'}, {"maxloc", 'X'},  {"minloc", 'N'}, {"eqv", 'x'}, {"neqv", 'x'}}; /* 'eqv' from false on */
  for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
    if (!strcmp(ops[i].word, word))
      return ops[i].op;
  return 's';
}

/* ---- neutral elements ----------------------------------------------------------------------------------------------------------- */

static void set_ones(char *p, char type, int bytes) {
  if (type == 'f' && bytes == 4)
    *(float *)(void *)p = 1;
  else if (type == 'f' && bytes == 8)
    *(double *)(void *)p = 1;
  else if (type == 'f')
    *(long double *)(void *)p = 1;
  else if (type == 'c' && bytes == 8)
    *(float complex *)(void *)p = 1;
  else if (type == 'c' && bytes == 16)
    *(double complex *)(void *)p = 1;
  else if (type == 'c')
    *(long double complex *)(void *)p = 1;
  else
    *p = 1; /* little-endian, the others are zero */
}

/* Extremes and bits may be met any number of times: there the value itself is as good. */
static void set_neutral(const struct result *r) {
  if (r->op != 's' && r->op != 'p' && r->op != 'x')
    return;
  memset(r->at, 0, (size_t)(r->count * r->bytes));
  for (int64_t i = 0; r->op == 'p' && i < r->count; i++)
    set_ones(r->at + i * r->bytes, r->type, r->bytes);
}

/* ---- extremes with their locations ----------------------------------------------------------------------------------------------- */

static double as_number(const struct result *r, const char *p, int64_t *whole) {
  float f;
  double d;
  long double l;
  uint64_t u = 0;
  *whole = 0;
  if (r->type == 'f' && r->bytes == 4)
    return memcpy(&f, p, 4), (double)f;
  if (r->type == 'f' && r->bytes == 8)
    return memcpy(&d, p, 8), d;
  if (r->type == 'f')
    return memcpy(&l, p, sizeof(l)), (double)l;
  memcpy(&u, p, (size_t)r->bytes);
  int unused = 64 - 8 * r->bytes;
  *whole = r->type == 'u' ? (int64_t)(u ^ 1ull << 63) : (int64_t)(u << unused) >> unused;
  return 0;
}

/* -1, 0, 1: is the extreme at 'b' worse, equal, better than that at 'a'? */
static int better(const void *arg, const char *a, const char *b) {
  const struct result *r = arg;
  int64_t ia, ib;
  double da = as_number(r, a, &ia), db = as_number(r, b, &ib);
  int order = (db > da) - (db < da);
  if (r->type != 'f')
    order = (ib > ia) - (ib < ia);
  return r->op == 'X' ? order : -order;
}

/* Record: met in the construct, then the values of the index variables as the loops run, the extreme, the location. */
static void combine_location(struct result *r) {
  const int rank = r->nwhen;
  size_t head = ((size_t)rank + 1) * sizeof(int64_t), n = head + (size_t)r->bytes + (size_t)r->location_bytes;
  char *mine = calloc((size_t)dvmp_job.size + 1, n), *all = mine + n, *best = all;
  if (!mine)
    dvmp_out_of_memory();
  memcpy(mine, r->when, head);
  memcpy(mine + head, r->at, (size_t)r->bytes);
  memcpy(mine + head + r->bytes, r->location, (size_t)r->location_bytes);
  dvmp_job_gather(mine, n, all);
  best = all + (size_t)dvmp_job.root * n;
  for (int q = dvmp_job.root + 1; q < dvmp_job.size; q++) {
    if (dvmp_group_place(dvmp_job.group, q) < 0)
      continue;
    char *other = all + (size_t)q * n;
    int64_t a[DVMRT_NDIMS_MAX + 1], b[DVMRT_NDIMS_MAX + 1];
    int order = better(r, best + head, other + head);
    memcpy(a, best, head);
    memcpy(b, other, head);
    if (!order && a[0] != b[0]) /* the value from before is met by all: who found it again knows better only if the last counts */
      order = r->last == (b[0] != 0) ? 1 : -1;
    for (int k = 1; !order && k <= rank; k++)
      order = r->last ? (b[k] > a[k]) - (b[k] < a[k]) : (b[k] < a[k]) - (b[k] > a[k]);
    if (order > 0)
      best = other;
  }
  memcpy(r->at, best + head, (size_t)r->bytes);
  memcpy(r->location, best + head + r->bytes, (size_t)r->location_bytes);
  free(mine);
}

/* ---- constructs ------------------------------------------------------------------------------------------------------------------ */

/* Parts of it are still to be combined: this construct would begin with them. */
static void refuse_waiting(const struct dvmrt_directive *d, const struct result *r) {
  for (const struct waiting *w = waiting; w; w = w->next)
    if (w->r.at == r->at || w->r.at == r->location)
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                    "'%s' is reduced again before its reduction '%s' has %s [dvm-reduction-pending]\n"
                    "help: put '#pragma dvm reduction_wait(%s)' before it",
                    w->r.item->ref.name, w->group, w->started ? "been waited for" : "been started", w->group);
}

static void read_result(struct dvmp_construct *c, struct result *r, const struct dvmrt_item *i, const char *group) {
  r->item = i;
  r->op = op_of(i->word);
  r->type = i->ref.type;
  r->bytes = (int)dvmrt_num_value(i->ref.element_bytes, c->args);
  r->at = (char *)(uintptr_t)dvmrt_num_value(i->ref.address, c->args);
  r->count = dvmrt_num_value(i->ref.extent[0], c->args);
  r->scalar = r->count == 1;
  r->elements = r->count > DVMT_RESULT_ELEMENTS ? 0 : r->count;
  r->pending = strcmp(group, "-") != 0;
  if (i->loc_name) {
    r->location = (char *)(uintptr_t)dvmrt_num_value(i->loc_address, c->args);
    r->location_bytes = dvmrt_num_value(i->loc_bytes, c->args) * dvmrt_num_value(i->bytes, c->args);
  }
  if (r->count < 1 || r->bytes < 1)
    dvmp_fail_all(1, &c->d->pos, "the size of '%s' in 'reduction' is not known: not supported in parallel execution yet", i->ref.name);
  refuse_waiting(c->d, r);
}

/* Of the text's line: letter 'number'. */
static bool counts_last(const char *text, int number) {
  const char *places = dvmp_way_places(text);
  return (int)strcspn(places, " \n") > number && places[number] == 'l';
}

static void begin_dual(struct dvmp_construct *c, struct result *r) {
  if (!r->when) {
    r->dual = dvmp_dual_begin(&c->memory, r->at, r->count, r->op, r->type, r->bytes);
    return;
  }
  const struct dvmp_dual_location_of of = {
      r->at, r->location, (size_t)r->bytes, (size_t)r->location_bytes, r->when, (size_t)c->d->rank + 1, r->last};
  if (r->scalar && r->location && r->type != 'c')
    r->dual_location = dvmp_dual_location_begin(&c->memory, &of);
}

/* ---- tasks that are executed by their ranks -------------------------------------------------------------------------------------- */

static size_t value_bytes(const struct result *r) { return (size_t)(r->count * r->bytes); }

static void save(const struct result *r, char *to) {
  memcpy(to, r->at, value_bytes(r));
  if (r->location)
    memcpy(to + value_bytes(r), r->location, (size_t)r->location_bytes);
}

static void restore(const struct result *r, const char *from) {
  memcpy(r->at, from, value_bytes(r));
  if (r->location)
    memcpy(r->location, from + value_bytes(r), (size_t)r->location_bytes);
}

/* The value from before counts once, on rank 0; of extremes with locations: met, and in which task. */
static void begin_tasks(struct dvmp_construct *c, struct result *r) {
  size_t n = value_bytes(r) + (size_t)r->location_bytes;
  r->initial = dvmp_arena_get(&c->memory, n);
  r->all = dvmp_arena_get(&c->memory, n);
  save(r, r->initial);
  if (!dvmp_job_first())
    set_neutral(r);
  save(r, r->all);
  restore(r, r->initial);
  if (is_located(r)) {
    r->when = dvmp_arena_get(&c->memory, 2 * sizeof(*r->when));
    r->nwhen = 1;
  }
}

static struct result *next_result(const struct dvmp_construct **c, int *i) {
  for (; *c; *c = (*c)->outer, *i = 0)
    if ((*c)->tasks && (*c)->reductions && *i < (*c)->reductions->n)
      return &(*c)->reductions->at[(*i)++];
  return NULL;
}

void dvmp_reduce_task_begin(struct dvmp_construct *c) {
  const struct dvmp_construct *at = c;
  int i = 0;
  for (struct result *r; (r = next_result(&at, &i));) {
    restore(r, r->initial);
    set_neutral(r);
  }
}

/* An extreme that the task has changed is as good as the one from before, or better. */
static void end_location(struct result *r, int64_t key) {
  size_t n = (size_t)r->bytes;
  if (!memcmp(r->at, r->initial, n) && !memcmp(r->location, r->initial + n, (size_t)r->location_bytes))
    return;
  int order = better(r, r->all, r->at);
  if (r->when[0] && (order < 0 || (!order && !r->last)))
    return;
  save(r, r->all);
  r->when[0] = 1;
  r->when[1] = key;
}

void dvmp_reduce_task_end(struct dvmp_construct *c, int64_t key) {
  const struct dvmp_construct *at = c;
  int i = 0;
  for (struct result *r; (r = next_result(&at, &i));) {
    if (dvmp_job_first() && is_located(r))
      end_location(r, key);
    else if (dvmp_job_first())
      dvmp_job_fold(r->all, r->at, r->count, r->op, r->type, r->bytes);
    restore(r, r->initial);
  }
}

void dvmp_reduce_begin(struct dvmp_construct *c, int64_t *at) {
  struct dvmp_reductions *all = dvmp_arena_get(&c->memory, sizeof(*all));
  const char *group = "-";
  int n = 0, locations = 0, rank = c->d->rank;
  for (struct dvmrt_item *i = c->d->items; i; i = i->next)
    n += i->key == DVMRT_DIRECTIVE_REDUCTION;
  if (!n || (!c->d->parallel && strcmp(c->d->kind, "task_region"))) /* of 'on' blocks they are told with the region */
    return;
  all->at = dvmp_arena_get(&c->memory, (size_t)n * sizeof(*all->at));
  for (struct dvmrt_item *i = c->d->items; i; i = i->next) {
    if (i->key == DVMRT_DIRECTIVE_GROUP)
      group = i->ref.name;
    if (i->key != DVMRT_DIRECTIVE_REDUCTION)
      continue;
    struct result *r = &all->at[all->n++];
    read_result(c, r, i, group);
    if (is_located(r)) {
      r->last = counts_last(c->site->text, locations);
      r->when = at ? at + locations * (rank + 1) : NULL;
      r->nwhen = rank;
      locations++;
    }
    if (c->tasks)
      begin_tasks(c, r);
    if (c->inside && !dvmp_job_first())
      set_neutral(r);
    if (r->when)
      memset(r->when, 0, ((size_t)rank + 1) * sizeof(*at));
    if (dvmp_job.poison && dvmp_results_there() && c->d->parallel && c->d->counted)
      begin_dual(c, r);
  }
  c->reductions = all;
}

void dvmp_reduce_iteration(struct dvmp_construct *c) {
  for (int i = 0; c->reductions && i < c->reductions->n; i++) {
    struct result *r = &c->reductions->at[i];
    if (r->dual)
      dvmp_dual_iteration(r->dual);
    if (r->dual_location)
      dvmp_dual_location_iteration(r->dual_location, better, r);
  }
}

static struct dvmp_result value_of(const struct result *r, int64_t element) {
  return (struct dvmp_result){r->at + element * r->bytes, r->type, r->bytes, r->magnitude ? r->magnitude[element] : 0};
}

/* What all have now, against the reference. */
static void check_element(const struct dvmrt_directive *d, uint64_t number, uint64_t execution, const struct result *r, int64_t element) {
  char is[80], was[80], name[300];
  const struct dvmp_result value = value_of(r, element);
  const char *at = value.at;
  const void *reference = dvmp_results_disagree(d, number, execution, &value);
  if (!reference)
    return;
  dvmt_text_result(d->site->text, number, name, sizeof(name));
  dvmp_dual_text(at, r->type, r->bytes, is, sizeof(is));
  dvmp_dual_text(reference, r->type, r->bytes, was, sizeof(was));
  dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                "the reference has '%s' = %s, but the iterations' partial values give %s under '%s' [dvm-reduction-mismatch]\n"
                "help: declare the operation that the loop computes, or let each iteration only add to '%s'",
                name, was, is, r->item->word, r->item->ref.name);
}

static uint64_t element_number(unsigned number, int64_t element) { return number | (uint64_t)element << 32; }

static void check_dual(const struct dvmrt_directive *d, unsigned number, uint64_t execution, const struct result *r) {
  for (int64_t k = 0; k < r->elements && (r->dual || r->dual_location); k++)
    check_element(d, element_number(number, k), execution, r, k);
}

static void turn_around(struct dvmp_construct *c, struct result *r) {
  for (int k = 0; k < c->d->rank; k++)
    if (dvmp_way(c, k) < 0)
      r->when[k + 1] = -r->when[k + 1];
}

static void put_off(const struct dvmrt_directive *d, unsigned number, const struct result *r, const char *group) {
  struct waiting *w = calloc(1, sizeof(*w));
  if (!w)
    dvmp_out_of_memory();
  w->r = *r;
  if (r->when) {
    size_t n = ((size_t)r->nwhen + 1) * sizeof(*r->when);
    w->r.when = malloc(n);
    if (!w->r.when)
      dvmp_out_of_memory();
    memcpy(w->r.when, r->when, n);
  }
  w->d = d;
  w->number = number;
  w->execution = dvmp_record_execution(d);
  w->group = group;
  w->next = waiting;
  waiting = w;
}

/* Of locations nothing is recorded. */
static void record(const struct dvmrt_directive *d, unsigned number, uint64_t execution, const struct result *r) {
  for (int64_t k = 0; k < r->elements; k++) {
    const struct dvmp_result value = value_of(r, k);
    dvmp_record_result(d, element_number(number, k), execution, &value);
  }
}

static void make_positive(char *p, int bytes) {
  if (bytes == 4)
    *(float *)(void *)p = fabsf(*(float *)(void *)p);
  else if (bytes == 8)
    *(double *)(void *)p = fabs(*(double *)(void *)p);
  else
    *(long double *)(void *)p = fabsl(*(long double *)(void *)p);
}

/* With a sum that is recorded come the magnitudes of what ranks have added up, in one message: parts that cancel leave their rounding. */
static void combine_sum(struct dvmp_construct *c, struct result *r) {
  size_t n = (size_t)(r->count * r->bytes);
  char *both = dvmp_arena_get(&c->memory, 2 * n);
  int64_t whole;
  memcpy(both, r->at, n);
  memcpy(both + n, r->at, n);
  for (int64_t k = 0; k < r->count; k++)
    make_positive(both + n + k * r->bytes, r->bytes);
  dvmp_job_combine(both, 2 * r->count, r->op, r->type, r->bytes, NULL);
  memcpy(r->at, both, n);
  r->magnitude = dvmp_arena_get(&c->memory, (size_t)r->count * sizeof(*r->magnitude));
  for (int64_t k = 0; k < r->count; k++)
    r->magnitude[k] = (float)as_number(r, both + n + k * r->bytes, &whole);
}

static void combine(struct dvmp_construct *c, struct result *r) {
  if (dvmp_emit_wanted() && r->op == 's' && r->type == 'f' && r->count == r->elements && dvmp_job.size > 1)
    combine_sum(c, r);
  else
    dvmp_job_combine(r->at, r->count, r->op, r->type, r->bytes, NULL);
}

void dvmp_reduce_end(struct dvmp_construct *c, const int64_t *at) {
  const char *group = "-";
  unsigned number = 0;
  struct result *r = c->reductions ? c->reductions->at : NULL;
  (void)at;
  int why = r ? dvmp_profile_why(DVMP_WHY_REDUCTION) : 0;
  for (struct dvmrt_item *i = r ? c->d->items : NULL; i; i = i->next) {
    if (i->key == DVMRT_DIRECTIVE_GROUP)
      group = i->ref.name;
    if (i->key != DVMRT_DIRECTIVE_REDUCTION)
      continue;
    if (r->dual)
      dvmp_dual_end(r->dual);
    if (r->dual_location)
      dvmp_dual_location_end(r->dual_location, better, r);
    if (c->inside && !c->counts && !dvmp_job_first()) /* the first rank has the value from before, also where it has no part */
      set_neutral(r);
    if (c->tasks)
      restore(r, r->all);
    bool divided = c->inside || c->tasks;
    if (r->pending) {
      if (!divided) { /* all have the whole already */
        r->count = 0;
        r->when = NULL;
      }
      if (r->when && c->inside)
        turn_around(c, r);
      put_off(c->d, number, r, group);
    } else if (divided && r->when) {
      if (c->inside)
        turn_around(c, r);
      combine_location(r);
    } else if (divided) {
      combine(c, r);
    }
    if (!r->pending) {
      check_dual(c->d, number, dvmp_record_execution(c->d), r);
      record(c->d, number, dvmp_record_execution(c->d), r);
    }
    r++;
    number++;
  }
  if (number)
    dvmp_profile_back(why);
}

/* ---- groups ---------------------------------------------------------------------------------------------------------------------- */

/* Newest first in the list: the same order on all ranks. */
void dvmp_reduce_start(const struct dvmrt_directive *d, const char *group) {
  bool any = false;
  int why = dvmp_profile_why(DVMP_WHY_REDUCTION);
  for (struct waiting *w = waiting; w; w = w->next) {
    if (strcmp(w->group, group) || w->started)
      continue;
    any = w->started = true;
    if (!is_located(&w->r))
      dvmp_job_combine(w->r.at, w->r.count, w->r.op, w->r.type, w->r.bytes, &w->handle);
  }
  dvmp_profile_back(why);
  if (!any)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                  "the reduction group '%s' is started, but no loop has computed anything for it [dvm-reduction-protocol]", group);
}

void dvmp_reduce_wait(const struct dvmrt_directive *d, const char *group) {
  bool any = false;
  int why = dvmp_profile_why(DVMP_WHY_REDUCTION);
  for (struct waiting **l = &waiting; *l;) {
    struct waiting *w = *l;
    if (strcmp(w->group, group)) {
      l = &w->next;
      continue;
    }
    if (!w->started)
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the reduction group '%s' is waited for but was not started [dvm-reduction-protocol]",
                    group);
    any = true;
    if (!is_located(&w->r))
      dvmp_job_wait(&w->handle);
    else if (w->r.when)
      combine_location(&w->r);
    check_dual(w->d, w->number, w->execution, &w->r);
    record(w->d, w->number, w->execution, &w->r);
    *l = w->next;
    free(w->r.when);
    free(w);
  }
  dvmp_profile_back(why);
  if (!any)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the reduction group '%s' is waited for but was not started [dvm-reduction-protocol]", group);
}

#include "runtime/rules/remote.h"
#include "runtime/data/mem.h"
#include "runtime/rules/verdict.h"
#include <stdio.h>
#include <string.h>

struct group {
  struct group *next;
  const char *name;
  const struct dvmrt_directive *started; /* and not waited for; or NULL */
  bool fetches;                          /* .. and sections are under way: the first start has none */
};

/* A section that a construct of the group has used, or one of a copy. */
struct fetched {
  struct fetched *next;
  struct group *group;
  const struct dvmrt_item *item;         /* of the construct, or NULL: of a copy */
  struct dvmrt_copied section;
  bool known;                            /* the section is: all of its subscripts could be told */
  bool fixed;                            /* .. before the construct is executed */
  bool target;                           /* of a copy */
  const struct dvmrt_directive *started; /* fetched, and not used since; or NULL */
};

static struct group *groups;
static struct fetched *all;
static uint32_t narrays; /* sections with 'started' */

static struct group *group_of(const char *name, bool make) {
  struct group *g = groups;
  while (g && strcmp(g->name, name) != 0)
    g = g->next;
  if (g || !make)
    return g;
  g = dvmrt_mem_alloc(sizeof(*g));
  *g = (struct group){.next = groups, .name = name};
  return groups = g;
}

static void usage(const struct dvmrt_directive *at, const char *format, const char *name) {
  char text[256];
  snprintf(text, sizeof(text), format, name);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = at, .usage = text});
}

static void set_started(struct fetched *x, const struct dvmrt_directive *at) {
  narrays += (at != NULL) - (x->started != NULL);
  x->started = at;
}

static void drop(struct fetched **l) {
  struct fetched *x = *l;
  set_started(x, NULL);
  *l = x->next;
  dvmrt_mem_free(x, sizeof(*x));
}

/* ---- directives ------------------------------------------------------------------------------------------------------------------ */

void dvmrt_remote_start(struct dvmrt_directive *at, const char *name) {
  struct group *g = group_of(name, true);
  if (g->started && g->fetches) {
    usage(at, "the remote group '%s' is started twice without a wait", name);
    return;
  }
  g->started = at;
  g->fetches = false;
  for (struct fetched *x = all; x; x = x->next)
    if (x->group == g) {
      set_started(x, at);
      g->fetches = true;
    }
}

void dvmrt_remote_wait(struct dvmrt_directive *at, const char *name) {
  struct group *g = group_of(name, false);
  if (!g || !g->started)
    usage(at, "the remote group '%s' is waited for before it has been started", name);
  else
    g->started = NULL;
}

void dvmrt_remote_reset(struct dvmrt_directive *at, const char *name) {
  struct group *g = group_of(name, false);
  if (g && g->started && g->fetches)
    usage(at, "the remote group '%s' is reset while it is being fetched", name);
  if (g)
    g->started = NULL;
  for (struct fetched **l = &all; *l;)
    if ((*l)->group == g && g)
      drop(l);
    else
      l = &(*l)->next;
}

/* ---- constructs -------------------------------------------------------------------------------------------------------------------- */

/* 'over': the ranges of the index variables are known. */
static void take_axis(struct fetched *x, const struct dvmrt_frame *f, int d, bool over) {
  const struct dvmrt_axis *axis = d < x->item->naxes ? &x->item->axis[d] : NULL;
  struct dvmrt_copied *s = &x->section;
  s->low[d] = 0;
  s->high[d] = s->array->extent[d] - 1;
  if (!axis || axis->kind == 'e')
    return;
  if (axis->kind == 'c') {
    s->low[d] = s->high[d] = dvmrt_num_value(axis->add, f->args);
  } else if (axis->kind == 'a' && over && f->rows.any && axis->index < f->d->rank) {
    int64_t coef = dvmrt_num_value(axis->coef, f->args), add = dvmrt_num_value(axis->add, f->args);
    int64_t a = coef * f->rows.low[axis->index] + add, b = coef * f->rows.high[axis->index] + add;
    s->low[d] = a < b ? a : b;
    s->high[d] = a < b ? b : a;
    x->fixed = false;
    x->known &= coef == 1 || coef == -1;
  } else {
    x->known = x->fixed = false;
  }
}

static bool section_of(struct fetched *x, const struct dvmrt_frame *f, bool over) {
  x->section.array = dvmrt_array_of((struct dvmrt_ref *)(uintptr_t)&x->item->ref, f->args);
  if (!x->section.array)
    return false;
  x->section.ndims = x->section.array->ndims;
  x->known = x->fixed = true;
  for (int d = 0; d < x->section.ndims; d++)
    take_axis(x, f, d, over);
  return true;
}

static bool same_section(const struct dvmrt_copied *a, const struct dvmrt_copied *b) {
  bool same = a->array == b->array;
  for (int d = 0; d < a->ndims && same; d++)
    same = a->low[d] == b->low[d] && a->high[d] == b->high[d];
  return same;
}

static struct fetched *find(const struct group *g, const struct dvmrt_item *item) {
  struct fetched *x = all;
  while (x && (x->group != g || x->item != item))
    x = x->next;
  return x;
}

static void use(struct dvmrt_frame *f, struct group *g, const struct dvmrt_item *item) {
  struct fetched *x = find(g, item), now = {.item = item};
  if (g->started)
    g->started = NULL; /* the construct waits for what is being fetched */
  if (!x || !x->started)
    return;
  if (x->known && x->fixed && section_of(&now, f, false) && now.fixed && !same_section(&x->section, &now.section)) {
    char text[300];
    snprintf(text, sizeof text,
             "the remote group '%s' has fetched another section of '%s' than is used here: 'remote_reset(%s)' is missing", g->name,
             item->ref.name, g->name);
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = f->d, .usage = text});
  }
  set_started(x, NULL);
}

static void keep(struct dvmrt_frame *f, struct group *g, const struct dvmrt_item *item) {
  struct fetched *x = find(g, item);
  if (!x) {
    x = dvmrt_mem_alloc(sizeof(*x));
    *x = (struct fetched){.next = all, .group = g, .item = item};
    all = x;
  }
  if (!section_of(x, f, true))
    x->known = false;
}

static void each(struct dvmrt_frame *f, void (*what)(struct dvmrt_frame *, struct group *, const struct dvmrt_item *)) {
  struct group *g = NULL;
  for (const struct dvmrt_item *i = f->d->items; i; i = i->next)
    if (i->key == DVMRT_DIRECTIVE_REMOTE_GROUP)
      g = strcmp(i->ref.name, "-") ? group_of(i->ref.name, true) : NULL;
    else if (i->key == DVMRT_DIRECTIVE_REMOTE && g)
      what(f, g, i);
}

void dvmrt_remote_before(struct dvmrt_frame *f) { each(f, use); }
void dvmrt_remote_over(struct dvmrt_frame *f) { each(f, keep); }

/* ---- copies ----------------------------------------------------------------------------------------------------------------------- */

static void add_copy(struct group *g, const struct dvmrt_directive *d, const struct dvmrt_copied *section, bool target) {
  struct fetched *x = dvmrt_mem_alloc(sizeof(*x));
  *x = (struct fetched){.next = all, .group = g, .section = *section, .known = section->array != NULL, .fixed = true, .target = target};
  all = x;
  set_started(x, d);
}

void dvmrt_remote_copies(const struct dvmrt_directive *d, const char *name, const struct dvmrt_copied *from,
                         const struct dvmrt_copied *to) {
  struct group *g = group_of(name, true);
  g->started = d;
  g->fetches = true;
  if (from)
    add_copy(g, d, from, false);
  if (to)
    add_copy(g, d, to, true);
}

bool dvmrt_remote_copied(struct dvmrt_directive *at, const char *name) {
  struct group *g = group_of(name, false);
  bool any = g && g->started;
  for (struct fetched **l = &all; *l && g;)
    if ((*l)->group == g && !(*l)->item)
      drop(l);
    else
      l = &(*l)->next;
  if (any)
    g->started = NULL;
  else
    usage(at, "the copy '%s' is waited for before it has been started", name);
  return any;
}

/* ---- questions -------------------------------------------------------------------------------------------------------------------- */

bool dvmrt_remote_holds(const struct dvmrt_array *a, const int64_t *ix, struct dvmrt_remote_use *how) {
  for (const struct fetched *x = narrays ? all : NULL; x; x = x->next) {
    bool inside = x->started && x->known && x->section.array == a;
    for (int d = 0; inside && ix && d < a->ndims; d++)
      inside = ix[d] >= x->section.low[d] && ix[d] <= x->section.high[d];
    if (!inside)
      continue;
    if (how)
      *how = (struct dvmrt_remote_use){x->started, x->group->name, !x->item, x->target};
    return true;
  }
  return false;
}

void dvmrt_remote_forget(const struct dvmrt_array *a) {
  for (struct fetched **l = &all; *l;)
    if ((*l)->section.array == a)
      drop(l);
    else
      l = &(*l)->next;
}

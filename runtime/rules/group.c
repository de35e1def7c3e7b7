#include "runtime/rules/group.h"
#include "runtime/rules/named.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/facts.h"
#include "runtime/data/doubt.h"
#include "runtime/data/mem.h"
#include <stdio.h>
#include <string.h>

struct member {
  struct member *next;
  struct dvmrt_array *array;
  struct dvmrt_box box;
  const struct dvmrt_item *item;
};

struct group {
  struct group *next;
  const char *name;
  struct member *members;
  const struct dvmrt_directive *started; /* NULL: not under way */
};

static struct group *groups;
static struct dvmrt_pending_var *vars;
unsigned dvmrt_group_nvars;

/* ---- exchanges ---------------------------------------------------------------------------------------------------------------- */

static struct group *find(const char *name) {
  for (struct group *g = groups; g; g = g->next)
    if (!strcmp(g->name, name))
      return g;
  return NULL;
}

static void clear(struct group *g) {
  while (g->members) {
    struct member *m = g->members;
    g->members = m->next;
    dvmrt_mem_free(m, sizeof(*m));
  }
}

static void usage(const struct dvmrt_directive *at, const char *format, const char *group) {
  char text[256];
  snprintf(text, sizeof(text), format, group);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_USAGE, .directive = at, .usage = text});
}

void dvmrt_group_define(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *name = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  if (!name)
    return;
  struct group *g = find(name->ref.name);
  if (!g) {
    g = dvmrt_mem_alloc(sizeof(*g));
    *g = (struct group){.next = groups, .name = name->ref.name};
    groups = g;
  }
  if (g->started)
    usage(d, "the shadow group '%s' is redefined while its exchange is under way", g->name);
  clear(g);
  for (struct dvmrt_item *i = d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_RENEW)); i = i->next) {
    struct dvmrt_array *a = dvmrt_array_of(&i->ref, args);
    if (!a)
      continue;
    struct member *m = dvmrt_mem_alloc(sizeof(*m));
    *m = (struct member){.next = g->members, .array = a, .item = i};
    if (!i->named) {
      dvmrt_array_widths(a, i, args, &m->box);
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_WIDTHS, .directive = d, .widths = {a, &m->box, "renewed width"}});
    }
    g->members = m;
  }
}

void dvmrt_group_shadow_start(const struct dvmrt_directive *at, const char *name) {
  struct group *g = find(name);
  if (!g)
    usage(at, "the shadow group '%s' is started before it has been defined", name);
  else if (g->started)
    usage(at, "the shadow group '%s' is started twice without a wait", name);
  else
    g->started = at;
}

void dvmrt_group_shadow_wait(const struct dvmrt_directive *at, const char *name) {
  struct group *g = find(name);
  if (!g || !g->started) {
    usage(at, "the shadow group '%s' is waited for before it has been started", name);
    return;
  }
  g->started = NULL;
  for (struct member *m = g->members; m; m = m->next) {
    dvmrt_named_renew(at, m->item, m->array);
    if (!m->item->named)
      dvmrt_array_renew(m->array, &m->box);
  }
}

void dvmrt_group_forget(const struct dvmrt_array *a) {
  for (struct group *g = groups; g; g = g->next) {
    for (struct member **l = &g->members; *l;) {
      struct member *m = *l;
      if (m->array != a) {
        l = &m->next;
        continue;
      }
      *l = m->next;
      dvmrt_mem_free(m, sizeof(*m));
    }
  }
}

const struct dvmrt_directive *dvmrt_group_exchanging(const struct dvmrt_array *a, const struct dvmrt_place *p) {
  for (const struct group *g = groups; g; g = g->next)
    for (const struct member *m = g->started ? g->members : NULL; m; m = m->next)
      if (m->array == a && (!p || m->item->named || dvmrt_box_covers(&m->box, p, a->ndims)))
        return g->started;
  return NULL;
}

const struct dvmrt_directive *dvmrt_group_pending(const struct dvmrt_array *a) {
  const struct dvmrt_directive *d = dvmrt_group_exchanging(a, NULL);
  struct dvmrt_remote_use use;
  return d ? d : dvmrt_remote_holds(a, NULL, &use) ? use.started : NULL;
}

const char *dvmrt_group_pending_name(const struct dvmrt_array *a) {
  for (const struct group *g = groups; g; g = g->next)
    for (const struct member *m = g->started ? g->members : NULL; m; m = m->next)
      if (m->array == a)
        return g->name;
  return NULL;
}

/* ---- reductions --------------------------------------------------------------------------------------------------------------- */

static void unfinished(const struct dvmrt_pending_var *v) {
  if (v->copied || v->again)
    return;
  if (v->started)
    dvmrt_verdict_give(
        &(struct dvmrt_record){DVMRT_RECORD_PROTOCOL, .directive = v->started,
                               .protocol = {v->consistent, v->name, v->group, "is started but never waited for", v->computed}});
  else
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PROTOCOL, .directive = v->computed,
                                              .protocol = {v->consistent, v->name, v->group, "is never started", NULL}});
}

static void drop(struct dvmrt_pending_var **l) {
  struct dvmrt_pending_var *v = *l;
  *l = v->next;
  if (v->copied)
    dvmrt_mem_free((void *)(uintptr_t)v->copied, sizeof(*v->copied));
  dvmrt_group_nvars -= !v->hidden;
  dvmrt_mem_free(v, sizeof(*v));
}

void dvmrt_group_ends(uintptr_t a, uint64_t n) {
  for (struct dvmrt_pending_var **l = &vars; *l;) {
    if ((*l)->low < a + n && a < (*l)->high) {
      unfinished(*l);
      drop(l);
    } else {
      l = &(*l)->next;
    }
  }
}

static void add(struct dvmrt_pending_var *v) {
  vars = v;
  dvmrt_group_nvars++;
  /* From now on every access of its page takes the slow way, which looks here. */
  struct dvmrt_span s;
  for (uintptr_t a = v->low; a < v->high; a = (a | 4095) + 1)
    dvmrt_shadow_span(a, 1, true, &s);
  if (v->low)
    dvmrt_doubt_set(v->low, v->high - v->low);
}

void dvmrt_group_copies(const struct dvmrt_directive *at, const char *copy, const char *name, const struct dvmrt_copied_data *data) {
  struct dvmrt_copied_data *kept = dvmrt_mem_alloc(sizeof(*kept));
  struct dvmrt_pending_var *v = dvmrt_mem_alloc(sizeof(*v));
  int64_t first = 0, last = 0;
  *kept = *data;
  for (int d = 0; d < data->ndims; d++) {
    first += data->low[d] * data->stride[d];
    last += data->high[d] * data->stride[d];
  }
  const uintptr_t low = data->base + (uint64_t)first * data->bytes, high = data->base + (uint64_t)(last + 1) * data->bytes;
  *v = (struct dvmrt_pending_var){vars, low, high, name, copy, at, at, false, kept, false, NULL};
  add(v);
}

void dvmrt_group_copied(const char *copy) {
  for (struct dvmrt_pending_var **l = &vars; *l;)
    if ((*l)->copied && !strcmp((*l)->group, copy))
      drop(l);
    else
      l = &(*l)->next;
}

/* A loop that nobody starts the reduction of has its own verdict when it is executed again. */
void dvmrt_group_named(const struct dvmrt_directive *d, uintptr_t low, uintptr_t high) {
  bool any = false;
  for (struct dvmrt_pending_var *v = dvmrt_construct_judges() ? vars : NULL; v; v = v->next) {
    if (v->copied || v->consistent || v->hidden || high <= v->low || v->high <= low || (v->computed == d && !v->started))
      continue;
    if (!any)
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PENDING, .directive = d, .pending = v});
    any = v->again = true;
    if (low <= v->low && v->high <= high) {
      v->hidden = d;
      dvmrt_group_nvars--;
    }
  }
}

void dvmrt_group_over(struct dvmrt_frame *f) {
  for (struct dvmrt_pending_var *v = vars; v; v = v->next)
    if (v->hidden == f->d) {
      v->hidden = NULL;
      dvmrt_group_nvars++;
    }
}

/* Earlier reductions of the same data by the group end: its start and wait are the new one's.  Have they been told? */
static bool take_over(const char *group, bool consistent, uintptr_t low, uintptr_t high) {
  bool again = false;
  for (struct dvmrt_pending_var **l = &vars; *l;) {
    if ((*l)->copied || (*l)->consistent != consistent || (*l)->low >= high || low >= (*l)->high ||
        (!consistent && strcmp((*l)->group, group))) {
      l = &(*l)->next;
      continue;
    }
    again |= (*l)->again;
    unfinished(*l);
    drop(l);
  }
  return again;
}

void dvmrt_group_reduced(const struct dvmrt_directive *loop, const char *group, const char *name, uintptr_t low, uintptr_t high,
                         bool consistent) {
  if (!low)
    high = 0; /* its accesses are not seen; the protocol is */
  const bool again = low && take_over(group, consistent, low, high);
  struct dvmrt_pending_var *v = dvmrt_mem_alloc(sizeof(*v));
  *v = (struct dvmrt_pending_var){
      .next = vars, .low = low, .high = high, .name = name, .group = group, .computed = loop, .consistent = consistent, .again = again};
  add(v);
}

static void start(const struct dvmrt_directive *at, const char *group, bool consistent) {
  bool any = false;
  for (struct dvmrt_pending_var *v = vars; v; v = v->next) {
    if (v->copied || v->consistent != consistent || strcmp(v->group, group))
      continue;
    any = true;
    if (v->started && !v->again)
      dvmrt_verdict_give(
          &(struct dvmrt_record){DVMRT_RECORD_PROTOCOL, .directive = at,
                                 .protocol = {v->consistent, v->name, group, "is started twice without a wait", v->started}});
    v->started = at;
  }
  if (!any)
    dvmrt_verdict_give(
        &(struct dvmrt_record){DVMRT_RECORD_PROTOCOL, .directive = at,
                               .protocol = {consistent, NULL, group, "is started, but no loop has computed anything for it", NULL}});
}

static void wait(const struct dvmrt_directive *at, const char *group, bool consistent) {
  bool any = false;
  for (struct dvmrt_pending_var **l = &vars; *l;) {
    struct dvmrt_pending_var *v = *l;
    if (v->copied || v->consistent != consistent || strcmp(v->group, group)) {
      l = &v->next;
      continue;
    }
    if (!v->started && !v->again)
      dvmrt_verdict_give(
          &(struct dvmrt_record){DVMRT_RECORD_PROTOCOL, .directive = at,
                                 .protocol = {v->consistent, v->name, group, "is waited for but was not started", v->computed}});
    any = true;
    drop(l);
  }
  if (!any)
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PROTOCOL, .directive = at,
                                              .protocol = {consistent, NULL, group, "is waited for but was not started", NULL}});
}

void dvmrt_group_reduction_start(const struct dvmrt_directive *at, const char *group) { start(at, group, false); }
void dvmrt_group_reduction_wait(const struct dvmrt_directive *at, const char *group) { wait(at, group, false); }
void dvmrt_group_consistent_start(const struct dvmrt_directive *at, const char *group) { start(at, group, true); }
void dvmrt_group_consistent_wait(const struct dvmrt_directive *at, const char *group) { wait(at, group, true); }

static bool in_section(const struct dvmrt_copied_data *c, int64_t k) {
  for (int d = 0; d < c->ndims; d++) {
    int64_t index = k / c->stride[d];
    k %= c->stride[d];
    if (index < c->low[d] || index > c->high[d])
      return false;
  }
  return true;
}

/* Of several elements some may be: they are asked for one by one, inside the hull. */
static bool holds(const struct dvmrt_pending_var *v, uintptr_t a, uint64_t n) {
  const struct dvmrt_copied_data *c = v->copied;
  const uintptr_t low = a > v->low ? a : v->low, high = a + n < v->high ? a + n : v->high;
  int64_t k = (int64_t)((low - c->base) / c->bytes), last = (int64_t)((high - 1 - c->base) / c->bytes);
  while (k <= last && !in_section(c, k))
    k++;
  return k <= last;
}

const struct dvmrt_pending_var *dvmrt_group_var(uintptr_t a, uint64_t n) {
  for (const struct dvmrt_pending_var *v = vars; v; v = v->next)
    if (v->low < a + n && a < v->high && !v->hidden && (!v->copied || holds(v, a, n)))
      return v;
  return NULL;
}

void dvmrt_group_close(void) {
  while (vars) {
    unfinished(vars);
    drop(&vars);
  }
}

void dvmrt_group_forked(void) {
  while (vars)
    drop(&vars);
}

void dvmrt_group_facts(struct dvm_facts *f) {
  f->groups = (uintptr_t)&groups;
  DVMRT_FACT(f, GROUP_NEXT, struct group, next);
  DVMRT_FACT(f, GROUP_NAME, struct group, name);
  DVMRT_FACT(f, GROUP_STARTED, struct group, started);
  DVMRT_FACT(f, GROUP_MEMBERS, struct group, members);
  DVMRT_FACT(f, MEMBER_NEXT, struct member, next);
  DVMRT_FACT(f, MEMBER_ARRAY, struct member, array);
  DVMRT_FACT(f, MEMBER_BOX, struct member, box);
}

/* ---- of parallel loops ----------------------------------------------------------------------------------------------------------- */

/* What begins when the loop is over: exported elements have then been computed. */
void dvmrt_group_left(struct dvmrt_frame *f) {
  const char *group = "-";
  for (struct dvmrt_item *i = f->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_SHADOW)); i = i->next)
    if (!strcmp(i->word, "start"))
      dvmrt_group_shadow_start(f->d, i->ref.name);
  for (struct dvmrt_item *i = f->d->items; i; i = i->next) {
    if (i->key == DVMRT_DIRECTIVE_GROUP)
      group = i->ref.name;
    const bool consistent = i->key == DVMRT_DIRECTIVE_CONSISTENT;
    if ((i->key != DVMRT_DIRECTIVE_REDUCTION && !consistent) || !strcmp(group, "-"))
      continue;
    uintptr_t low = (uintptr_t)dvmrt_num_value(i->ref.address, f->args);
    uint64_t bytes = consistent ? (uint64_t)dvmrt_num_value(i->bytes, f->args) : dvmrt_directive_reduction_bytes(i, f->args);
    dvmrt_group_reduced(f->d, group, i->ref.name, low, low + bytes, consistent);
  }
}

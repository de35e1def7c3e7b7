#include <stdbool.h>
#include "driver/trace/job/project.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct site {
  char *text;                   /* of a parallel construct, until it is executed; owned */
  int64_t construct;            /* number of the shape; -1: not yet */
  bool wanted;
  bool variable;                /* of a variable that no clause names, or of the iterations */
};
struct sum {
  int64_t object;
  const char *name;             /* the objects' */
  uint64_t elements, digest;
};

struct dvmt_project {
  struct dvmt_sink sink;
  struct dvmt_shape *shape;
  struct site *sites;           /* owned, as the rest */
  size_t nsites;
  struct dvmt_object_def *objects; /* with names of their own */
  size_t nobjects;
  int depth;                    /* of parallel constructs; the outermost one counts */
  int64_t construct;
  struct sum *held;             /* sums of the open construct */
  size_t nheld;
  uint64_t sums, constructs;
};

static int take_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct dvmt_project *p = (struct dvmt_project *)sink;
  struct site *rows = realloc(p->sites, (p->nsites + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  p->sites = rows;
  bool wanted = def->kind == DVMT_SITE_CONSTRUCT && dvmt_shape_is_parallel(def->text);
  rows[p->nsites] = (struct site){wanted ? strdup(def->text) : NULL, -1, wanted,
                                  def->kind == DVMT_SITE_ACCESS && (dvmt_shape_is_shared(def->text) || dvmt_shape_is_executed(def->text))};
  return wanted && !rows[p->nsites].text ? -ENOMEM : (p->nsites++, 0);
}

static int take_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct dvmt_project *p = (struct dvmt_project *)sink;
  struct dvmt_object_def *rows = realloc(p->objects, (p->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  p->objects = rows;
  rows[p->nobjects] = *def;
  rows[p->nobjects].name = strdup(def->name);
  return rows[p->nobjects++].name ? 0 : -ENOMEM;
}

static int hold(struct dvmt_project *p, const struct dvmt_record *r) {
  const struct dvmt_object_def *o = &p->objects[r->object];
  if (r->nwords < 3 || (!(o->flags & DVMT_OBJECT_ARRAY) && !p->sites[r->site].variable)) /* a sum of what was written alone */
    return 0;
  int64_t object = dvmt_shape_object(p->shape, o);
  struct sum *rows = realloc(p->held, (p->nheld + 1) * sizeof(*rows));
  if (object < 0 || !rows)
    return object < 0 ? (int)object : -ENOMEM;
  p->held = rows;
  for (size_t i = 0; i < p->nheld; i++)
    if (rows[i].object == object) { /* named twice in the construct */
      return 0;
    }
  rows[p->nheld++] = (struct sum){object, o->name, r->words[0], r->words[1]};
  return 0;
}

static int by_name(const void *a, const void *b) {
  const struct sum *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->object > y->object) - (x->object < y->object);
}

static int leave(struct dvmt_project *p) {
  int rc = 0;
  if (p->nheld)
    qsort(p->held, p->nheld, sizeof(*p->held), by_name);
  for (size_t i = 0; i < p->nheld && !rc; i++)
    rc = dvmt_shape_digest(p->shape, p->construct, p->held[i].object, p->held[i].elements, p->held[i].digest);
  p->sums += p->nheld;
  p->nheld = 0;
  return rc ? rc : dvmt_shape_leave(p->shape, p->construct);
}

static int take_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct dvmt_project *p = (struct dvmt_project *)sink;
  if (r->kind == DVMT_LOST || r->site >= p->nsites)
    return 0;
  struct site *s = &p->sites[r->site];
  if (s->variable)
    return r->kind == DVMT_DIGEST && p->depth == 1 && r->object < p->nobjects ? hold(p, r) : 0;
  if (!s->wanted)
    return 0;
  if (s->construct < 0 && r->kind == DVMT_ENTER && !p->depth) { /* only those that are executed by themselves */
    s->construct = dvmt_shape_construct(p->shape, s->text);
    if (s->construct < 0)
      return (int)s->construct;
  }
  int64_t construct = s->construct;
  switch (r->kind) {
  case DVMT_ENTER:
    if (p->depth++)
      return 0;
    p->construct = construct;
    p->constructs++;
    return dvmt_shape_enter(p->shape, construct);
  case DVMT_LEAVE:
    if (!p->depth || --p->depth)
      return 0;
    return leave(p);
  case DVMT_RESULT:
    return p->depth == 1 && construct == p->construct && r->nwords == 6 ? dvmt_shape_result(p->shape, construct, r->words) : 0;
  case DVMT_DIGEST: return p->depth == 1 && construct == p->construct && r->object < p->nobjects ? hold(p, r) : 0;
  default: return 0;
  }
}

struct dvmt_project *dvmt_project_create(struct dvmt_sink *out) {
  struct dvmt_project *p = calloc(1, sizeof(*p));
  if (p && !(p->shape = dvmt_shape_create(out))) {
    free(p);
    return NULL;
  }
  if (p)
    p->sink = (struct dvmt_sink){.site = take_site, .object = take_object, .record = take_record};
  return p;
}

struct dvmt_sink *dvmt_project_sink(struct dvmt_project *p) { return &p->sink; }
uint64_t dvmt_project_sums(const struct dvmt_project *p) { return p->sums; }
uint64_t dvmt_project_constructs(const struct dvmt_project *p) { return p->constructs; }

void dvmt_project_destroy(struct dvmt_project *p) {
  if (!p)
    return;
  for (size_t i = 0; i < p->nobjects; i++)
    free((char *)p->objects[i].name);
  for (size_t i = 0; i < p->nsites; i++)
    free(p->sites[i].text);
  free(p->objects);
  free(p->sites);
  free(p->held);
  dvmt_shape_destroy(p->shape);
  free(p);
}

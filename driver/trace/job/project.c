#include "driver/trace/job/project.h"
#include "driver/trace/job/memory.h"
#include "driver/trace/job/relay.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct site {
  char *text;                   /* of a parallel construct, and of all where elements are passed on; owned */
  struct dvmt_site_def def;     /* with that text */
  uint32_t executions;
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
  const char *text;             /* of its site; valued: its values are recorded, not sums */
  bool valued, minimal;
  struct dvmt_sink *out;
  const struct dvmt_config *elements; /* or NULL */
  struct dvmt_relay relay;
  bool by_elements;             /* the open construct is passed on */
  uint32_t own;                 /* its site */
  struct dvmt_memory *memory;
  struct dvmt_iterations iterations;
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
  bool kept = wanted || p->elements;
  struct site *s = &rows[p->nsites];
  *s = (struct site){.text = kept ? strdup(def->text) : NULL, .def = *def, .construct = -1, .wanted = wanted};
  s->variable = def->kind == DVMT_SITE_ACCESS && (dvmt_shape_is_shared(def->text) || dvmt_shape_is_executed(def->text));
  s->def.text = s->text;
  if (kept && !s->text)
    return -ENOMEM;
  p->nsites++;
  return p->memory ? dvmt_memory_site(p->memory, def) : 0;
}

static int take_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct dvmt_project *p = (struct dvmt_project *)sink;
  struct dvmt_object_def *rows = realloc(p->objects, (p->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  p->objects = rows;
  rows[p->nobjects] = *def;
  rows[p->nobjects].name = strdup(def->name);
  return rows[p->nobjects++].name ? p->memory ? dvmt_memory_object(p->memory, def) : 0 : -ENOMEM;
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

static int hold_sum(struct dvmt_project *p, const struct dvmt_object_def *def, uint64_t elements, uint64_t digest) {
  int64_t object = dvmt_shape_object(p->shape, def);
  struct sum *rows = realloc(p->held, (p->nheld + 1) * sizeof(*rows));
  if (rows)
    p->held = rows;
  if (object < 0 || !rows)
    return object < 0 ? (int)object : -ENOMEM;
  rows[p->nheld++] = (struct sum){object, def->name, elements, digest};
  return 0;
}

struct used {
  struct dvmt_project *p;
  int rc;
};

/* "U <name> & w": what the values have left of the array. */
static bool hold_used(void *arg, char key, struct dvmt_span rest) {
  struct used *u = arg;
  struct dvmt_project *p = u->p;
  uint64_t elements, digest;
  if (key != DVMRT_DIRECTIVE_USE || rest.s[rest.n - 1] == 'r')
    return true;
  struct dvmt_span name = dvmt_text_field(&rest);
  for (size_t i = p->nobjects; i-- && !u->rc;) {
    const struct dvmt_object_def *o = &p->objects[i];
    bool again = false;
    if (!(o->flags & DVMT_OBJECT_ARRAY) || !dvmt_span_is(name, o->name) || !dvmt_memory_latest(p->memory, (uint32_t)i))
      continue;
    for (size_t k = 0; k < p->nheld; k++)
      again |= !strcmp(p->held[k].name, o->name);
    if (!again && dvmt_memory_sum(p->memory, (uint32_t)i, &elements, &digest))
      u->rc = hold_sum(p, o, elements, digest);
    break;
  }
  return !u->rc;
}

/* The iterations alone: level minimal has no values. */
static int hold_iterations(struct dvmt_project *p) {
  const struct dvmt_object_def iterations = {.name = DVMT_EXECUTED, .element_bytes = 8};
  return p->iterations.count ? hold_sum(p, &iterations, p->iterations.count, p->iterations.sum) : 0;
}

static int hold_values(struct dvmt_project *p) {
  struct used u = {p, 0};
  dvmt_text_lines(p->text, hold_used, &u);
  return u.rc ? u.rc : hold_iterations(p);
}

static int leave(struct dvmt_project *p) {
  int rc = p->valued && !p->by_elements ? hold_values(p) : p->by_elements || p->minimal ? hold_iterations(p) : 0;
  if (p->nheld)
    qsort(p->held, p->nheld, sizeof(*p->held), by_name);
  for (size_t i = 0; i < p->nheld && !rc; i++)
    rc = dvmt_shape_digest(p->shape, p->construct, p->held[i].object, p->held[i].elements, p->held[i].digest);
  p->sums += p->nheld;
  p->nheld = 0;
  p->by_elements = false;
  return rc ? rc : dvmt_shape_leave(p->shape, p->construct);
}

static int enter(struct dvmt_project *p, struct site *s, const struct dvmt_record *r) {
  unsigned level = r->nwords ? dvmt_enter_level(r->words) : DVMT_LEVEL_CHECKSUM;
  s->executions = r->nwords ? dvmt_next_number(s->executions, r->words) : s->executions + 1;
  if (p->depth++)
    return 0;
  p->construct = s->construct;
  p->text = s->text;
  p->own = r->site;
  p->by_elements = dvmt_relay_begins(p->elements, s->text, r);
  p->valued = p->memory && dvmt_level_has_values(level);
  p->minimal = level == DVMT_LEVEL_MINIMAL;
  p->iterations = (struct dvmt_iterations){0, 0};
  p->constructs++;
  return dvmt_shape_enter(p->shape, s->construct, p->by_elements ? DVMT_LEVEL_MODIFY : DVMT_LEVEL_CHECKSUM, s->executions);
}

/* Of the construct that is executed by itself; others are a part of it. */
static int take_own(struct dvmt_project *p, struct site *s, const struct dvmt_record *r) {
  bool own = p->depth == 1 && s->construct == p->construct;
  switch (r->kind) {
  case DVMT_ENTER: return enter(p, s, r);
  case DVMT_LEAVE:
    if (!p->depth || --p->depth)
      return 0;
    return leave(p);
  case DVMT_ITER:
    if (own && r->nwords)
      dvmt_iterations_add(&p->iterations, r->words, r->nwords);
    return 0;
  case DVMT_RESULT: return own && r->nwords == 6 ? dvmt_shape_result(p->shape, s->construct, r->words) : 0;
  case DVMT_DIGEST: return own && r->object < p->nobjects ? hold(p, r) : 0;
  default: return 0;
  }
}

static int pass_on(struct dvmt_project *p, const struct dvmt_record *r) {
  const struct dvmt_object_def *object = r->kind == DVMT_WRITE && r->object < p->nobjects ? &p->objects[r->object] : NULL;
  return dvmt_relay_record(&p->relay, p->out, p->construct, p->own, r, &p->sites[r->site].def, object);
}

static int take_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct dvmt_project *p = (struct dvmt_project *)sink;
  if (r->kind == DVMT_LOST || r->site >= p->nsites)
    return 0;
  struct site *s = &p->sites[r->site];
  int rc = p->memory ? dvmt_memory_record(p->memory, r) : 0;
  if (!rc && p->by_elements)
    rc = pass_on(p, r);
  if (rc)
    return rc;
  if (s->variable)
    return r->kind == DVMT_DIGEST && p->depth == 1 && r->object < p->nobjects ? hold(p, r) : 0;
  if (!s->wanted)
    return 0;
  if (s->construct < 0 && r->kind == DVMT_ENTER && !p->depth) { /* only those that are executed by themselves */
    s->construct = dvmt_shape_construct(p->shape, s->text);
    if (s->construct < 0)
      return (int)s->construct;
  }
  return take_own(p, s, r);
}

struct dvmt_project *dvmt_project_create(struct dvmt_sink *out, bool valued, const struct dvmt_config *elements) {
  struct dvmt_project *p = calloc(1, sizeof(*p));
  if (p && ((valued && !(p->memory = dvmt_memory_create())) || !(p->shape = dvmt_shape_create(out)))) {
    dvmt_memory_destroy(p->memory);
    free(p);
    return NULL;
  }
  if (!p)
    return NULL;
  p->sink = (struct dvmt_sink){.site = take_site, .object = take_object, .record = take_record};
  p->out = out;
  p->elements = elements;
  p->relay.shape = p->shape;
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
  dvmt_relay_fini(&p->relay);
  dvmt_memory_destroy(p->memory);
  dvmt_shape_destroy(p->shape);
  free(p);
}

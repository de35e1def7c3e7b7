#include "driver/trace/job/project.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/text.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct dvmt_shape {
  struct dvmt_sink *out;
  char **texts;                 /* owned, as the rest */
  size_t ntexts;
  struct dvmt_object_def *objects;
  size_t nobjects;
};

int64_t *dvmt_shape_row(int64_t **rows, size_t *n, size_t i) {
  if (i >= *n) {
    size_t more = i + 64;
    int64_t *p = realloc(*rows, more * sizeof(*p));
    if (!p)
      return NULL;
    memset(p + *n, 0, (more - *n) * sizeof(*p));
    *rows = p;
    *n = more;
  }
  return &(*rows)[i];
}

struct dvmt_shape *dvmt_shape_create(struct dvmt_sink *out) {
  struct dvmt_shape *s = calloc(1, sizeof(*s));
  if (s)
    s->out = out;
  return s;
}

void dvmt_shape_destroy(struct dvmt_shape *s) {
  for (size_t i = 0; s && i < s->ntexts; i++)
    free(s->texts[i]);
  for (size_t i = 0; s && i < s->nobjects; i++)
    free((char *)s->objects[i].name);
  if (s) {
    free(s->texts);
    free(s->objects);
  }
  free(s);
}

static bool is_kind(const char *text, const char *wanted) {
  struct dvmt_span kind = dvmt_text_line(text, DVMRT_ANY_KIND);
  return dvmt_span_is(dvmt_text_field(&kind), wanted);
}

int dvmt_shape_is_parallel(const char *text) { return is_kind(text, "parallel"); }
int dvmt_shape_is_shared(const char *text) { return is_kind(text, "shared"); }
int dvmt_shape_is_executed(const char *text) { return is_kind(text, DVMT_EXECUTED_KIND); }

/* Which construct it is, its index variables and reductions. */
static bool keep_line(void *arg, char key, struct dvmt_span rest) {
  static const char kept[] = {DVMRT_ANY_FILE,        DVMRT_ANY_PLACE,           DVMRT_ANY_LANGUAGE,
                              DVMRT_DIRECTIVE_NAMES, DVMRT_DIRECTIVE_REDUCTION, DVMRT_DIRECTIVE_RESULTS};
  char **to = arg;
  if (key == DVMRT_ANY_KIND)
    rest.n = strlen("parallel");
  else if (!memchr(kept, key, sizeof(kept)))
    return true;
  **to = key;
  (*to)[1] = ' ';
  memcpy(*to + 2, rest.s, rest.n);
  (*to)[2 + rest.n] = '\n';
  *to += rest.n + 3;
  return true;
}

static char *reduced(const char *text) {
  char *out = malloc(strlen(text) + 16), *to = out;
  if (!out)
    return NULL;
  dvmt_text_lines(text, keep_line, &to);
  to[to > out ? -1 : 0] = 0;
  return out;
}

/* The site with a text that becomes the shape's. */
static int64_t add_site(struct dvmt_shape *s, char *own, struct dvmt_site_def def) {
  for (size_t i = 0; own && i < s->ntexts; i++)
    if (!strcmp(s->texts[i], own)) {
      free(own);
      return (int64_t)i;
    }
  char **rows = own ? realloc(s->texts, (s->ntexts + 1) * sizeof(*rows)) : NULL;
  if (!rows) {
    free(own);
    return -ENOMEM;
  }
  s->texts = rows;
  def.text = rows[s->ntexts] = own;
  int rc = s->out->site(s->out, &def);
  return rc ? rc : (int64_t)s->ntexts++;
}

int64_t dvmt_shape_construct(struct dvmt_shape *s, const char *text) {
  return add_site(s, reduced(text), (struct dvmt_site_def){.kind = DVMT_SITE_CONSTRUCT});
}

int64_t dvmt_shape_site(struct dvmt_shape *s, const struct dvmt_site_def *def) { return add_site(s, strdup(def->text), *def); }

const char *dvmt_shape_text(const struct dvmt_shape *s, int64_t construct) { return s->texts[construct]; }

/* By its name and the size of its elements: extents of pointers are known to some alone. */
int64_t dvmt_shape_object(struct dvmt_shape *s, const struct dvmt_object_def *def) {
  for (size_t i = 0; i < s->nobjects; i++)
    if (!strcmp(s->objects[i].name, def->name) && s->objects[i].element_bytes == def->element_bytes)
      return (int64_t)i;
  struct dvmt_object_def *rows = realloc(s->objects, (s->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  s->objects = rows;
  rows[s->nobjects] = *def;
  rows[s->nobjects].flags &= DVMT_OBJECT_ARRAY | DVMT_OBJECT_FORTRAN;
  rows[s->nobjects].name = strdup(def->name);
  if (!rows[s->nobjects].name)
    return -ENOMEM;
  int rc = s->out->object(s->out, &rows[s->nobjects]);
  return rc ? rc : (int64_t)s->nobjects++;
}

static int send(struct dvmt_shape *s, struct dvmt_record r) { return s->out->record(s->out, &r); }

int dvmt_shape_enter(struct dvmt_shape *s, int64_t construct, enum dvmt_level level, uint32_t number) {
  const uint64_t word = (uint64_t)level | (uint64_t)number << 8;
  return send(s, (struct dvmt_record){.kind = DVMT_ENTER, .site = (uint32_t)construct, .nwords = 1, .words = &word});
}

int dvmt_shape_leave(struct dvmt_shape *s, int64_t construct) {
  return send(s, (struct dvmt_record){.kind = DVMT_LEAVE, .site = (uint32_t)construct});
}

int dvmt_shape_result(struct dvmt_shape *s, int64_t construct, const uint64_t words[6]) {
  return send(s, (struct dvmt_record){.kind = DVMT_RESULT, .site = (uint32_t)construct, .nwords = 6, .words = words});
}

int dvmt_shape_digest(struct dvmt_shape *s, int64_t construct, int64_t object, uint64_t elements, uint64_t digest) {
  const uint64_t words[3] = {elements, digest, !strcmp(s->objects[object].name, DVMT_EXECUTED) ? DVMT_DIGEST_EXECUTED : 0};
  return send(
      s, (struct dvmt_record){.kind = DVMT_DIGEST, .site = (uint32_t)construct, .object = (uint32_t)object, .nwords = 3, .words = words});
}

#include "runtime/trace/config.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"none", "minimal", "modify", "full", "checksum", "system", NULL};

int dvmt_level_number(const char *name) {
  for (int i = 0; level_names[i]; i++)
    if (!strcmp(level_names[i], name))
      return i;
  return -1;
}
const char *dvmt_level_name(enum dvmt_level level) { return level < DVMT_NLEVELS ? level_names[level] : "?"; }

/* ---- one line ------------------------------------------------------------------------------------------------------------ */

struct line {
  const char *name;      /* of the file */
  unsigned number;
  char *start, *at;      /* at: the first byte not read */
  char *word;            /* the last word: where it stands, for messages */
  struct dvm_error *err;
};

static int wrong(struct line *l, const char *where, const char *what, const char *found) {
  return dvm_error_set(l->err, -EINVAL, "%s:%u:%u: %s%s%s%s", l->name, l->number, (unsigned)(where - l->start) + 1, what,
                       found ? ", found '" : "", found ? found : "", found ? "'" : "");
}

/* The next word, or what stands in quotes, terminated; NULL at the end of the line. */
static char *word(struct line *l) {
  while (*l->at == ' ' || *l->at == '\t')
    l->at++;
  l->word = l->at;
  if (!*l->at || *l->at == '#')
    return NULL;
  char *quoted = *l->at == '"' ? strchr(l->at + 1, '"') : NULL;
  if (quoted && (!quoted[1] || quoted[1] == ' ' || quoted[1] == '\t')) {
    *quoted = 0;
    l->at = quoted + 1;
    return l->word + 1;
  }
  while (*l->at && *l->at != ' ' && *l->at != '\t')
    l->at++;
  if (*l->at)
    *l->at++ = 0;
  return l->word;
}

static int want(struct line *l, const char *what, char **w) {
  *w = word(l);
  if (*w)
    return 0;
  char text[128];
  snprintf(text, sizeof(text), "expected %s at the end of the line", what);
  return wrong(l, l->word, text, NULL);
}

static int read_level(struct line *l, enum dvmt_level *level) {
  char *w;
  int rc = want(l, "a level", &w);
  if (rc)
    return rc;
  int n = dvmt_level_number(w);
  if (n >= 0) {
    *level = (enum dvmt_level)n;
    return 0;
  }
  const char *near = dvm_text_nearest(w, level_names);
  char text[160];
  snprintf(text, sizeof(text), "expected a level (none, minimal, modify, full, checksum, system)%s%s%s", near ? "; did you mean '" : "",
           near ? near : "", near ? "'?" : "");
  return wrong(l, w, text, w);
}

/* Number behind the last colon of text[0..*n), which ends before it then; 0: there is none. */
static unsigned last_number(const char *text, size_t *n) {
  size_t at = *n;
  unsigned long number = 0;
  while (at && text[at - 1] >= '0' && text[at - 1] <= '9')
    at--;
  if (at == *n || at < 2 || text[at - 1] != ':')
    return 0;
  for (size_t i = at; i < *n && number <= 100000000; i++)
    number = 10 * number + (unsigned)(text[i] - '0');
  if (!number || number > 100000000)
    return 0;
  *n = at - 1;
  return (unsigned)number;
}

int dvmt_place_read(struct dvmt_place *place, const char *text) {
  size_t n = strlen(text);
  const unsigned last = last_number(text, &n), before = last ? last_number(text, &n) : 0;
  if (!last)
    return -EINVAL;
  place->line = before ? before : last;
  place->column = before ? last : 0;
  place->file = strndup(text, n);
  return place->file ? 0 : -ENOMEM;
}

static int read_place(struct line *l, struct dvmt_place *place) {
  char *w;
  int rc = want(l, "a place (FILE:LINE)", &w);
  if (rc)
    return rc;
  free(place->file);
  place->file = NULL;
  rc = dvmt_place_read(place, w);
  return rc == -EINVAL ? wrong(l, w, "expected a place (FILE:LINE)", w) : rc ? dvm_error_set(l->err, -ENOMEM, "out of memory") : 0;
}

static int read_point(struct line *l, struct dvmt_point *p) {
  char *w, *end;
  int rc = read_place(l, &p->place);
  if (!rc)
    rc = want(l, "a number of an execution", &w);
  if (rc)
    return rc;
  p->count = strtoull(w, &end, 10);
  if (*w < '0' || *w > '9' || *end || !p->count)
    return wrong(l, w, "expected the number of an execution, at least 1", w);
  return 0;
}

static bool integer(const char **at, int64_t *v) {
  char *end;
  errno = 0;
  *v = strtoll(*at, &end, 10);
  bool ok = end != *at && !errno && (**at == '-' || (**at >= '0' && **at <= '9'));
  *at = end;
  return ok;
}

/* "DIM:LOW..HIGH", either bound may be left out; then maybe "step N". */
static int read_range(struct line *l, char *w, struct dvmt_rule *rule, int *dim) {
  const char *at = w;
  int64_t n;
  struct dvmt_range r = {INT64_MIN, INT64_MAX, 1};
  if (!integer(&at, &n) || *at != ':' || n < 1 || n > DVMT_NDIMS_MAX)
    return wrong(l, w, "expected a range DIMENSION:LOW..HIGH with a dimension from 1 to 7", w);
  at++;
  if (*at != '.' && !integer(&at, &r.low))
    return wrong(l, w + (at - w), "expected the lower bound", w);
  if (at[0] != '.' || at[1] != '.')
    return wrong(l, w + (at - w), "expected '..' between the bounds", w);
  at += 2;
  if (*at && (!integer(&at, &r.high) || *at))
    return wrong(l, w + (at - w), "expected the upper bound", w);
  if (r.low > r.high)
    return wrong(l, w, "the range is empty", w);
  *dim = (int)n - 1;
  rule->limited = rule->limits.set[*dim] = true;
  rule->limits.dim[*dim] = r;
  return 0;
}

static int read_ranges(struct line *l, struct dvmt_rule *rule) {
  int dim = -1, rc = 0;
  char *w;
  while (!rc && (w = word(l))) {
    if (strcmp(w, "step")) {
      rc = read_range(l, w, rule, &dim);
      continue;
    }
    const char *at;
    int64_t n;
    if (dim < 0)
      return wrong(l, w, "'step' needs a range before it", NULL);
    rc = want(l, "a step", &w);
    at = w;
    if (!rc && (!integer(&at, &n) || *at || n < 1))
      rc = wrong(l, w, "expected a step of at least 1", w);
    if (!rc && n > 1 && rule->limits.dim[dim].low == INT64_MIN)
      rc = wrong(l, w, "a step needs a lower bound to count from", NULL);
    if (!rc)
      rule->limits.dim[dim].step = n;
  }
  return rc;
}

static int read_rule(struct line *l, struct dvmt_config *c) {
  struct dvmt_rule *grown = realloc(c->rules, (c->nrules + 1) * sizeof(*grown)), *rule;
  char *w;
  if (!grown)
    return dvm_error_set(l->err, -ENOMEM, "out of memory");
  c->rules = grown;
  rule = &grown[c->nrules];
  *rule = (struct dvmt_rule){.place = {NULL, 0, 0}};
  int rc = read_place(l, &rule->place);
  if (!rc)
    c->nrules++;
  if (!rc)
    rc = want(l, "'level'", &w);
  if (!rc && strcmp(w, "level"))
    rc = wrong(l, w, "expected 'level'", w);
  if (!rc)
    rc = read_level(l, &rule->level);
  return rc ? rc : read_ranges(l, rule);
}

static int read_tolerance(struct line *l, struct dvmt_config *c) {
  struct dvmt_tolerance_rule *grown = realloc(c->tolerances, (c->ntolerances + 1) * sizeof(*grown)), *t;
  char *w, *end;
  int rc = grown ? want(l, "'type' or 'variable'", &w) : dvm_error_set(l->err, -ENOMEM, "out of memory");
  if (!grown)
    return rc;
  c->tolerances = grown;
  t = &grown[c->ntolerances];
  *t = (struct dvmt_tolerance_rule){NULL, false, -1, -1, -1};
  if (rc)
    return rc;
  if (strcmp(w, "type") && strcmp(w, "variable"))
    return wrong(l, w, "expected 'type' or 'variable'", w);
  t->is_type = *w == 't';
  if ((rc = want(l, "a name", &w)))
    return rc;
  if (t->is_type && strcmp(w, "float") && strcmp(w, "double") && strcmp(w, "long-double"))
    return wrong(l, w, "expected float, double or long-double", w);
  if (!(t->name = strdup(w)))
    return dvm_error_set(l->err, -ENOMEM, "out of memory");
  c->ntolerances++;
  while ((w = word(l))) {
    double *to = !strcmp(w, "relative") ? &t->relative : !strcmp(w, "ulps") ? &t->ulps : !strcmp(w, "absolute") ? &t->absolute : NULL;
    if (!to)
      return wrong(l, w, "expected relative, ulps or absolute", w);
    if ((rc = want(l, "a number", &w)))
      return rc;
    *to = strtod(w, &end);
    if (end == w || *end || !(*to >= 0) || *to > 1e300)
      return wrong(l, w, "expected a non-negative number", w);
  }
  return t->relative < 0 && t->ulps < 0 && t->absolute < 0 ? wrong(l, l->word, "expected relative, ulps or absolute", NULL) : 0;
}

static int end_of_line(struct line *l) {
  char *w = word(l);
  return w ? wrong(l, w, "expected the end of the line", w) : 0;
}

enum { FIRST_CONSTRUCT = 4 };
static const char *const keys[] = {"level", "start", "finish",        "tolerance", "parallel",     "task",         "task_region",
                                   "on",    "loop",  "remote_access", "region",    "host_section", "asynchronous", NULL};

static bool is_construct(const char *w) {
  for (const char *const *k = keys + FIRST_CONSTRUCT; *k; k++)
    if (!strcmp(w, *k))
      return true;
  return false;
}

static int read_line(struct line *l, struct dvmt_config *c) {
  char *w = word(l);
  int rc;
  if (!w)
    return 0;
  if (!strcmp(w, "level")) {
    rc = read_level(l, &c->level);
    c->has_level = true;
  } else if (!strcmp(w, "start")) {
    rc = read_point(l, &c->start);
  } else if (!strcmp(w, "finish")) {
    rc = read_point(l, &c->finish);
  } else if (!strcmp(w, "tolerance")) {
    rc = read_tolerance(l, c);
  } else if (is_construct(w)) {
    rc = read_rule(l, c);
  } else {
    const char *near = dvm_text_nearest(w, keys);
    char text[128];
    snprintf(text, sizeof(text), "expected level, start, finish, tolerance or a construct%s%s%s", near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
    return wrong(l, w, text, w);
  }
  return rc ? rc : end_of_line(l);
}

/* ---- the file ------------------------------------------------------------------------------------------------------------ */

int dvmt_config_parse(struct dvmt_config *config, const char *text, const char *name, struct dvm_error *err) {
  struct line l = {.name = name, .err = err};
  int rc = 0;
  while (*text && !rc) {
    size_t n = strcspn(text, "\n");
    char *copy = strndup(text, n);
    if (!copy)
      return dvm_error_set(err, -ENOMEM, "out of memory");
    if (n && copy[n - 1] == '\r')
      copy[n - 1] = 0;
    l.number++;
    l.start = l.at = copy;
    rc = read_line(&l, config);
    free(copy);
    text += n + (text[n] == '\n');
  }
  return rc;
}

int dvmt_config_read(struct dvmt_config *config, const char *path, struct dvm_error *err) {
  FILE *f = fopen(path, "re");
  struct dvm_text text = DVM_TEXT_INIT;
  char part[4096];
  size_t n;
  if (!f)
    return dvm_error_errno(err, "cannot read '%s'", path);
  while ((n = fread(part, 1, sizeof(part), f)) > 0)
    dvm_text_add_n(&text, part, n);
  int rc = ferror(f) ? dvm_error_set(err, -EIO, "cannot read '%s'", path) : text.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : 0;
  fclose(f);
  if (!rc)
    rc = dvmt_config_parse(config, dvm_text_str(&text), path, err);
  dvm_text_fini(&text);
  return rc;
}

void dvmt_config_fini(struct dvmt_config *c) {
  for (size_t i = 0; i < c->nrules; i++)
    free(c->rules[i].place.file);
  for (size_t i = 0; i < c->ntolerances; i++)
    free(c->tolerances[i].name);
  free(c->rules);
  free(c->tolerances);
  free(c->start.place.file);
  free(c->finish.place.file);
  *c = (struct dvmt_config)DVMT_CONFIG_INIT;
}

/* ---- questions ----------------------------------------------------------------------------------------------------------- */

bool dvmt_place_is(const struct dvmt_place *place, const char *file, size_t n, unsigned line, unsigned column) {
  if (!place->file || place->line != line || (place->column && column && place->column != column))
    return false;
  size_t m = strlen(place->file), least = n < m ? n : m;
  if (strncmp(place->file + m - least, file + n - least, least))
    return false;
  return n == m || (n > m ? file[n - m - 1] : place->file[m - n - 1]) == '/';
}

const struct dvmt_rule *dvmt_config_rule(const struct dvmt_config *c, const char *file, size_t n, unsigned line, unsigned column) {
  for (size_t i = 0; i < c->nrules; i++)
    if (dvmt_place_is(&c->rules[i].place, file, n, line, column))
      return &c->rules[i];
  return NULL;
}

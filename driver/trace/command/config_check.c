#define _GNU_SOURCE
#include "driver/trace/command/config_check.h"
#include "base/text.h"
#include "driver/trace/compare/name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 4096 };

struct known {
  const struct dvmt_reader *r;
  char *name[NAMES_MAX + 1]; /* owned; of variables, each once */
  size_t n;
};

static void add_name(struct known *k, struct dvmt_span s) {
  for (size_t i = 0; i < k->n; i++)
    if (dvmt_span_is(s, k->name[i]))
      return;
  if (s.s && k->n < NAMES_MAX && (k->name[k->n] = strndup(s.s, s.n)))
    k->n++;
}

/* Roots and pointers of accesses, reduction variables. */
static bool add_line(void *arg, char key, struct dvmt_span rest) {
  if (key == DVMRT_DIRECTIVE_REDUCTION)
    dvmt_text_field(&rest);
  if (key == DVMRT_ACCESS_VARIABLE || key == DVMRT_TRACE_POINTER)
    add_name(arg, rest);
  else if (key == DVMRT_DIRECTIVE_REDUCTION)
    add_name(arg, dvmt_text_field(&rest));
  return true;
}

static bool has_place(const struct dvmt_reader *r, const struct dvmt_place *place) {
  for (size_t i = 0; i < dvmt_reader_nsites(r); i++) {
    const struct dvmt_site_def *s = dvmt_reader_site(r, i);
    struct dvmt_where w = dvmt_site_where(s->text);
    if (s->kind != DVMT_SITE_ACCESS && w.file.s && dvmt_place_is(place, w.file.s, w.file.n, w.line, w.column))
      return true;
  }
  return false;
}

static void check_place(const char *path, const struct dvmt_reader *r, const struct dvmt_place *place) {
  if (place->file && !has_place(r, place))
    fprintf(stderr, "dvm: warning: %s: there is no construct or loop at %s:%u\n", path, place->file, place->line);
}

/* Ranges of dimensions that the construct does not have. */
static void check_limits(const char *path, const struct dvmt_reader *r, const struct dvmt_rule *rule) {
  unsigned most = 0;
  for (size_t i = 0; i < dvmt_reader_nsites(r); i++) {
    const struct dvmt_site_def *s = dvmt_reader_site(r, i);
    struct dvmt_where w = dvmt_site_where(s->text);
    if (s->kind != DVMT_SITE_ACCESS && w.file.s && dvmt_place_is(&rule->place, w.file.s, w.file.n, w.line, w.column) && s->words > most)
      most = s->words;
  }
  for (unsigned d = most; most && rule->limited && d < DVMT_NDIMS_MAX; d++)
    if (rule->limits.set[d])
      fprintf(stderr, "dvm: warning: %s: the construct at %s:%u has %u dimension%s: the range of dimension %u says nothing\n", path,
              rule->place.file, rule->place.line, most, most == 1 ? "" : "s", d + 1);
}

static bool ends_before(const struct dvmt_config *c) {
  return c->start.place.file && c->finish.place.file && !strcmp(c->start.place.file, c->finish.place.file) &&
         c->start.place.line == c->finish.place.line && c->finish.count < c->start.count;
}

static void check_variables(const char *path, const struct dvmt_config *config, struct known *k) {
  for (size_t i = 0; i < dvmt_reader_nsites(k->r); i++)
    dvmt_text_lines(dvmt_reader_site(k->r, i)->text, add_line, k);
  for (size_t i = 0; i < config->ntolerances; i++) {
    const struct dvmt_tolerance_rule *t = &config->tolerances[i];
    bool found = t->is_type;
    for (size_t n = 0; n < k->n && !found; n++)
      found = !strcmp(k->name[n], t->name);
    const char *near = found ? NULL : dvm_text_nearest(t->name, (const char *const *)k->name);
    if (!found)
      fprintf(stderr, "dvm: warning: %s: no variable is called '%s'%s%s%s\n", path, t->name, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "");
  }
}

void dvmt_config_check(const char *path, const struct dvmt_config *config, const struct dvmt_reader *trace, bool records, bool places) {
  struct known k = {.r = trace};
  for (size_t i = 0; places && i < config->nrules; i++) {
    check_place(path, trace, &config->rules[i].place);
    check_limits(path, trace, &config->rules[i]);
  }
  if (places) {
    check_place(path, trace, &config->start.place);
    check_place(path, trace, &config->finish.place);
  }
  if (places && ends_before(config))
    fprintf(stderr, "dvm: warning: %s: recording finishes before it starts: nothing is recorded\n", path);
  else if (places && !records && config->start.place.file && has_place(trace, &config->start.place))
    fprintf(stderr, "dvm: warning: %s: %s:%u is not executed %llu times: nothing is recorded\n", path, config->start.place.file,
            config->start.place.line, (unsigned long long)config->start.count);
  check_variables(path, config, &k);
  for (size_t i = 0; i < k.n; i++)
    free(k.name[i]);
}

int dvmt_config_check_file(const char *path, const char *trace, struct dvm_error *err) {
  struct dvmt_config config = DVMT_CONFIG_INIT;
  struct dvmt_record first;
  int rc = dvmt_config_read(&config, path, err), more = 0;
  struct dvmt_reader *r = rc ? NULL : dvmt_reader_open(trace, err);
  if (r) {
    do
      more = dvmt_reader_next(r, &first, err);
    while (more > 0 && first.kind == DVMT_DIRECT); /* declarations are recorded whatever is left out */
    dvmt_config_check(path, &config, r, more > 0, true);
  }
  dvmt_reader_close(r);
  dvmt_config_fini(&config);
  return rc;
}

#include "driver/trace/command/job_levels.h"
#include "driver/trace/command/files.h"
#include "driver/trace/job/places.h"
#include "driver/trace/command/job_private.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/job/relay.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool dvmt_job_levels_has(const struct dvmt_config *c) { return c->nrules || c->start.place.file || c->finish.place.file || c->has_level; }

void dvmt_job_levels_fini(struct dvmt_job_levels *l) {
  dvmt_config_fini(&l->reference);
  dvmt_config_fini(&l->run);
  dvmt_job_places_destroy(l->places);
  dvmt_reader_close(l->reader);
  free(l->pair);
  *l = (struct dvmt_job_levels){.any = false};
}

static int out_of_memory(struct dvm_error *err) { return dvm_error_set(err, -ENOMEM, "out of memory"); }

static bool same_place(const struct dvmt_where *x, const struct dvmt_where *y) {
  const struct dvmt_span a = dvmt_span_base(x->file), b = dvmt_span_base(y->file);
  return x->line == y->line && x->column == y->column && a.n == b.n && !memcmp(a.s, b.s, a.n);
}

struct dvmt_where dvmt_job_levels_place(const struct dvmt_job_levels *l, const struct dvmt_where *run) {
  for (size_t i = 0; i < l->npairs; i++)
    if (same_place(&l->pair[i].run, run))
      return l->pair[i].reference;
  return (struct dvmt_where){{NULL, 0}, 0, 0};
}

/* ---- constructs on both sides -------------------------------------------------------------------------------------------------------- */

static int add_pair(struct dvmt_job_levels *l, const char *text) {
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_job_pair *rows = w.file.s ? realloc(l->pair, (l->npairs + 1) * sizeof(*rows)) : l->pair;
  if (!w.file.s)
    return 0;
  if (!rows)
    return -ENOMEM;
  l->pair = rows;
  rows[l->npairs++] = (struct dvmt_job_pair){w, w};
  return 0;
}

static struct dvmt_span renamed(const struct dvmt_cli *o, struct dvmt_span file) {
  struct dvmt_span base = dvmt_span_base(file);
  for (size_t i = 0; i < o->compare.nrenames; i++)
    if (dvmt_span_is(base, o->renames[i][0]))
      return dvmt_span_base((struct dvmt_span){o->renames[i][1], strlen(o->renames[i][1])});
  return base;
}

/* Definitions stand before the first record, but for those of libraries that are loaded later. */
static int read_pairs(struct dvmt_job_levels *l, const struct dvmt_cli *o, char *const *command, struct dvm_error *err) {
  struct dvmt_record rec;
  char program[4096];
  const char *path = command ? dvmt_job_program(command, program, sizeof(program)) : NULL;
  int more = 1, rc = 0;
  while (!rc && more > 0)
    if ((more = dvmt_reader_next(l->reader, &rec, err)) < 0)
      rc = more;
  l->places = rc || !path ? NULL : dvmt_job_places_read(path, command);
  for (size_t i = 0; !rc && i < dvmt_reader_nsites(l->reader); i++) {
    const struct dvmt_site_def *def = dvmt_reader_site(l->reader, i);
    size_t before = l->npairs;
    if (def->kind != DVMT_SITE_CONSTRUCT || !dvmt_shape_is_parallel(def->text))
      continue;
    rc = add_pair(l, def->text) ? out_of_memory(err) : 0;
    if (!rc && l->npairs > before && l->places && !dvmt_job_places_add(l->places, def->text, renamed(o, l->pair[before].reference.file)))
      rc = out_of_memory(err);
  }
  for (size_t i = 0; !rc && i < l->npairs; i++) {
    struct dvmt_where now = l->places ? dvmt_job_places_of(l->places, i) : (struct dvmt_where){{NULL, 0}, 0, 0};
    l->pair[i].run.file = renamed(o, l->pair[i].reference.file);
    if (now.line)
      l->pair[i].run = now;
  }
  return rc;
}

/* ---- levels --------------------------------------------------------------------------------------------------------------------------- */

struct choosing {
  const struct dvmt_config *was, *wanted; /* of the reference; what is asked for */
  enum dvmt_level otherwise; /* is asked for where no rule is */
  bool of_reference; /* 'wanted' has the reference's places */
  bool job, valued; /* the reference is of ranks; its values make sums */
  bool partial; /* which iterations are executed is to be known */
};

/* What both can have. */
static enum dvmt_level choose(const struct choosing *c, enum dvmt_level wanted, enum dvmt_level has, bool limited) {
  bool values = dvmt_level_has_values(has);
  if (dvmt_level_has_values(wanted))
    wanted = values ? (c->job ? DVMT_LEVEL_CHECKSUM : wanted) : has;
  else if (wanted == DVMT_LEVEL_CHECKSUM && has != DVMT_LEVEL_CHECKSUM)
    wanted = !values ? has : c->job || c->valued ? DVMT_LEVEL_CHECKSUM : DVMT_LEVEL_MODIFY;
  else if (wanted == DVMT_LEVEL_MINIMAL && has == DVMT_LEVEL_SYSTEM)
    wanted = has;
  if (has == DVMT_LEVEL_NONE || (wanted == DVMT_LEVEL_MINIMAL && limited)) /* part of the iterations is no number of them */
    wanted = has == DVMT_LEVEL_NONE ? has : DVMT_LEVEL_SYSTEM;
  if (c->partial && wanted == DVMT_LEVEL_MODIFY)
    wanted = DVMT_LEVEL_FULL;
  return wanted;
}

static const struct dvmt_rule *rule_at(const struct dvmt_config *c, const struct dvmt_where *w) {
  return dvmt_config_rule(c, w->file.s, w->file.n, w->line, w->column);
}

static int set_place(struct dvmt_place *to, const struct dvmt_where *w) {
  struct dvmt_span file = dvmt_span_base(w->file);
  free(to->file);
  *to = (struct dvmt_place){strndup(file.s, file.n), w->line, w->column};
  return to->file ? 0 : -ENOMEM;
}

static int add_rule(struct dvmt_config *c, const struct dvmt_where *w, enum dvmt_level level, const struct dvmt_rule *limits) {
  struct dvmt_rule *rows = realloc(c->rules, (c->nrules + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  c->rules = rows;
  rows[c->nrules] = (struct dvmt_rule){.place = {NULL, 0, 0}, .level = level};
  if (limits) {
    rows[c->nrules].limited = true;
    rows[c->nrules].limits = limits->limits;
  }
  return set_place(&rows[c->nrules++].place, w);
}

static int set_rules(struct dvmt_job_levels *l, const struct choosing *c) {
  int rc = 0;
  l->reference.level = l->run.level = choose(c, c->otherwise, c->was->level, false);
  for (size_t i = 0; i < l->npairs && !rc; i++) {
    const struct dvmt_job_pair *p = &l->pair[i];
    const struct dvmt_rule *was = rule_at(c->was, &p->reference), *wanted = rule_at(c->wanted, c->of_reference ? &p->reference : &p->run);
    const struct dvmt_rule *limits = wanted && wanted->limited ? wanted : was && was->limited ? was : NULL;
    enum dvmt_level level = choose(c, wanted ? wanted->level : c->otherwise, was ? was->level : c->was->level, limits != NULL);
    l->elements |= dvmt_level_has_values(level);
    rc = add_rule(&l->reference, &p->reference, level, limits);
    if (!rc)
      rc = add_rule(&l->run, &p->run, level, limits);
  }
  return rc;
}

/* A point that is no parallel construct ranks do not come through: everything is recorded, and what the reference lacks is left out. */
static int set_point(struct dvmt_job_levels *l, const struct choosing *c, const struct dvmt_point *from, struct dvmt_point *reference,
                     struct dvmt_point *run) {
  for (size_t i = 0; from->place.file && i < l->npairs; i++) {
    const struct dvmt_where *w = c->of_reference ? &l->pair[i].reference : &l->pair[i].run;
    if (!dvmt_place_is(&from->place, w->file.s, w->file.n, w->line, w->column))
      continue;
    reference->count = run->count = from->count;
    int rc = set_place(&reference->place, &l->pair[i].reference);
    return rc ? rc : set_place(&run->place, &l->pair[i].run);
  }
  return 0;
}

static void write_point(FILE *f, const char *word, const struct dvmt_point *p) {
  if (p->place.file)
    fprintf(f, "%s \"%s:%u:%u\" %llu\n", word, p->place.file, p->place.line, p->place.column, (unsigned long long)p->count);
}

static int write_run(struct dvmt_job_levels *l, const char *folder, struct dvm_error *err) {
  snprintf(l->path, sizeof(l->path), "%s/levels", folder);
  FILE *f = fopen(l->path, "we");
  if (!f)
    return dvm_error_errno(err, "cannot write '%s'", l->path);
  fprintf(f, "level %s\n", dvmt_level_name(l->run.level));
  for (size_t i = 0; i < l->run.nrules; i++) {
    const struct dvmt_place *p = &l->run.rules[i].place;
    fprintf(f, "parallel \"%s:%u:%u\" level %s\n", p->file, p->line, p->column, dvmt_level_name(l->run.rules[i].level));
  }
  write_point(f, "start", &l->run.start);
  write_point(f, "finish", &l->run.finish);
  return dvmt_file_close(f, l->path, err);
}

/* Values of all that the program computes. */
static bool has_all_values(const struct dvmt_config *c) {
  bool all = dvmt_level_has_values(c->level) && !c->start.place.file && !c->finish.place.file;
  for (size_t i = 0; i < c->nrules; i++)
    all &= dvmt_level_has_values(c->rules[i].level) && !c->rules[i].limited;
  return all;
}

static int decide(struct dvmt_job_levels *l, const struct choosing *c, struct dvm_error *err) {
  int rc = set_rules(l, c);
  if (!rc)
    rc = set_point(l, c, &c->wanted->start, &l->reference.start, &l->run.start);
  if (!rc)
    rc = set_point(l, c, &c->wanted->finish, &l->reference.finish, &l->run.finish);
  l->any = !rc;
  return rc ? out_of_memory(err) : 0;
}

int dvmt_job_levels_find(struct dvmt_job_levels *l, const struct dvmt_cli *o, const struct dvmt_side *s, char *const *command,
                         struct dvmt_reader *other, const char *folder, struct dvm_error *err) {
  struct dvmt_config was = DVMT_CONFIG_INIT, run = DVMT_CONFIG_INIT;
  *l = (struct dvmt_job_levels){.reference = DVMT_CONFIG_INIT, .run = DVMT_CONFIG_INIT};
  l->reader = s->job->nranks ? dvmt_reader_again(s->job->rank[0], err) : dvmt_file_open(s->path, err);
  int rc = l->reader ? dvmt_meta_recorded(l->reader, &was, err) : err->code;
  bool of_run = !rc && other && dvmt_reader_meta(other, "config");
  if (of_run)
    rc = dvmt_meta_recorded(other, &run, err);
  struct choosing c = {.was = &was, .job = s->job->nranks, .partial = o->compare.partial};
  l->limited = !rc && dvmt_reader_meta(l->reader, "config");
  c.valued = l->valued = !rc && !c.job && has_all_values(&was);
  c.of_reference = !dvmt_job_levels_has(&o->config) && !of_run && l->limited;
  c.wanted = dvmt_job_levels_has(&o->config) ? &o->config : of_run ? &run : l->limited ? &was : NULL;
  if (c.wanted)
    c.otherwise = c.wanted->has_level || c.wanted != &o->config ? c.wanted->level : DVMT_LEVEL_CHECKSUM;
  if (!rc && c.wanted)
    rc = read_pairs(l, o, command, err);
  if (!rc && c.wanted)
    rc = decide(l, &c, err);
  if (!rc && l->any && folder)
    rc = write_run(l, folder, err);
  dvmt_config_fini(&was);
  dvmt_config_fini(&run);
  return rc;
}

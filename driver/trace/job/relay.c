#include "driver/trace/job/relay.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void dvmt_relay_fini(struct dvmt_relay *r) {
  free(r->sites);
  free(r->objects);
}

bool dvmt_relay_is_by_elements(const struct dvmt_config *config, const char *text) {
  struct dvmt_where w = config ? dvmt_site_where(text) : (struct dvmt_where){{NULL, 0}, 0, 0};
  const struct dvmt_rule *rule = w.file.s ? dvmt_config_rule(config, w.file.s, w.file.n, w.line, w.column) : NULL;
  return config && dvmt_level_has_values(rule ? rule->level : config->level);
}

bool dvmt_relay_begins(const struct dvmt_config *config, const char *text, const struct dvmt_record *enter) {
  return config && enter->nwords && dvmt_level_has_values(dvmt_enter_level(enter->words)) && dvmt_relay_is_by_elements(config, text);
}

static int64_t known_site(struct dvmt_relay *r, uint32_t number, const struct dvmt_site_def *def) {
  int64_t *row = dvmt_shape_row(&r->sites, &r->nsites, number), site = 0;
  if (row && !*row && (site = dvmt_shape_site(r->shape, def)) >= 0)
    *row = site + 1;
  return !row ? -ENOMEM : site < 0 ? site : *row - 1;
}

static int64_t known_object(struct dvmt_relay *r, uint32_t number, const struct dvmt_object_def *def) {
  int64_t *row = dvmt_shape_row(&r->objects, &r->nobjects, number), object = 0;
  if (row && !*row && (object = dvmt_shape_object(r->shape, def)) >= 0)
    *row = object + 1;
  return !row ? -ENOMEM : object < 0 ? object : *row - 1;
}

/* Pointers are no values: they lead elsewhere in each process. */
static bool is_value(const struct dvmt_record *rec, const struct dvmt_site_def *site, const struct dvmt_object_def *object) {
  return rec->kind == DVMT_WRITE && object && (object->flags & DVMT_OBJECT_ARRAY) && dvmt_type_of(site->text).kind != 'p';
}

int dvmt_relay_record(struct dvmt_relay *r, struct dvmt_sink *out, int64_t construct, uint32_t own, const struct dvmt_record *rec,
                      const struct dvmt_site_def *site, const struct dvmt_object_def *object) {
  struct dvmt_record now = *rec;
  bool value = is_value(rec, site, object);
  if (!value && (rec->kind != DVMT_ITER || rec->site != own))
    return 0;
  int64_t number = value ? known_site(r, rec->site, site) : construct, variable = value ? known_object(r, rec->object, object) : 0;
  if (number < 0 || variable < 0)
    return (int)(number < 0 ? number : variable);
  now.site = (uint32_t)number;
  now.object = (uint32_t)variable;
  return out->record(out, &now);
}

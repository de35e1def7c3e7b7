#include "runtime/parallel/levels.h"
#include "runtime/parallel/options.h"
#include <errno.h>
#include <string.h>

static struct dvmt_config config = DVMT_CONFIG_INIT;
static bool started = true, finished;

int dvmp_levels_begin(struct dvm_error *err) {
  const struct dvmp_recording *o = &dvmp_options_recording;
  int level = o->level ? dvmt_level_number(o->level) : -1, rc = 0;
  if (o->level && level < 0)
    return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: 'trace_level': expected none, minimal, modify, full, checksum or system");
  if (o->config && *o->config)
    rc = dvmt_config_read(&config, o->config, err);
  if (level >= 0 || !config.has_level)
    config.level = level >= 0 ? (enum dvmt_level)level : DVMT_LEVEL_CHECKSUM;
  started = !config.start.place.file;
  return rc;
}

enum dvmt_level dvmp_levels_program(void) { return config.level; }

bool dvmp_levels_iterations(void) {
  bool any = config.level == DVMT_LEVEL_FULL || dvmp_options_recording.bounds;
  for (size_t i = 0; i < config.nrules; i++)
    any |= config.rules[i].level == DVMT_LEVEL_FULL;
  return any;
}

static bool is_at(const struct dvmt_point *p, const struct dvmrt_pos *pos) {
  return p->place.file && dvmt_place_is(&p->place, pos->file, strlen(pos->file), pos->line, pos->column);
}

static void look_up(struct dvmp_levels_rule *r, const struct dvmrt_pos *pos) {
  r->looked_up = true;
  if (!pos->file)
    return;
  const struct dvmt_rule *rule = dvmt_config_rule(&config, pos->file, strlen(pos->file), pos->line, pos->column);
  r->ruled = rule != NULL;
  r->level = rule ? rule->level : DVMT_LEVEL_NONE;
  r->starts = is_at(&config.start, pos);
  r->finishes = is_at(&config.finish, pos);
}

enum dvmt_level dvmp_levels_enter(struct dvmp_levels_rule *r, const struct dvmrt_pos *pos, uint64_t execution) {
  if (!r->looked_up)
    look_up(r, pos);
  started |= r->starts && execution >= config.start.count;
  finished |= r->finishes && execution > config.finish.count;
  return !started || finished ? DVMT_LEVEL_NONE : r->ruled ? r->level : config.level;
}

void dvmp_levels_leave(const struct dvmp_levels_rule *r, uint64_t execution) {
  finished |= r->finishes && execution == config.finish.count;
}

/* As runtime/record/record.c decides it. */
#include "driver/trace/compare/levels.h"
#include "driver/trace/compare/name.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256, SUMMED_DEPTH = 3 };

struct open {
  uint32_t site;
  uint8_t level, within;    /* within: of what is directly in it */
  bool ruled;               /* by the configuration */
  bool silent;              /* in an iteration that is left out */
};
struct known {
  bool looked_up;
  uint64_t count;
  const struct dvmt_rule *rule;
  bool starts, finishes;    /* a point of the configuration is here */
};
struct dvmt_levels {
  const struct dvmt_config *config;
  struct open stack[DEPTH_MAX];
  int depth, unseen;
  bool started, finished;
  struct known *sites;      /* owned; by number */
  size_t nsites;
};

struct dvmt_levels *dvmt_levels_create(const struct dvmt_config *config) {
  struct dvmt_levels *l = calloc(1, sizeof(*l));
  if (!l)
    return NULL;
  l->config = config;
  l->started = !config->start.place.file;
  return l;
}

void dvmt_levels_destroy(struct dvmt_levels *l) {
  if (l)
    free(l->sites);
  free(l);
}

static struct known *known_site(struct dvmt_levels *l, uint32_t number, const struct dvmt_site_def *site) {
  static struct known none;
  if (number >= l->nsites) {
    struct known *rows = realloc(l->sites, (number + 64u) * sizeof(*rows));
    if (!rows)
      return &none;
    memset(rows + l->nsites, 0, (number + 64u - l->nsites) * sizeof(*rows));
    l->sites = rows;
    l->nsites = number + 64u;
  }
  struct known *k = &l->sites[number];
  if (k->looked_up)
    return k;
  struct dvmt_where w = dvmt_site_where(site->text);
  k->looked_up = true;
  if (w.file.s) {
    k->rule = dvmt_config_rule(l->config, w.file.s, w.file.n, w.line, w.column);
    k->starts = dvmt_place_is(&l->config->start.place, w.file.s, w.file.n, w.line, w.column);
    k->finishes = dvmt_place_is(&l->config->finish.place, w.file.s, w.file.n, w.line, w.column);
  }
  return k;
}

static unsigned program_level(const struct dvmt_levels *l) { return l->started && !l->finished ? l->config->level : DVMT_LEVEL_NONE; }

/* In the middle of the run: the constructs that are open are not told, but what is written in them is. */
static void start(struct dvmt_levels *l) {
  for (int d = 0; !l->started && d < l->depth; d++)
    if (l->stack[d].level == DVMT_LEVEL_NONE && !l->stack[d].ruled)
      l->stack[d].within = (uint8_t)l->config->level;
  l->started = true;
}

static bool enter(struct dvmt_levels *l, const struct dvmt_record *r, const struct dvmt_site_def *site) {
  struct known *k = known_site(l, r->site, site);
  const struct open *outer = l->depth ? &l->stack[l->depth - 1] : NULL;
  k->count = dvmt_next_number((uint32_t)k->count, r->words);
  if (k->starts && k->count >= l->config->start.count)
    start(l);
  l->finished |= k->finishes && k->count > l->config->finish.count;
  if (l->depth == DEPTH_MAX) {
    l->unseen++;
    return true;
  }
  bool silent = outer && outer->silent;
  unsigned level = silent || !l->started || l->finished       ? DVMT_LEVEL_NONE
                   : k->rule                                  ? k->rule->level
                   : outer && outer->level != DVMT_LEVEL_NONE ? outer->level
                                                              : program_level(l);
  if (!silent && outer && outer->level == DVMT_LEVEL_NONE && outer->ruled && !k->rule)
    level = DVMT_LEVEL_NONE;
  if (site->kind == DVMT_SITE_LOOP && (level == DVMT_LEVEL_SYSTEM || (level == DVMT_LEVEL_CHECKSUM && l->depth >= SUMMED_DEPTH)))
    level = DVMT_LEVEL_NONE;
  l->stack[l->depth++] = (struct open){r->site, (uint8_t)level, (uint8_t)level, k->rule != NULL, silent};
  return level != DVMT_LEVEL_NONE;
}

static bool leave(struct dvmt_levels *l, const struct dvmt_record *r, const struct dvmt_site_def *site) {
  if (l->unseen || !l->depth) {
    l->unseen -= l->unseen > 0;
    return true;
  }
  bool keep = l->stack[--l->depth].level != DVMT_LEVEL_NONE;
  const struct known *k = known_site(l, r->site, site);
  l->finished |= k->finishes && k->count == l->config->finish.count;
  return keep;
}

static bool iterate(struct dvmt_levels *l, const struct dvmt_record *r, const struct dvmt_site_def *site) {
  struct open *o = l->depth ? &l->stack[l->depth - 1] : NULL;
  const struct known *k = known_site(l, r->site, site);
  if (!o || o->site != r->site || (o->silent && l->depth > 1 && l->stack[l->depth - 2].silent))
    return o && !o->silent;
  o->silent = false;
  for (uint32_t d = 0; k->rule && k->rule->limited && d < r->nwords && d < DVMT_NDIMS_MAX; d++) {
    const struct dvmt_range *range = &k->rule->limits.dim[d];
    int64_t v = (int64_t)r->words[d];
    o->silent |= k->rule->limits.set[d] && (v < range->low || v > range->high || (range->step > 1 && (v - range->low) % range->step));
  }
  return !o->silent && !l->finished && (o->level == DVMT_LEVEL_MINIMAL || o->level == DVMT_LEVEL_MODIFY || o->level == DVMT_LEVEL_FULL);
}

/* Where a construct is not recorded itself, what is sequential in it is of the program. */
static unsigned level_now(const struct dvmt_levels *l) {
  const struct open *o = l->depth ? &l->stack[l->depth - 1] : NULL;
  return !o ? program_level(l) : o->silent || l->finished ? DVMT_LEVEL_NONE : o->within;
}

/* Sums of arrays; of the iterations, where all of them count. */
static bool keeps_digest(struct dvmt_levels *l, const struct dvmt_record *r, const struct dvmt_site_def *site, unsigned level) {
  bool executed = r->nwords > 2 && r->words[2] == DVMT_DIGEST_EXECUTED;
  if (!executed || level == DVMT_LEVEL_CHECKSUM)
    return level == DVMT_LEVEL_CHECKSUM;
  const struct dvmt_rule *rule = known_site(l, r->site, site)->rule;
  return level != DVMT_LEVEL_NONE && level != DVMT_LEVEL_SYSTEM && !(rule && rule->limited);
}

bool dvmt_levels_keep(struct dvmt_levels *l, const struct dvmt_record *r, const struct dvmt_site_def *site) {
  unsigned level = level_now(l);
  switch (r->kind) {
  case DVMT_ENTER: return enter(l, r, site);
  case DVMT_LEAVE: return leave(l, r, site);
  case DVMT_ITER: return iterate(l, r, site);
  case DVMT_READ: return level == DVMT_LEVEL_FULL;
  case DVMT_WRITE: return level == DVMT_LEVEL_FULL || level == DVMT_LEVEL_MODIFY || (level == DVMT_LEVEL_CHECKSUM && !l->depth);
  case DVMT_RESULT: return level != DVMT_LEVEL_NONE;
  case DVMT_DIGEST: return keeps_digest(l, r, site, level);
  default: return true;
  }
}

#include "runtime/data/finding.h"
#include "runtime/data/facts.h"
#include "runtime/data/mem.h"
#include <string.h>

enum { HASH = 256, HASHED_CHARS = 12 };

static uint64_t wanted;
static struct dvmrt_finding *hashed[HASH], *first, **last = &first, *last_hit;
static struct dvmrt_finding_totals total;

bool dvmrt_finding_stopped;

static const char *const id_names[] = {
#define ID_TEXT(sym, name, severity, meaning) name,
    DVMRT_IDS(ID_TEXT)
#undef ID_TEXT
};
static const uint8_t id_severities[] = {
#define ID_SEVERITY(sym, name, severity, meaning) DVMRT_##severity,
    DVMRT_IDS(ID_SEVERITY)
#undef ID_SEVERITY
};

const char *dvmrt_id_name(enum dvmrt_id id) { return id_names[id]; }
enum dvmrt_severity dvmrt_id_severity(enum dvmrt_id id) { return id_severities[id]; }

void dvmrt_finding_init(uint64_t checks) { wanted = checks; }

bool dvmrt_finding_wanted(enum dvmrt_id id) { return wanted >> id & 1; }

static unsigned hash_of(enum dvmrt_id id, const char *what, const struct dvmrt_directive *construct, uint32_t line) {
  uint64_t h = (uint64_t)id * 31 + line;
  for (int i = 0; what[i] && i < HASHED_CHARS; i++)
    h = h * 131 + (unsigned char)what[i];
  h = (h ^ (uintptr_t)construct) * 0x9e3779b97f4a7c15ull;
  return (unsigned)(h >> 56) % HASH;
}

static bool is_finding(const struct dvmrt_finding *f, enum dvmrt_id id, const char *what, const struct dvmrt_directive *construct,
                       struct dvmrt_pos pos) {
  return f->id == id && f->construct == construct && f->pos.line == pos.line && f->pos.file == pos.file && !strcmp(f->what, what);
}

struct dvmrt_finding *dvmrt_finding_count(enum dvmrt_id id, const char *what, const struct dvmrt_directive *construct,
                                          struct dvmrt_pos pos) {
  if (!dvmrt_finding_wanted(id) || dvmrt_finding_stopped)
    return NULL;
  if (dvmrt_id_severity(id) == DVMRT_ERROR)
    total.error_hits++;
  else
    total.warning_hits++;
  if (last_hit && is_finding(last_hit, id, what, construct, pos)) {
    last_hit->count++;
    return last_hit;
  }
  struct dvmrt_finding **list = &hashed[hash_of(id, what, construct, pos.line)];
  for (struct dvmrt_finding *f = *list; f; f = f->next_of_hash) {
    if (is_finding(f, id, what, construct, pos)) {
      f->count++;
      return last_hit = f;
    }
  }
  struct dvmrt_finding *f = dvmrt_mem_alloc(sizeof(*f));
  *f = (struct dvmrt_finding){
      .next_of_hash = *list, .id = id, .what = dvmrt_mem_strndup(what, strlen(what)), .construct = construct, .pos = pos, .count = 1};
  last_hit = *list = f;
  *last = f;
  last = &f->next;
  if (dvmrt_id_severity(id) == DVMRT_ERROR)
    total.errors++;
  else
    total.warnings++;
  return f;
}

struct dvmrt_finding *dvmrt_finding_first(void) { return first; }

uint64_t dvmrt_finding_hits(void) { return total.error_hits + total.warning_hits; }

struct dvmrt_finding *dvmrt_finding_last(void) { return last_hit; }

uint64_t *dvmrt_finding_total(const struct dvmrt_finding *f) {
  return dvmrt_id_severity(f->id) == DVMRT_ERROR ? &total.error_hits : &total.warning_hits;
}

void dvmrt_finding_more(struct dvmrt_finding *f, uint64_t n) {
  f->count += n;
  *dvmrt_finding_total(f) += n;
}

struct dvmrt_finding_totals dvmrt_finding_totals(void) { return total; }

void dvmrt_finding_stop(void) {
  dvmrt_finding_stopped = total.at_least = true;
  for (struct dvmrt_finding *f = first; f; f = f->next)
    f->at_least = true;
}

void dvmrt_finding_reset(void) {
  dvmrt_finding_stopped = false;
  memset(hashed, 0, sizeof(hashed));
  first = last_hit = NULL;
  last = &first;
  total = (struct dvmrt_finding_totals){0};
}

void dvmrt_clause_widen(struct dvmrt_clause *c, int d, int64_t away) {
  if (-away > c->low[d])
    c->low[d] = -away;
  if (away > c->high[d])
    c->high[d] = away;
}

void dvmrt_finding_facts(struct dvm_facts *f) {
  f->findings = (uintptr_t)&first;
  f->ids = (uintptr_t)id_names;
  f->severities = (uintptr_t)id_severities;
  f->nids = sizeof(id_names) / sizeof(id_names[0]);
  DVMRT_FACT(f, FINDING_NEXT, struct dvmrt_finding, next);
  DVMRT_FACT(f, FINDING_ID, struct dvmrt_finding, id);
  DVMRT_FACT(f, FINDING_MESSAGE, struct dvmrt_finding, message);
  DVMRT_FACT(f, FINDING_WHAT, struct dvmrt_finding, what);
  DVMRT_FACT(f, FINDING_CONSTRUCT, struct dvmrt_finding, construct);
  DVMRT_FACT(f, FINDING_FILE, struct dvmrt_finding, pos.file);
  DVMRT_FACT(f, FINDING_LINE, struct dvmrt_finding, pos.line);
  DVMRT_FACT(f, FINDING_COLUMN, struct dvmrt_finding, pos.column);
  DVMRT_FACT(f, FINDING_COUNT, struct dvmrt_finding, count);
  DVMRT_FACT(f, FINDING_CLAUSE, struct dvmrt_finding, clause.name);
  DVMRT_FACT(f, FINDING_CLAUSE_ARRAY, struct dvmrt_finding, clause.array);
  DVMRT_FACT(f, FINDING_CLAUSE_NDIMS, struct dvmrt_finding, clause.ndims);
  DVMRT_FACT(f, FINDING_CLAUSE_LOW, struct dvmrt_finding, clause.low);
  DVMRT_FACT(f, FINDING_CLAUSE_HIGH, struct dvmrt_finding, clause.high);
  DVMRT_FACT(f, FINDING_CLAUSE_CORNER, struct dvmrt_finding, clause.corner);
}

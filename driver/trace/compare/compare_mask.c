/* What the user leaves out: it is taken from both streams, counted, and never more than what was named. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, SHOWN, MASKED };

static bool is_value(uint8_t kind) { return kind <= DVMT_WRITE || kind == DVMT_DIGEST || kind == DVMT_RESULT; }

/* Of a site and a variable the answer stays the same: most sites have one variable. */
bool dvmt_cmp_is_masked(struct dvmt_compare *c, struct masks *m, const struct item *it, const char *text) {
  if (!c->options.ignore || !c->options.ignore->n || !is_value(it->kind))
    return false;
  if (it->site >= m->n) {
    struct mask *rows = realloc(m->row, (it->site + 64u) * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return false;
    }
    memset(rows + m->n, 0, (it->site + 64u - m->n) * sizeof(*rows));
    m->row = rows;
    m->n = it->site + 64u;
  }
  struct mask *known = &m->row[it->site];
  if (known->state == UNKNOWN || known->key != it->key) {
    known->key = it->key;
    known->state = dvmt_select_has(c->options.ignore, dvmt_cmp_key_name(c, it->key), text) ? MASKED : SHOWN;
  }
  return known->state == MASKED;
}

static void note_rename(const struct dvmt_compare *c, size_t i) {
  if (c->options.renamed)
    c->options.renamed[i] = true;
}

const char *dvmt_cmp_renamed_file(const struct dvmt_compare *c, const char *name, size_t n, size_t *length) {
  for (size_t i = 0; i < c->options.nrenames; i++) {
    const char *old = c->options.renames[i][0], *slash = strrchr(old, '/');
    old = slash ? slash + 1 : old;
    if (strlen(old) != n || memcmp(old, name, n) != 0)
      continue;
    const char *new = c->options.renames[i][1];
    note_rename(c, i);
    slash = strrchr(new, '/');
    new = slash ? slash + 1 : new;
    *length = strlen(new);
    return new;
  }
  *length = n;
  return name;
}

const char *dvmt_cmp_renamed(const struct dvmt_compare *c, const char *variable) {
  for (size_t i = 0; i < c->options.nrenames; i++)
    if (!strcmp(c->options.renames[i][0], variable)) {
      note_rename(c, i);
      return c->options.renames[i][1];
    }
  return variable;
}

/* Runs that may leave iterations out (--partial), compared by sums: arrays that such a construct writes keep elements which the reference has
 * written, so that their sums say nothing from there on. */
#include "driver/trace/compare/compare_private.h"
#include "runtime/trace/digest.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool wanted(const struct dvmt_compare *c) { return c->options.partial && c->options.by_sums; }

static bool has(const struct keys *k, uint32_t key) {
  for (size_t i = 0; i < k->n; i++)
    if (k->key[i] == key)
      return true;
  return false;
}

void dvmt_cmp_note_partly(struct dvmt_compare *c, const struct item *it) {
  if (!wanted(c) || (it->kind != DVMT_WRITE && it->kind != DVMT_DIGEST) || has(&c->touched, it->key))
    return;
  if (!dvmt_cmp_add_key(&c->touched, it->key))
    c->rc = -ENOMEM;
}

static uint64_t iterations_of(const struct dvmt_compare *c, const struct items *l) {
  for (size_t i = 0; i < l->n; i++)
    if (l->row[i].kind == DVMT_DIGEST && !strcmp(dvmt_cmp_key_name(c, l->row[i].key), DVMT_EXECUTED))
      return l->row[i].words[0];
  return 0;
}

static bool is_partly(const struct dvmt_compare *c, const struct item *it) {
  return it->kind == DVMT_DIGEST && has(&c->partly, it->key) && strcmp(dvmt_cmp_key_name(c, it->key), DVMT_EXECUTED) != 0;
}

static void note_name(struct dvmt_compare *c, uint32_t key) {
  char one[200];
  size_t n = strlen(c->partly_names);
  snprintf(one, sizeof(one), "'%.150s'", dvmt_cmp_key_name(c, key));
  if (!strstr(c->partly_names, one) && n + strlen(one) + 2 < sizeof(c->partly_names))
    snprintf(c->partly_names + n, sizeof(c->partly_names) - n, "%s%s", n ? " " : "", one);
  c->totals.partly_names = c->partly_names;
}

static void leave_out(struct dvmt_compare *c, struct items *l, bool of_run) {
  size_t to = 0;
  for (size_t i = 0; i < l->n; i++) {
    bool out = is_partly(c, &l->row[i]);
    if (!out)
      l->row[to++] = l->row[i];
    if (out && of_run) {
      c->totals.partly++;
      note_name(c, l->row[i].key);
    }
  }
  l->n = to;
}

void dvmt_cmp_leave_partly(struct dvmt_compare *c) {
  if (!wanted(c))
    return;
  bool lacks = iterations_of(c, &c->b_tail) < iterations_of(c, &c->a_items);
  for (size_t i = 0; lacks && i < c->touched.n && !c->rc; i++)
    if (!has(&c->partly, c->touched.key[i]) && !dvmt_cmp_add_key(&c->partly, c->touched.key[i]))
      c->rc = -ENOMEM;
  c->touched.n = 0;
  leave_out(c, &c->a_items, false);
  leave_out(c, &c->b_tail, true);
}

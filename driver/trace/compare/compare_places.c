/* Where the constructs of the reference stand in a source that has been changed since: both lists of sites of a file are laid side
 * by side as 'diff' does with lines, accesses by their text, constructs by their kind and index variables. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 1 << 24 };
static const uint32_t NONE = UINT32_MAX;

struct place {
  char *token;          /* owned */
  struct dvmt_span file; /* without folders */
  unsigned line, column;
  uint32_t site;        /* number on its side */
  bool construct;
  size_t partner;       /* in the other list, from 1; 0: none */
};
struct places {
  struct place *row;    /* owned; by file, line and column, each place once */
  size_t n;
  uint32_t *same;       /* owned; by site: another one at its place (a header's), or NONE */
};

static char *token_of(const char *text, bool construct) {
  struct dvmt_span kind = dvmt_site_kind(text), about = dvmt_text_line(text, construct ? 'N' : 'T');
  char *token = NULL;
  if (asprintf(&token, "%.*s %.*s", (int)(construct ? kind.n : 1), kind.s, (int)about.n, about.s ? about.s : "") < 0)
    return NULL;
  return token;
}

static bool is_construct(unsigned kind) { return kind == DVMT_SITE_CONSTRUCT || kind == DVMT_SITE_SCOPE || kind == DVMT_SITE_LOOP; }

static int by_place(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  size_t n = x->file.n < y->file.n ? x->file.n : y->file.n;
  int d = memcmp(x->file.s, y->file.s, n);
  if (!d)
    d = (x->file.n > y->file.n) - (x->file.n < y->file.n);
  if (!d)
    d = (x->line > y->line) - (x->line < y->line);
  if (!d)
    d = (x->column > y->column) - (x->column < y->column);
  return d ? d : strcmp(x->token, y->token);
}

static void free_places(struct places *p) {
  for (size_t i = 0; i < p->n; i++)
    free(p->row[i].token);
  free(p->row);
  free(p->same);
}

static bool add_place(const struct dvmt_compare *c, struct places *p, const struct dvmt_site_def *def, uint32_t site, bool of_reference) {
  bool construct = is_construct(def->kind);
  struct dvmt_where w = dvmt_site_where(def->text);
  if ((!construct && def->kind != DVMT_SITE_ACCESS) || !w.file.s || !w.line)
    return true;
  w.file = dvmt_span_base(w.file);
  if (of_reference)
    w.file.s = dvmt_cmp_renamed_file(c, w.file.s, w.file.n, &w.file.n);
  p->same[site] = NONE;
  p->row[p->n] = (struct place){token_of(def->text, construct), w.file, w.line, w.column, site, construct, 0};
  return p->row[p->n++].token;
}

static void sort_places(struct places *p) {
  size_t to = 0;
  if (p->n)
    qsort(p->row, p->n, sizeof(*p->row), by_place);
  for (size_t i = 0; i < p->n; i++) {
    if (!to || by_place(&p->row[to - 1], &p->row[i]) != 0) {
      p->row[to++] = p->row[i];
      continue;
    }
    p->same[p->row[i].site] = p->row[to - 1].site;
    p->row[to - 1].site = p->row[i].site;
    free(p->row[i].token);
  }
  p->n = to;
}

static bool same_file(const struct place *x, const struct place *y) {
  return x->file.n == y->file.n && !memcmp(x->file.s, y->file.s, x->file.n);
}

/* Longest common subsequence of a[0..n) and b[0..m). */
static bool pair_up(struct place *a, size_t n, struct place *b, size_t m, size_t a_base, size_t b_base) {
  while (n && m && !strcmp(a->token, b->token)) {
    a->partner = ++b_base;
    b->partner = ++a_base;
    a++, b++, n--, m--;
  }
  while (n && m && !strcmp(a[n - 1].token, b[m - 1].token)) {
    n--, m--;
    a[n].partner = b_base + m + 1;
    b[m].partner = a_base + n + 1;
  }
  if (!n || !m || n > CELLS_MAX / (m + 1) - 1)
    return true;
  uint32_t *length = calloc((n + 1) * (m + 1), sizeof(*length)); /* of what is left from i, j */
  if (!length)
    return false;
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;) {
      uint32_t *at = &length[i * (m + 1) + j], down = at[m + 1], right = at[1];
      *at = down > right ? down : right;
      if (!strcmp(a[i].token, b[j].token) && at[m + 2] + 1 > *at)
        *at = at[m + 2] + 1;
    }
  for (size_t i = 0, j = 0; i < n && j < m;) {
    const uint32_t *at = &length[i * (m + 1) + j];
    if (!strcmp(a[i].token, b[j].token) && at[0] == at[m + 2] + 1) {
      a[i].partner = b_base + j + 1;
      b[j].partner = a_base + i + 1;
      i++, j++;
    } else if (at[m + 1] >= at[1]) {
      i++;
    } else {
      j++;
    }
  }
  free(length);
  return true;
}

/* The constructs of one file: true if they stand at the same places on both sides. */
static bool same_constructs(const struct place *a, size_t n, const struct place *b, size_t m) {
  size_t i = 0, j = 0;
  for (;; i++, j++) {
    while (i < n && !a[i].construct)
      i++;
    while (j < m && !b[j].construct)
      j++;
    if (i == n || j == m)
      return i == n && j == m;
    if (a[i].line != b[j].line || a[i].column != b[j].column || strcmp(a[i].token, b[j].token) != 0)
      return false;
  }
}

/* One side may have recorded a part of what the other has; one of a job that was cut has. */
static bool in_parts(const struct dvmt_compare *c) { return c->options.limited || c->a_levels || c->options.by_sums; }

static bool same_place(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && !strcmp(a->token, b->token);
}

/* Whether all constructs of 'a' stand at the same places in 'b'. */
static bool is_part(const struct place *a, size_t n, const struct place *b, size_t m) {
  for (size_t i = 0; i < n; i++) {
    size_t j = 0;
    while (j < m && !same_place(&a[i], &b[j]))
      j++;
    if (a[i].construct && j == m)
      return false;
  }
  return true;
}

static void pair_same(struct place *a, size_t n, struct place *b, size_t m, size_t a_base, size_t b_base) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++)
      if (same_place(&a[i], &b[j])) {
        a[i].partner = b_base + j + 1;
        b[j].partner = a_base + i + 1;
      }
}

/* Where the reference's sites stand now. */
static void note_partners(struct dvmt_compare *c, const struct places *a, const struct places *b, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    for (uint32_t site = a->row[i].site; a->row[i].partner && site != NONE; site = a->same[site])
      c->partners[site] = b->row[a->row[i].partner - 1].site;
}

/* One file: the run's constructs get the keys of their partners; others ones of their own. */
static void take_keys(struct dvmt_compare *c, const struct places *a, const struct places *b, size_t first, size_t end) {
  for (size_t j = first; j < end && !c->rc; j++) {
    const struct place *p = &b->row[j];
    char name[512];
    if (!p->construct)
      continue;
    snprintf(name, sizeof(name), "\1new %s %u %u", p->token, p->line, p->column);
    uint32_t key = p->partner ? c->a.sites.key[a->row[p->partner - 1].site] : dvmt_cmp_intern(c, name);
    for (uint32_t site = p->site; site != NONE; site = b->same[site])
      c->b.sites.key[site] = key;
  }
}

static bool fill(struct places *p, size_t nsites) {
  p->row = calloc(nsites + 1, sizeof(*p->row));
  p->same = calloc(nsites + 1, sizeof(*p->same));
  return p->row && p->same;
}

void dvmt_cmp_match_places(struct dvmt_compare *c) {
  struct places a = {NULL, 0, NULL}, b = {NULL, 0, NULL};
  if (!dvmt_cmp_peek(c))
    return;
  c->partners = malloc((c->a.sites.n + 1) * sizeof(*c->partners));
  bool fine = c->partners && fill(&a, c->a.sites.n) && fill(&b, c->b.sites.n);
  c->npartners = fine ? c->a.sites.n : 0;
  for (size_t i = 0; i < c->npartners; i++)
    c->partners[i] = NONE;
  for (uint32_t i = 0; fine && i < c->a.sites.n; i++)
    fine = add_place(c, &a, dvmt_reader_site(c->reference, i), i, true);
  for (uint32_t i = 0; fine && i < c->b.sites.n; i++)
    fine = add_place(c, &b, &c->b_sites[i], i, false);
  if (fine) {
    sort_places(&a);
    sort_places(&b);
  }
  for (size_t i = 0; fine && i < a.n;) {
    size_t i_end = i, j = 0, j_end;
    while (i_end < a.n && same_file(&a.row[i], &a.row[i_end]))
      i_end++;
    while (j < b.n && !same_file(&a.row[i], &b.row[j]))
      j++;
    for (j_end = j; j_end < b.n && same_file(&a.row[i], &b.row[j_end]);)
      j_end++;
    struct place *of_a = a.row + i, *of_b = b.row + j;
    bool part = in_parts(c) && (is_part(of_a, i_end - i, of_b, j_end - j) || is_part(of_b, j_end - j, of_a, i_end - i));
    if (part)
      pair_same(of_a, i_end - i, of_b, j_end - j, i, j);
    else
      fine = pair_up(of_a, i_end - i, of_b, j_end - j, i, j);
    note_partners(c, &a, &b, i, i_end);
    if (!part && !same_constructs(a.row + i, i_end - i, b.row + j, j_end - j))
      take_keys(c, &a, &b, j, j_end);
    i = i_end;
  }
  if (!fine)
    c->rc = -ENOMEM;
  free_places(&a);
  free_places(&b);
}

const char *dvmt_cmp_place_text(const struct dvmt_compare *c, const struct item *a) {
  return a->site < c->npartners && c->partners[a->site] != NONE ? c->b_sites[c->partners[a->site]].text : dvmt_cmp_a_text(c, a);
}

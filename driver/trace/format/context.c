#include "driver/trace/format/context.h"
#include <errno.h>

void dvmt_context_init(struct dvmt_context *c) {
  memset(c, 0, sizeof(*c));
  c->iterating = -1;
}

void dvmt_context_fini(struct dvmt_context *c) {
  free(c->counts);
  dvmt_context_init(c);
}

static uint32_t *count_of(struct dvmt_context *c, uint32_t site) {
  if (site >= c->ncounts) {
    uint32_t *rows = realloc(c->counts, (site + 64u) * sizeof(*rows));
    if (!rows)
      return NULL;
    memset(rows + c->ncounts, 0, (site + 64u - c->ncounts) * sizeof(*rows));
    c->counts = rows;
    c->ncounts = site + 64u;
  }
  return &c->counts[site];
}

static void enter(struct dvmt_context *c, const struct dvmt_record *r, bool iterates) {
  uint32_t *count = c->iterating < 0 ? count_of(c, r->site) : NULL;
  if (c->depth == DVMT_CONTEXT_DEPTH || (c->iterating < 0 && !count)) {
    c->unknown = true;
    return;
  }
  if (iterates && c->iterating < 0)
    c->iterating = c->depth;
  if (count)
    *count = dvmt_next_number(*count, r->words);
  c->open[c->depth++] = (struct dvmt_context_open){.site = r->site, .execution = count ? *count : 0};
}

void dvmt_context_follow(struct dvmt_context *c, const struct dvmt_record *r, bool iterates) {
  if (c->unknown)
    return;
  if (r->kind == DVMT_ENTER)
    return enter(c, r, iterates);
  int d = c->depth;
  while (d && c->open[d - 1].site != r->site)
    d--;
  if (!d)
    return;
  if (r->kind == DVMT_LEAVE) {
    c->depth = d - 1;
    c->iterating = c->iterating < c->depth ? c->iterating : -1;
    return;
  }
  struct dvmt_context_open *o = &c->open[d - 1];
  o->has_iteration = true;
  o->nwords = r->nwords < DVMT_NDIMS_MAX ? r->nwords : DVMT_NDIMS_MAX;
  memcpy(o->words, r->words, o->nwords * 8u);
}

void dvmt_context_put(const struct dvmt_context *c, struct dvmt_bytes *out) {
  size_t n = 0;
  dvmt_bytes_number(out, c->unknown ? DVMT_CONTEXT_DEPTH + 1 : (uint64_t)c->depth);
  if (c->unknown)
    return;
  for (int d = 0; d < c->depth; d++) {
    const struct dvmt_context_open *o = &c->open[d];
    dvmt_bytes_number(out, o->site);
    dvmt_bytes_number(out, o->execution);
    dvmt_bytes_number(out, o->has_iteration ? 1 + o->nwords : 0);
    for (uint32_t i = 0; o->has_iteration && i < o->nwords; i++)
      dvmt_bytes_number(out, dvmt_zigzag((int64_t)o->words[i]));
  }
  for (size_t i = 0; i < c->ncounts; i++)
    n += c->counts[i] != 0;
  dvmt_bytes_number(out, n);
  for (size_t i = 0; i < c->ncounts; i++)
    if (c->counts[i]) {
      dvmt_bytes_number(out, i);
      dvmt_bytes_number(out, c->counts[i]);
    }
}

static int get_open(struct dvmt_context_open *o, struct dvmt_cursor *from, size_t nsites) {
  uint64_t site = dvmt_cursor_number(from), execution = dvmt_cursor_number(from), words = dvmt_cursor_number(from);
  if (site >= nsites || execution > UINT32_MAX || words > 1 + DVMT_NDIMS_MAX)
    return -EBADMSG;
  *o = (struct dvmt_context_open){
      .site = (uint32_t)site, .execution = (uint32_t)execution, .has_iteration = words != 0, .nwords = words ? (uint32_t)words - 1 : 0};
  for (uint32_t i = 0; i < o->nwords; i++)
    o->words[i] = (uint64_t)dvmt_unzigzag(dvmt_cursor_number(from));
  return 0;
}

int dvmt_context_get(struct dvmt_context *c, struct dvmt_cursor *from, size_t nsites) {
  uint64_t depth = dvmt_cursor_number(from);
  if (depth == DVMT_CONTEXT_DEPTH + 1)
    return -ENODATA;
  if (from->bad || depth > DVMT_CONTEXT_DEPTH)
    return -EBADMSG;
  for (c->depth = 0; c->depth < (int)depth; c->depth++)
    if (get_open(&c->open[c->depth], from, nsites))
      return -EBADMSG;
  uint64_t n = dvmt_cursor_number(from);
  if (c->ncounts)
    memset(c->counts, 0, c->ncounts * sizeof(*c->counts));
  for (; n && !from->bad; n--) {
    uint64_t site = dvmt_cursor_number(from), count = dvmt_cursor_number(from);
    if (site >= nsites || count > UINT32_MAX)
      return -EBADMSG;
    uint32_t *row = count_of(c, (uint32_t)site);
    if (!row)
      return -ENOMEM;
    *row = (uint32_t)count;
  }
  return from->bad ? -EBADMSG : 0;
}

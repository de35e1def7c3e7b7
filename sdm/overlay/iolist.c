#include "sdm/iolist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_BACK 64u /* how far a piece searches for its like */
#define SETS_BACK 16u /* .. and a set */
#define BLOCK_BYTES 65536u

/* Millions of lines of a few ranks: no line has memory of its own. */
struct block {
  struct block *next;
  size_t used, size;
  uint8_t p[];
};

struct sdm_iostore {
  struct block *blocks; /* the first one is filled; none ever moves */
  struct sdm_set **sets, *both;
  size_t nsets, cap;
};

void sdm_iolist_fini(struct sdm_iolist *l) {
  struct sdm_iostore *s = l->store;
  for (struct block *b = s ? s->blocks : NULL, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  for (size_t i = 0; s && i < s->nsets; i++)
    sdm_set_free(s->sets[i]);
  if (s) {
    sdm_set_free(s->both);
    free(s->sets);
  }
  free(s);
  free(l->pieces);
  *l = (struct sdm_iolist){0};
}

static struct sdm_iostore *store_of(struct sdm_iolist *l) {
  if (!l->store)
    l->store = sdm_alloc(sizeof(*l->store));
  return l->store;
}

static const uint8_t *keep_bytes(struct sdm_iostore *s, const void *p, size_t len) {
  struct block *b = s->blocks;
  if (!b || b->size - b->used < len) {
    size_t size = len > BLOCK_BYTES / 4 ? len : BLOCK_BYTES;
    b = sdm_realloc(NULL, sizeof(*b) + size);
    *b = (struct block){s->blocks, 0, size};
    s->blocks = b;
  }
  uint8_t *at = b->p + b->used;
  if (len)
    memcpy(at, p, len);
  b->used += len;
  return at;
}

/* The list's own copy, mostly one that it has. */
static const struct sdm_set *keep_set(struct sdm_iostore *s, const struct sdm_set *set) {
  for (size_t i = s->nsets; i-- > 0 && s->nsets - i <= SETS_BACK;)
    if (sdm_set_equal(s->sets[i], set))
      return s->sets[i];
  if (s->nsets == s->cap) {
    s->cap = s->cap ? s->cap * 2 : 8;
    s->sets = sdm_realloc(s->sets, s->cap * sizeof(*s->sets));
  }
  return s->sets[s->nsets++] = sdm_set_copy(set);
}

static bool alike(const struct sdm_piece *a, uint8_t stream, bool eof, const void *p, size_t len) {
  return a->stream == stream && a->eof == eof && a->bytes.len == len && (!len || !memcmp(a->bytes.p, p, len));
}

static void widen(struct sdm_iostore *s, struct sdm_piece *at, const struct sdm_set *set) {
  if (!s->both)
    s->both = sdm_set_new();
  sdm_set_union(sdm_set_assign(s->both, at->set), set);
  at->set = keep_set(s, s->both);
}

/* 'set' is the list's own. */
static bool join(struct sdm_iolist *l, uint8_t stream, bool eof, const struct sdm_set *set, const void *p, size_t len) {
  for (size_t i = l->n; i-- > 0 && l->n - i <= LOOK_BACK;) {
    struct sdm_piece *at = &l->pieces[i];
    if (at->set == set || sdm_set_overlaps(at->set, set))
      return false;
    if (alike(at, stream, eof, p, len)) {
      widen(l->store, at, set);
      return true;
    }
  }
  return false;
}

static void add(struct sdm_iolist *l, uint8_t stream, bool eof, const struct sdm_set *set, const void *p, size_t len) {
  if (join(l, stream, eof, set, p, len))
    return;
  if (l->n == l->cap) {
    l->cap = l->cap ? l->cap * 2 : 8;
    l->pieces = sdm_realloc(l->pieces, l->cap * sizeof(*l->pieces));
  }
  l->pieces[l->n++] = (struct sdm_piece){stream, eof, set, {keep_bytes(l->store, p, len), len}};
  l->bytes += len + 32;
}

void sdm_iolist_add(struct sdm_iolist *l, uint8_t stream, bool eof, const struct sdm_set *set, const void *p, size_t len) {
  add(l, stream, eof, keep_set(store_of(l), set), p, len);
}

void sdm_iolist_merge(struct sdm_iolist *into, const struct sdm_iolist *from) {
  const struct sdm_set *last = NULL, *own = NULL;
  for (size_t i = 0; i < from->n; i++) {
    const struct sdm_piece *p = &from->pieces[i];
    own = p->set == last ? own : keep_set(store_of(into), p->set);
    last = p->set;
    add(into, p->stream, p->eof, own, p->bytes.p, p->bytes.len);
  }
}

void sdm_iolist_encode(const struct sdm_iolist *l, struct sdm_bytes *out) {
  const struct sdm_set *last = NULL;
  size_t set_at = 0, set_len = 0;
  sdm_bytes_varint(out, l->n);
  for (size_t i = 0; i < l->n; i++) {
    const struct sdm_piece *p = &l->pieces[i];
    sdm_bytes_u8(out, (uint8_t)(p->stream | p->eof << 7));
    size_t start = out->len;
    if (p->set == last) {
      uint8_t *at = sdm_bytes_grow(out, set_len);
      memcpy(at, out->p + set_at, set_len);
    } else {
      char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(p->set));
      out->len = start + sdm_set_serialize(p->set, at, NULL);
      last = p->set;
      set_at = start;
      set_len = out->len - start;
    }
    sdm_bytes_block(out, p->bytes.p, p->bytes.len);
  }
}

struct reader {
  struct sdm_set *set;       /* to read into */
  const struct sdm_set *own; /* the last one, as the list has it */
  const uint8_t *at;         /* .. and its bytes */
  size_t len;
};

/* The set of a piece, mostly in the very bytes of the one before.  NULL: it is none. */
static const struct sdm_set *read_set(struct reader *r, struct sdm_iolist *l, struct sdm_cursor *c) {
  if (c->bad)
    return NULL;
  if (r->own && sdm_cursor_left(c) >= r->len && !memcmp(c->p, r->at, r->len)) {
    c->p += r->len;
    return r->own;
  }
  long used = sdm_set_deserialize(r->set, (const char *)c->p, sdm_cursor_left(c), NULL);
  if (used <= 0 || sdm_set_is_empty(r->set))
    return NULL;
  *r = (struct reader){r->set, keep_set(store_of(l), r->set), c->p, (size_t)used};
  c->p += used;
  return r->own;
}

int sdm_iolist_decode(struct sdm_iolist *l, const void *p, size_t len, sdm_id max) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  struct reader r = {.set = sdm_set_new_limited(max)};
  *l = (struct sdm_iolist){0};
  uint64_t n = sdm_cursor_varint(&c);
  bool good = !c.bad && n <= len;
  while (good && n--) {
    uint8_t head = sdm_cursor_u8(&c);
    size_t size;
    const struct sdm_set *set = (head & 127) <= SDM_STDERR ? read_set(&r, l, &c) : NULL;
    const uint8_t *bytes = set ? sdm_cursor_block(&c, &size) : NULL;
    good = set && !c.bad;
    if (good)
      add(l, head & 127, head >> 7, set, bytes, size);
  }
  sdm_set_free(r.set);
  if (good && !sdm_cursor_left(&c))
    return 0;
  sdm_iolist_fini(l);
  return -EBADMSG;
}

#include "sdm/set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/bytes.h"
#include "sdm/set/set_private.h"

enum op { OP_OR, OP_AND, OP_DIFF, OP_XOR };

struct sdm_set *sdm_set_new_limited(sdm_id max) {
  struct sdm_set *set = sdm_alloc(sizeof(*set));
  set->max = max > SDM_ID_MAX ? SDM_ID_MAX : max;
  return set;
}

struct sdm_set *sdm_set_new(void) { return sdm_set_new_limited(SDM_ID_MAX); }

static void chunk_fini(struct chunk *c) {
  free(c->bits);
  free(c->heap);
}

struct sdm_set *sdm_set_clear(struct sdm_set *set) {
  for (size_t i = 0; i < set->nchunks; i++)
    chunk_fini(&set->chunks[i]);
  set->nchunks = 0;
  return set;
}

void sdm_set_free(struct sdm_set *set) {
  if (!set)
    return;
  sdm_set_clear(set);
  free(set->chunks);
  free(set);
}

static struct chunk chunk_copy(const struct chunk *c) {
  struct chunk copy = *c;
  if (c->bits)
    copy.bits = sdm_memdup(c->bits, CHUNK_WORDS * 8);
  if (c->heap)
    copy.heap = sdm_memdup(c->heap, c->nruns * sizeof(struct run));
  return copy;
}

static void push_chunk(struct sdm_set *set, struct chunk c) {
  if (set->nchunks == set->cap) {
    set->cap = set->cap ? set->cap * 2 : 1;
    set->chunks = sdm_realloc(set->chunks, set->cap * sizeof(struct chunk));
  }
  set->chunks[set->nchunks++] = c;
}

struct sdm_set *sdm_set_copy(const struct sdm_set *set) { return sdm_set_assign(sdm_set_new_limited(set->max), set); }

static void bits_range(uint64_t *bits, uint32_t lo, uint32_t hi) {
  uint64_t first = ~0ull << (lo & 63), last = ~0ull >> (63 - (hi & 63));
  if (lo / 64 == hi / 64) {
    bits[lo / 64] |= first & last;
    return;
  }
  bits[lo / 64] |= first;
  for (uint32_t w = lo / 64 + 1; w < hi / 64; w++)
    bits[w] = ~0ull;
  bits[hi / 64] |= last;
}

/* The chunk as a bitmap: its own, or 'scratch' filled from the runs.  NULL is the empty chunk. */
static const uint64_t *chunk_bits(const struct chunk *c, uint64_t *scratch) {
  if (c && c->bits)
    return c->bits;
  memset(scratch, 0, CHUNK_WORDS * 8);
  for (uint32_t i = 0; c && i < c->nruns; i++)
    bits_range(scratch, chunk_runs(c)[i].first, chunk_runs(c)[i].last);
  return scratch;
}

static uint32_t bits_next(const uint64_t *bits, uint32_t from, uint64_t flip) {
  for (uint32_t w = from / 64; w < CHUNK_WORDS; w++) {
    uint64_t v = bits[w] ^ flip;
    if (w == from / 64)
      v &= ~0ull << (from & 63);
    if (v)
      return w * 64 + (uint32_t)__builtin_ctzll(v);
  }
  return CHUNK_BITS;
}

static struct chunk chunk_from_runs(uint32_t key, const struct run *runs, uint32_t n) {
  struct chunk c = {.key = key, .nruns = n};
  for (uint32_t i = 0; i < n; i++)
    c.count += runs[i].last - runs[i].first + 1u;
  if (n > RUNS_MAX) {
    c.bits = sdm_alloc(CHUNK_WORDS * 8);
    for (uint32_t i = 0; i < n; i++)
      bits_range(c.bits, runs[i].first, runs[i].last);
  } else if (n > RUNS_INLINE)
    c.heap = sdm_memdup(runs, n * sizeof(*runs));
  else if (n)
    memcpy(c.in, runs, n * sizeof(*runs));
  return c;
}

static struct chunk chunk_from_bits(uint32_t key, const uint64_t *bits) {
  uint32_t count = 0, nruns = 0;
  uint64_t carry = 0;
  for (uint32_t w = 0; w < CHUNK_WORDS; w++) {
    count += (uint32_t)__builtin_popcountll(bits[w]);
    nruns += (uint32_t)__builtin_popcountll(bits[w] & ~(bits[w] << 1 | carry));
    carry = bits[w] >> 63;
  }
  if (nruns > RUNS_MAX)
    return (struct chunk){.key = key, .count = count, .nruns = nruns, .bits = sdm_memdup(bits, CHUNK_WORDS * 8)};
  struct run runs[RUNS_MAX + 1];
  uint32_t n = 0;
  for (uint32_t at = bits_next(bits, 0, 0); at < CHUNK_BITS;) {
    uint32_t end = bits_next(bits, at, ~0ull);
    runs[n++] = (struct run){(uint16_t)at, (uint16_t)(end - 1)};
    at = end < CHUNK_BITS ? bits_next(bits, end, 0) : CHUNK_BITS;
  }
  return chunk_from_runs(key, runs, n);
}

void sdm_set_append_bits(struct sdm_set *set, uint32_t key, const uint64_t *bits) {
  struct chunk c = chunk_from_bits(key, bits);
  if (c.count)
    push_chunk(set, c);
}

void sdm_set_append_runs(struct sdm_set *set, uint32_t key, const struct run *runs, uint32_t n) {
  push_chunk(set, chunk_from_runs(key, runs, n));
}

static bool op_bit(enum op op, bool a, bool b) {
  switch (op) {
  case OP_OR: return a || b;
  case OP_AND: return a && b;
  case OP_DIFF: return a && !b;
  default: return a != b;
  }
}

/* Sweeps both run lists edge by edge.  'out' holds na + nb + 1 runs at most. */
static uint32_t runs_op(enum op op, const struct run *a, uint32_t na, const struct run *b, uint32_t nb, struct run *out) {
  uint32_t n = 0, i = 0, j = 0, start = 0;
  bool in_a = false, in_b = false, in = false;
  while (i < na || j < nb) {
    uint32_t ea = i >= na ? ~0u : in_a ? a[i].last + 1u : a[i].first;
    uint32_t eb = j >= nb ? ~0u : in_b ? b[j].last + 1u : b[j].first;
    uint32_t at = ea < eb ? ea : eb;
    if (ea == at) {
      i += in_a;
      in_a = !in_a;
    }
    if (eb == at) {
      j += in_b;
      in_b = !in_b;
    }
    /* Two runs of one list never touch, so an edge of one list cannot close and open at the same place. */
    bool now = op_bit(op, in_a, in_b);
    if (now && !in)
      start = at;
    else if (!now && in)
      out[n++] = (struct run){(uint16_t)start, (uint16_t)(at - 1)};
    in = now;
  }
  return n;
}

static struct chunk chunk_op(enum op op, uint32_t key, const struct chunk *a, const struct chunk *b) {
  if ((!a || !a->bits) && (!b || !b->bits)) {
    struct run out[2 * RUNS_MAX + 2];
    uint32_t na = a ? a->nruns : 0, nb = b ? b->nruns : 0;
    uint32_t n = runs_op(op, a ? chunk_runs(a) : NULL, na, b ? chunk_runs(b) : NULL, nb, out);
    return chunk_from_runs(key, out, n);
  }
  uint64_t sa[CHUNK_WORDS], sb[CHUNK_WORDS];
  const uint64_t *x = chunk_bits(a, sa), *y = chunk_bits(b, sb);
  for (uint32_t w = 0; w < CHUNK_WORDS; w++)
    sa[w] = op == OP_OR ? x[w] | y[w] : op == OP_AND ? x[w] & y[w] : op == OP_DIFF ? x[w] & ~y[w] : x[w] ^ y[w];
  return chunk_from_bits(key, sa);
}

static struct sdm_set *set_op(enum op op, struct sdm_set *a, const struct sdm_set *b) {
  struct sdm_set out = {.max = a->max};
  size_t i = 0, j = 0;
  while (i < a->nchunks || j < b->nchunks) {
    uint32_t ka = i < a->nchunks ? a->chunks[i].key : ~0u, kb = j < b->nchunks ? b->chunks[j].key : ~0u;
    struct chunk *ca = ka <= kb ? &a->chunks[i++] : NULL;
    const struct chunk *cb = kb <= ka ? &b->chunks[j++] : NULL;
    struct chunk c = {0};
    if (ca && cb)
      c = chunk_op(op, ka, ca, cb);
    else if (ca ? op != OP_AND : op == OP_OR || op == OP_XOR)
      c = chunk_copy(ca ? ca : cb);
    if (c.count)
      push_chunk(&out, c);
  }
  sdm_set_clear(a);
  free(a->chunks);
  *a = out;
  return a;
}

struct sdm_set *sdm_set_assign(struct sdm_set *set, const struct sdm_set *from) {
  if (set == from)
    return set;
  if (sdm_set_last(from) != SDM_ID_NONE && sdm_set_last(from) > set->max)
    return NULL;
  sdm_set_clear(set);
  for (size_t i = 0; i < from->nchunks; i++)
    push_chunk(set, chunk_copy(&from->chunks[i]));
  return set;
}

struct sdm_set *sdm_set_union(struct sdm_set *set1, const struct sdm_set *set2) {
  sdm_id last = sdm_set_last(set2);
  if (last != SDM_ID_NONE && last > set1->max)
    return NULL;
  return set1 == set2 ? set1 : set_op(OP_OR, set1, set2);
}

struct sdm_set *sdm_set_intersect(struct sdm_set *set1, const struct sdm_set *set2) {
  return set1 == set2 ? set1 : set_op(OP_AND, set1, set2);
}

struct sdm_set *sdm_set_diff(struct sdm_set *set1, const struct sdm_set *set2) {
  return set1 == set2 ? sdm_set_clear(set1) : set_op(OP_DIFF, set1, set2);
}

struct sdm_set *sdm_set_xor(struct sdm_set *set1, const struct sdm_set *set2) {
  if (set1 == set2)
    return sdm_set_clear(set1);
  sdm_id last = sdm_set_last(set2);
  if (last != SDM_ID_NONE && last > set1->max)
    return NULL;
  return set_op(OP_XOR, set1, set2);
}

/* Index of the chunk with 'key', or of the place where it would go. */
static size_t find_chunk(const struct sdm_set *set, uint32_t key) {
  size_t lo = 0, hi = set->nchunks;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (set->chunks[mid].key < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void chunk_range(struct sdm_set *set, uint32_t key, uint32_t lo, uint32_t hi, bool add) {
  struct chunk one = {.key = key, .count = hi - lo + 1, .nruns = 1, .in = {{(uint16_t)lo, (uint16_t)hi}}};
  size_t at = find_chunk(set, key);
  bool there = at < set->nchunks && set->chunks[at].key == key;
  if (!there && !add)
    return;
  if (!there) {
    push_chunk(set, one);
    memmove(&set->chunks[at + 1], &set->chunks[at], (set->nchunks - 1 - at) * sizeof(struct chunk));
    set->chunks[at] = one;
    return;
  }
  struct chunk *c = &set->chunks[at], result = chunk_op(add ? OP_OR : OP_DIFF, key, c, &one);
  chunk_fini(c);
  *c = result;
  if (!result.count) {
    memmove(c, c + 1, (set->nchunks - 1 - at) * sizeof(struct chunk));
    set->nchunks--;
  }
}

static void set_range(struct sdm_set *set, sdm_id lo, sdm_id hi, bool add) {
  for (uint32_t key = lo / CHUNK_BITS; lo <= hi && key <= hi / CHUNK_BITS; key++) {
    uint32_t base = key * CHUNK_BITS;
    uint32_t first = lo > base ? lo - base : 0;
    uint32_t last = hi - base < CHUNK_BITS ? hi - base : CHUNK_BITS - 1;
    chunk_range(set, key, first, last, add);
  }
}

struct sdm_set *sdm_set_add_range(struct sdm_set *set, sdm_id lo, sdm_id hi) {
  if (lo > hi)
    return set;
  if (hi > set->max)
    return NULL;
  set_range(set, lo, hi, true);
  return set;
}

struct sdm_set *sdm_set_remove_range(struct sdm_set *set, sdm_id lo, sdm_id hi) {
  set_range(set, lo, hi > set->max ? set->max : hi, false);
  return set;
}

static bool bit_at(const uint64_t *bits, uint32_t bit) { return bit < CHUNK_BITS && bits[bit / 64] >> (bit & 63) & 1; }

/* The two cheap ways in, for sets that are built id by id: a bitmap, and the end of a run list. */
static bool add_quick(struct chunk *c, uint32_t bit) {
  if (c->bits) {
    uint32_t merged = bit_at(c->bits, bit - 1) + bit_at(c->bits, bit + 1);
    if (c->nruns + 1 - merged <= RUNS_MAX)
      return false;
    c->nruns = c->nruns + 1 - merged;
    c->bits[bit / 64] |= 1ull << (bit & 63);
    c->count++;
    return true;
  }
  struct run *runs = c->heap ? c->heap : c->in;
  uint32_t last = runs[c->nruns - 1].last;
  if (bit <= last || (bit > last + 1 && (c->nruns < RUNS_INLINE || c->nruns >= RUNS_MAX)))
    return false;
  c->count++;
  if (bit == last + 1) {
    runs[c->nruns - 1].last = (uint16_t)bit;
    return true;
  }
  c->heap = sdm_realloc(c->heap, (c->nruns + 1) * sizeof(*runs));
  if (c->nruns == RUNS_INLINE)
    memcpy(c->heap, c->in, sizeof(c->in));
  c->heap[c->nruns++] = (struct run){(uint16_t)bit, (uint16_t)bit};
  return true;
}

struct sdm_set *sdm_set_add_element(struct sdm_set *set, sdm_id id) {
  if (sdm_set_contains(set, id))
    return set;
  size_t at = find_chunk(set, id / CHUNK_BITS);
  if (id <= set->max && at < set->nchunks && set->chunks[at].key == id / CHUNK_BITS && add_quick(&set->chunks[at], id % CHUNK_BITS))
    return set;
  return sdm_set_add_range(set, id, id);
}

struct sdm_set *sdm_set_remove_element(struct sdm_set *set, sdm_id id) {
  return sdm_set_contains(set, id) ? sdm_set_remove_range(set, id, id) : set;
}

struct sdm_set *sdm_set_add_all(struct sdm_set *set, sdm_id id) { return sdm_set_add_range(set, 0, id); }

uint32_t sdm_set_size(const struct sdm_set *set) {
  uint32_t n = 0;
  for (size_t i = 0; i < set->nchunks; i++)
    n += set->chunks[i].count;
  return n;
}

bool sdm_set_is_empty(const struct sdm_set *set) { return !set->nchunks; }

bool sdm_set_contains(const struct sdm_set *set, sdm_id id) {
  size_t at = find_chunk(set, id / CHUNK_BITS);
  if (at == set->nchunks || set->chunks[at].key != id / CHUNK_BITS)
    return false;
  const struct chunk *c = &set->chunks[at];
  uint32_t bit = id % CHUNK_BITS, lo = 0, hi = c->nruns;
  if (c->bits)
    return c->bits[bit / 64] >> (bit & 63) & 1;
  const struct run *runs = chunk_runs(c);
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (runs[mid].last < bit)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < c->nruns && runs[lo].first <= bit;
}

bool sdm_set_equal(const struct sdm_set *set1, const struct sdm_set *set2) {
  if (set1->nchunks != set2->nchunks)
    return false;
  for (size_t i = 0; i < set1->nchunks; i++) {
    const struct chunk *a = &set1->chunks[i], *b = &set2->chunks[i];
    if (a->key != b->key || a->count != b->count || a->nruns != b->nruns)
      return false;
    if (a->bits ? memcmp(a->bits, b->bits, CHUNK_WORDS * 8) : memcmp(chunk_runs(a), chunk_runs(b), a->nruns * sizeof(struct run)))
      return false;
  }
  return true;
}

bool sdm_set_compare(const struct sdm_set *set1, const struct sdm_set *set2) { return !sdm_set_equal(set1, set2); }

bool sdm_set_is_subset(const struct sdm_set *set1, const struct sdm_set *set2) {
  struct sdm_set *rest = sdm_set_diff(sdm_set_copy(set1), set2);
  bool subset = sdm_set_is_empty(rest);
  sdm_set_free(rest);
  return subset;
}

static bool chunk_overlaps(const struct chunk *a, const struct chunk *b) {
  if (a->bits || b->bits) {
    uint64_t sa[CHUNK_WORDS], sb[CHUNK_WORDS];
    const uint64_t *x = chunk_bits(a, sa), *y = chunk_bits(b, sb);
    for (uint32_t w = 0; w < CHUNK_WORDS; w++)
      if (x[w] & y[w])
        return true;
    return false;
  }
  const struct run *x = chunk_runs(a), *y = chunk_runs(b);
  for (uint32_t i = 0, j = 0; i < a->nruns && j < b->nruns;)
    if (x[i].last < y[j].first)
      i++;
    else if (y[j].last < x[i].first)
      j++;
    else
      return true;
  return false;
}

bool sdm_set_overlaps(const struct sdm_set *set1, const struct sdm_set *set2) {
  for (size_t i = 0, j = 0; i < set1->nchunks && j < set2->nchunks;)
    if (set1->chunks[i].key < set2->chunks[j].key)
      i++;
    else if (set2->chunks[j].key < set1->chunks[i].key)
      j++;
    else if (chunk_overlaps(&set1->chunks[i++], &set2->chunks[j++]))
      return true;
  return false;
}

sdm_id sdm_set_max(const struct sdm_set *set) { return set->max; }

sdm_id sdm_set_last(const struct sdm_set *set) {
  if (!set->nchunks)
    return SDM_ID_NONE;
  const struct chunk *c = &set->chunks[set->nchunks - 1];
  if (!c->bits)
    return c->key * CHUNK_BITS + chunk_runs(c)[c->nruns - 1].last;
  uint32_t w = CHUNK_WORDS - 1;
  while (!c->bits[w])
    w--;
  return c->key * CHUNK_BITS + w * 64 + 63 - (uint32_t)__builtin_clzll(c->bits[w]);
}

struct sdm_set_iter sdm_set_iter(const struct sdm_set *set) { return (struct sdm_set_iter){.set = set}; }

static bool next_range(struct sdm_set_iter *it, sdm_id *lo, sdm_id *hi) {
  for (; it->chunk < it->set->nchunks; it->chunk++, it->run = 0, it->bit = 0) {
    const struct chunk *c = &it->set->chunks[it->chunk];
    uint32_t base = c->key * CHUNK_BITS;
    if (c->bits) {
      uint32_t at = it->bit < CHUNK_BITS ? bits_next(c->bits, it->bit, 0) : CHUNK_BITS;
      if (at == CHUNK_BITS)
        continue;
      it->bit = bits_next(c->bits, at, ~0ull);
      *lo = base + at;
      *hi = base + it->bit - 1;
      return true;
    }
    if (it->run < c->nruns) {
      const struct run *r = &chunk_runs(c)[it->run++];
      *lo = base + r->first;
      *hi = base + r->last;
      return true;
    }
  }
  return false;
}

bool sdm_set_iter_range(struct sdm_set_iter *it, sdm_id *lo, sdm_id *hi) {
  if (!it->open)
    return next_range(it, lo, hi);
  it->open = false;
  *lo = it->at;
  *hi = it->last;
  return true;
}

bool sdm_set_iter_id(struct sdm_set_iter *it, sdm_id *id) {
  if (!it->open && !next_range(it, &it->at, &it->last))
    return false;
  *id = it->at;
  it->open = it->at++ < it->last;
  return true;
}

sdm_id sdm_set_first(struct sdm_set *set) {
  set->walk = sdm_set_iter(set);
  set->walk_done = false;
  return sdm_set_next(set);
}

sdm_id sdm_set_next(struct sdm_set *set) {
  sdm_id id = SDM_ID_NONE;
  if (!set->walk.set || !sdm_set_iter_id(&set->walk, &id))
    set->walk_done = true;
  return set->walk_done ? SDM_ID_NONE : id;
}

bool sdm_set_done(const struct sdm_set *set) { return set->walk_done; }

/* Canonical wire form and text form of process sets; the wire form is described in docs/sdm-protocol.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/bytes.h"
#include "sdm/set.h"
#include "sdm/set/set_private.h"

enum form { FORM_EMPTY, FORM_ITEMS, FORM_COMPLEMENT, FORM_CHUNKS };
enum item { ITEM_ONE, ITEM_RANGE, ITEM_STRIDE };

#define STRIDE_MIN 4u    /* shorter progressions are written one by one */
#define LOOK_ITEMS 256u  /* after so many items the final size is estimated */

/* Maximal ranges of a set, or the gaps between them, inside [lo, hi]. */
struct source {
  struct sdm_set_iter it;
  bool complement, have;
  sdm_id lo, hi;   /* the range that was read ahead */
  uint64_t gap;    /* complement: first id not yet covered */
};

static bool read_ahead(struct source *s) { return s->have = sdm_set_iter_range(&s->it, &s->lo, &s->hi); }

static bool source_next(struct source *s, sdm_id *lo, sdm_id *hi) {
  if (!s->have)
    return false;
  *lo = s->lo;
  *hi = s->hi;
  while (read_ahead(s) && s->lo == *hi + 1)
    *hi = s->hi;
  if (!s->complement)
    return true;
  if (!s->have)
    return false;
  *lo = *hi + 1;
  *hi = s->lo - 1;
  return true;
}

static struct source source_of(const struct sdm_set *set, bool complement) {
  struct source s = {.it = sdm_set_iter(set), .complement = complement};
  read_ahead(&s);
  return s;
}

struct writer {
  struct sdm_bytes *out;
  size_t start, limit;  /* gives up past 'limit' bytes */
  uint64_t end, base, span;
  uint32_t items;
  sdm_id first, stride; /* pending progression of single ids */
  uint32_t count;
};

static void put_item(struct writer *w, enum item kind, sdm_id first, uint64_t a, uint64_t b, sdm_id last) {
  sdm_bytes_varint(w->out, (first - w->end) << 2 | kind);
  if (kind != ITEM_ONE)
    sdm_bytes_varint(w->out, a);
  if (kind == ITEM_STRIDE)
    sdm_bytes_varint(w->out, b);
  w->end = (uint64_t)last + 1;
  w->items++;
}

static void flush_one(struct writer *w) {
  if (w->count >= STRIDE_MIN) {
    sdm_id last = w->first + (w->count - 1) * w->stride;
    put_item(w, ITEM_STRIDE, w->first, w->count - STRIDE_MIN, w->stride - 2, last);
    w->count = 0;
    return;
  }
  put_item(w, ITEM_ONE, w->first, 0, 0, w->first);
  w->first += w->stride;
  w->count--;
}

static void add_single(struct writer *w, sdm_id id) {
  while (w->count > 1 && id != w->first + w->count * w->stride)
    flush_one(w);
  if (w->count == 1)
    w->stride = id - w->first;
  if (!w->count)
    w->first = id;
  w->count++;
}

/* The rule that ends a hopeless attempt is a function of the set alone, so the form stays canonical. */
static bool hopeless(const struct writer *w) {
  size_t used = w->out->len - w->start;
  if (used > w->limit)
    return true;
  if (w->items < LOOK_ITEMS || w->items % LOOK_ITEMS)
    return false;
  return (double)used * (double)w->span > 2.0 * (double)w->limit * (double)(w->end - w->base);
}

/* Appends the items (count first) if they take at most 'limit' bytes; else leaves 'out' as it was. */
static bool write_items(struct sdm_bytes *out, struct source s, sdm_id base, sdm_id last, size_t limit) {
  struct sdm_bytes body = {0};
  struct writer w = {.out = &body, .limit = limit, .end = base, .base = base, .span = (uint64_t)last - base + 1};
  sdm_id lo, hi;
  bool fits = true;
  while (fits && source_next(&s, &lo, &hi)) {
    if (lo == hi)
      add_single(&w, lo);
    else {
      while (w.count)
        flush_one(&w);
      put_item(&w, ITEM_RANGE, lo, hi - lo - 1, 0, hi);
    }
    fits = !hopeless(&w);
  }
  while (w.count)
    flush_one(&w);
  fits = fits && body.len + sdm_varint_size(w.items) <= limit;
  if (fits) {
    sdm_bytes_varint(out, w.items);
    sdm_bytes_add(out, body.p, body.len);
  }
  sdm_bytes_fini(&body);
  return fits;
}

static sdm_id set_lowest(const struct sdm_set *set) {
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id id = 0;
  sdm_set_iter_id(&it, &id);
  return id;
}

static bool write_chunks(struct sdm_bytes *out, const struct sdm_set *set, size_t limit) {
  size_t start = out->len;
  uint32_t next = 0;
  sdm_bytes_varint(out, set->nchunks);
  for (size_t i = 0; i < set->nchunks && out->len - start <= limit; i++) {
    const struct chunk *c = &set->chunks[i];
    struct chunk alone = *c;
    alone.key = 0;
    struct sdm_set one = {.max = CHUNK_BITS - 1, .nchunks = 1, .chunks = &alone};
    struct sdm_bytes items = {0};
    bool small = write_items(&items, source_of(&one, false), 0, CHUNK_BITS - 1, CHUNK_WORDS * 8 - 1);
    sdm_bytes_varint(out, (uint64_t)(c->key - next) << 1 | !small);
    next = c->key + 1;
    if (small)
      sdm_bytes_add(out, items.p, items.len);
    else if (c->bits)
      sdm_bytes_add(out, c->bits, CHUNK_WORDS * 8);
    else {
      uint64_t *bits = (uint64_t *)sdm_alloc(CHUNK_WORDS * 8);
      for (uint32_t r = 0; r < c->nruns; r++)
        for (uint32_t b = chunk_runs(c)[r].first; b <= chunk_runs(c)[r].last; b++)
          bits[b / 64] |= 1ull << (b & 63);
      sdm_bytes_add(out, bits, CHUNK_WORDS * 8);
      free(bits);
    }
    sdm_bytes_fini(&items);
  }
  return out->len - start <= limit;
}

static void encode(const struct sdm_set *set, struct sdm_bytes *out) {
  if (!set->nchunks) {
    sdm_bytes_u8(out, FORM_EMPTY);
    return;
  }
  sdm_id lo = set_lowest(set), last = sdm_set_last(set);
  size_t best = sdm_set_serialized_length(set);
  struct sdm_bytes tries[3] = {0};
  int chosen = -1;
  sdm_bytes_u8(&tries[0], FORM_ITEMS);
  if (write_items(&tries[0], source_of(set, false), 0, last, best)) {
    best = tries[0].len - 1;
    chosen = 0;
  }
  if (best > 8) { /* nothing below is shorter than that */
    sdm_bytes_u8(&tries[1], FORM_COMPLEMENT);
    sdm_bytes_varint(&tries[1], lo);
    sdm_bytes_varint(&tries[1], last - lo);
    size_t head = tries[1].len - 1;
    if (best > head && write_items(&tries[1], source_of(set, true), lo, last, best - head - 1)) {
      best = tries[1].len - 1;
      chosen = 1;
    }
    sdm_bytes_u8(&tries[2], FORM_CHUNKS);
    if (write_chunks(&tries[2], set, chosen < 0 ? best : best - 1))
      chosen = 2;
  }
  sdm_bytes_add(out, tries[chosen].p, tries[chosen].len);
  for (int i = 0; i < 3; i++)
    sdm_bytes_fini(&tries[i]);
}

size_t sdm_set_serialized_length(const struct sdm_set *set) {
  size_t n = 16;
  for (size_t i = 0; i < set->nchunks; i++) {
    size_t items = (size_t)set->chunks[i].nruns * 8 + 8;
    n += 6 + (items < CHUNK_WORDS * 8 ? items : CHUNK_WORDS * 8);
  }
  return n;
}

size_t sdm_set_serialize(const struct sdm_set *set, char *buf, char **end) {
  struct sdm_bytes out = {0};
  encode(set, &out);
  size_t n = out.len;
  memcpy(buf, out.p, n);
  sdm_bytes_fini(&out);
  if (end)
    *end = buf + n;
  return n;
}

/* Decoding: every id is checked against the limit before anything is stored for it.  Items rise, so the set grows chunk
 * by chunk at its end. */
struct builder {
  struct sdm_set *set;
  uint64_t key;
  uint32_t nruns; /* of the chunk at hand; above RUNS_MAX the bitmap has them */
  struct run runs[RUNS_MAX];
  uint64_t bits[CHUNK_WORDS];
};

static void builder_flush(struct builder *b) {
  if (b->nruns > RUNS_MAX)
    sdm_set_append_bits(b->set, (uint32_t)b->key, b->bits);
  else if (b->nruns)
    sdm_set_append_runs(b->set, (uint32_t)b->key, b->runs, b->nruns);
  b->nruns = 0;
}

/* [first, last] of chunk 'key', behind all that came before. */
static void builder_run(struct builder *b, uint64_t key, uint32_t first, uint32_t last) {
  if (key != b->key)
    builder_flush(b);
  b->key = key;
  if (b->nruns && b->nruns <= RUNS_MAX && first == b->runs[b->nruns - 1].last + 1u) {
    b->runs[b->nruns - 1].last = (uint16_t)last; /* not canonical, which shows at the end */
    return;
  }
  if (b->nruns < RUNS_MAX) {
    b->runs[b->nruns++] = (struct run){(uint16_t)first, (uint16_t)last};
    return;
  }
  if (b->nruns++ == RUNS_MAX) {
    memset(b->bits, 0, sizeof(b->bits));
    for (uint32_t i = 0; i < RUNS_MAX; i++)
      for (uint32_t id = b->runs[i].first; id <= b->runs[i].last; id++)
        b->bits[id / 64] |= 1ull << (id & 63);
  }
  for (uint32_t id = first; id <= last; id++)
    b->bits[id / 64] |= 1ull << (id & 63);
}

static void builder_add(struct builder *b, uint64_t first, uint64_t last, uint64_t step) {
  if (step == 1 && last - first >= CHUNK_BITS) { /* a long range takes no bitmap */
    builder_flush(b);
    sdm_set_add_range(b->set, (sdm_id)first, (sdm_id)(last - last % CHUNK_BITS - 1)); /* at least one whole chunk, or the rest of one */
    first = last - last % CHUNK_BITS;
  }
  for (uint64_t id = first; id <= last; id += step) {
    uint64_t key = id / CHUNK_BITS, end = step > 1 ? id : last;
    if (end / CHUNK_BITS != key)
      end = key * CHUNK_BITS + CHUNK_BITS - 1;
    builder_run(b, key, (uint32_t)(id % CHUNK_BITS), (uint32_t)(end % CHUNK_BITS));
    id = step > 1 ? id : end;
  }
}

static bool read_items(struct sdm_cursor *c, struct sdm_set *set, uint64_t base, uint64_t limit, bool add) {
  uint64_t n = sdm_cursor_varint(c), at = base;
  if (c->bad || n > sdm_cursor_left(c))
    return false;
  static _Thread_local struct builder b; /* large, and not worth clearing */
  b.set = sdm_set_new();
  b.nruns = 0;
  bool good = true;
  while (good && n--) {
    uint64_t head = sdm_cursor_varint(c), first = at + (head >> 2), last = first;
    unsigned kind = head & 3;
    uint64_t x = kind ? sdm_cursor_varint(c) : 0, y = kind == ITEM_STRIDE ? sdm_cursor_varint(c) : 0;
    good = !c->bad && kind <= ITEM_STRIDE && head >> 2 <= limit && x <= limit && y <= limit;
    if (good && kind == ITEM_RANGE)
      last = first + x + 1;
    if (good && kind == ITEM_STRIDE)
      last = first + (x + STRIDE_MIN - 1) * (y + 2);
    good = good && last <= limit;
    if (good)
      builder_add(&b, first, last, kind == ITEM_STRIDE ? y + 2 : 1);
    at = last + 1;
  }
  builder_flush(&b);
  if (good && add)
    sdm_set_union(set, b.set);
  else if (good)
    sdm_set_diff(set, b.set);
  sdm_set_free(b.set);
  return good;
}

static bool read_complement(struct sdm_cursor *c, struct sdm_set *set) {
  uint64_t lo = sdm_cursor_varint(c), span = sdm_cursor_varint(c);
  if (c->bad || lo > set->max || span > set->max - lo)
    return false;
  sdm_set_add_range(set, (sdm_id)lo, (sdm_id)(lo + span));
  return read_items(c, set, lo, lo + span, false);
}

static bool read_chunks(struct sdm_cursor *c, struct sdm_set *set) {
  uint64_t n = sdm_cursor_varint(c), key = 0;
  if (c->bad || n > sdm_cursor_left(c))
    return false;
  while (n--) {
    uint64_t head = sdm_cursor_varint(c);
    if (c->bad || head >> 1 > set->max / CHUNK_BITS)
      return false;
    key += head >> 1;
    uint64_t base = key * CHUNK_BITS, limit = base + CHUNK_BITS - 1;
    if (base > set->max)
      return false;
    if (head & 1) {
      uint64_t bits[CHUNK_WORDS];
      const uint8_t *p = sdm_cursor_take(c, sizeof(bits));
      if (!p)
        return false;
      memcpy(bits, p, sizeof(bits));
      sdm_set_append_bits(set, (uint32_t)key, bits);
      if (!sdm_set_is_empty(set) && sdm_set_last(set) > set->max)
        return false;
    } else if (!read_items(c, set, base, limit < set->max ? limit : set->max, true))
      return false;
    key++;
  }
  return true;
}

long sdm_set_deserialize(struct sdm_set *set, const char *buf, size_t len, const char **end) {
  struct sdm_cursor c = sdm_cursor_of(buf, len);
  struct sdm_bytes again = {0};
  bool good = false;
  sdm_set_clear(set);
  switch (sdm_cursor_u8(&c)) {
  case FORM_EMPTY: good = true; break;
  case FORM_ITEMS: good = read_items(&c, set, 0, set->max, true); break;
  case FORM_COMPLEMENT: good = read_complement(&c, set); break;
  case FORM_CHUNKS: good = read_chunks(&c, set); break;
  }
  size_t used = len - (good ? sdm_cursor_left(&c) : 0);
  if (good && !c.bad) { /* one set, one encoding: what we would write ourselves, or nothing */
    encode(set, &again);
    good = again.len == used && !memcmp(again.p, buf, used);
    sdm_bytes_fini(&again);
  }
  if (!good || c.bad) {
    sdm_set_clear(set);
    return -EBADMSG;
  }
  if (end)
    *end = buf + used;
  return (long)used;
}

/* Text: the items of the wire form, spelt out. */
static void print_item(struct dvm_text *out, sdm_id lo, sdm_id hi, sdm_id stride) {
  if (out->len)
    dvm_text_add(out, ",");
  if (lo == hi)
    dvm_text_printf(out, "%u", lo);
  else if (stride == 1)
    dvm_text_printf(out, "%u-%u", lo, hi);
  else
    dvm_text_printf(out, "%u-%u/%u", lo, hi, stride);
}

void sdm_set_print(const struct sdm_set *set, struct dvm_text *out) {
  struct source s = source_of(set, false);
  struct dvm_text text = DVM_TEXT_INIT;
  sdm_id lo, hi, first = 0, stride = 0;
  uint32_t count = 0;
  bool more = true;
  while (more) {
    more = source_next(&s, &lo, &hi);
    bool single = more && lo == hi;
    if (single && count > 1 && lo == first + count * stride) {
      count++;
      continue;
    }
    while (count && !(single && count == 1)) {
      bool run = count >= STRIDE_MIN;
      print_item(&text, first, run ? first + (count - 1) * stride : first, stride);
      first += stride;
      count = run ? 0 : count - 1;
      if (single && count > 1 && lo == first + count * stride)
        break;
    }
    if (!more)
      break;
    if (!single)
      print_item(&text, lo, hi, 1);
    else {
      if (count == 1)
        stride = lo - first;
      if (!count)
        first = lo;
      count++;
    }
  }
  dvm_text_add(out, dvm_text_str(&text));
  dvm_text_fini(&text);
}

static bool read_number(const char **p, sdm_id max, sdm_id *out) {
  uint64_t v = 0;
  if (**p < '0' || **p > '9')
    return false;
  for (; **p >= '0' && **p <= '9'; (*p)++)
    if ((v = v * 10 + (uint64_t)(**p - '0')) > max)
      return false;
  *out = (sdm_id)v;
  return true;
}

static int parse_item(struct sdm_set *set, const char **p, struct dvm_error *err) {
  const char *start = *p;
  sdm_id lo, hi, stride = 1;
  bool good = read_number(p, set->max, &lo);
  hi = lo;
  if (good && **p == '-') {
    ++*p;
    good = read_number(p, set->max, &hi) && lo <= hi;
  }
  if (good && **p == '/') {
    ++*p;
    good = read_number(p, SDM_ID_MAX, &stride) && stride > 0;
  }
  if (!good)
    return dvm_error_set(err, -EINVAL, "'%s' is not a set of ranks up to %u, such as 0-3,7,10-30/2", start, set->max);
  if (stride == 1)
    sdm_set_add_range(set, lo, hi);
  for (uint64_t id = lo; stride > 1 && id <= hi; id += stride)
    sdm_set_add_element(set, (sdm_id)id);
  return 0;
}

int sdm_set_parse(struct sdm_set *set, const char *text, struct dvm_error *err) {
  const char *p = text;
  sdm_set_clear(set);
  if (!*p || !strcmp(p, "none"))
    return 0;
  for (;;) {
    int rc = parse_item(set, &p, err);
    if (!rc && *p && *p != ',')
      rc = dvm_error_set(err, -EINVAL, "'%s': unexpected '%c' in a set of ranks", text, *p);
    if (rc) {
      sdm_set_clear(set);
      return rc;
    }
    if (!*p)
      return 0;
    p++;
  }
}

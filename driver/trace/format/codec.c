#include "driver/trace/format/codec.h"
#include "runtime/trace/digest.h"
#include "driver/trace/format/format.h"
#include <errno.h>

/* ---- prediction ---------------------------------------------------------------------------------------------------------- */

static inline uint32_t symbol_of(uint32_t site, uint8_t kind) { return site * 16 + kind; }
static inline bool is_value(uint8_t kind) { return kind == DVMT_READ || kind == DVMT_WRITE; }

/* Room for symbols below 'n'. */
static bool grow(struct dvmt_predictor *p, size_t n) {
  size_t cap = p->nsymbols ? p->nsymbols : 1024;
  while (cap < n)
    cap *= 2;
  struct dvmt_symbol *s = realloc(p->symbols, cap * sizeof(*s));
  if (!s)
    return false;
  memset(s + p->nsymbols, 0, (cap - p->nsymbols) * sizeof(*s));
  p->symbols = s;
  p->nsymbols = cap;
  return true;
}

static inline struct dvmt_symbol *symbol_at(struct dvmt_predictor *p, uint32_t symbol) {
  struct dvmt_symbol *s = &p->symbols[symbol];
  if (__builtin_expect(s->block != p->block, 0)) {
    *s = (struct dvmt_symbol){.block = p->block};
    dvmt_contents_set(p->contents.sites, symbol / 16);
  }
  return s;
}

static void next_block(struct dvmt_predictor *p) {
  p->block++;
  p->last = 0;
  p->contents = (struct dvmt_contents){{0}, {0}};
}

/* The step of a row, changed only when it was wrong twice: the end of a row is one surprise. */
static inline void learn_place(struct dvmt_symbol *s, int64_t offset, bool hit) {
  if (!hit && s->missed)
    s->stride = offset - s->offset;
  s->missed = !hit;
  s->offset = offset;
}

/* Iterations: the innermost index goes on by its step. */
static inline uint64_t iter_guess(const struct dvmt_symbol *s, uint32_t d, uint32_t n) {
  return d < 8 ? s->words[d] + (d + 1 == n ? (uint64_t)s->stride : 0) : 0;
}

static inline void learn_iter(struct dvmt_symbol *s, const uint64_t *words, uint32_t n) {
  bool row = n > 0 && n <= 8;
  for (uint32_t d = 0; row && d + 1 < n; d++)
    row = s->words[d] == words[d];
  if (row)
    s->stride = (int64_t)(words[n - 1] - s->words[n - 1]);
  for (uint32_t d = 0; d < n && d < 8; d++)
    s->words[d] = words[d];
  s->nwords = n;
}

/* ---- encoder ------------------------------------------------------------------------------------------------------------- */

void dvmt_encoder_init(struct dvmt_encoder *e) {
  memset(e, 0, sizeof(*e));
  next_block(&e->predict);
  e->failed = !grow(&e->predict, 1024);
}

void dvmt_encoder_fini(struct dvmt_encoder *e) {
  free(e->predict.symbols);
  free(e->control.p);
  free(e->extra.p);
  free(e->values);
  memset(e, 0, sizeof(*e));
}

static inline bool add_values(struct dvmt_encoder *e, struct dvmt_symbol *s, const struct dvmt_record *r) {
  if (e->values_cap - e->nvalues < r->nwords) {
    size_t cap = e->values_cap ? 2 * e->values_cap : 1 << 16;
    uint64_t *v = realloc(e->values, cap * sizeof(*v));
    if (!v)
      return false;
    e->values = v;
    e->values_cap = cap;
  }
  for (uint32_t i = 0; i < r->nwords; i++) {
    e->values[e->nvalues++] = r->words[i] ^ s->words[i];
    s->words[i] = r->words[i];
  }
  return true;
}

/* NaN or infinite: doubles, pairs of floats (the upper half of a single one is zero), extended precision in two words. */
static inline bool is_special(const uint64_t *word, uint32_t n, unsigned float_bytes) {
  bool found = false;
  for (uint32_t i = 0; float_bytes == 8 && i < n; i++)
    found |= (word[i] >> 52 & 0x7ff) == 0x7ff;
  if (float_bytes == 4)
    found = (word[0] >> 23 & 0xff) == 0xff || (word[0] >> 55 & 0xff) == 0xff;
  for (uint32_t i = 1; float_bytes == 16 && i < n; i += 2)
    found |= (word[i] & 0x7fff) == 0x7fff;
  return found;
}

static inline unsigned encode_value(struct dvmt_encoder *e, struct dvmt_symbol *s, const struct dvmt_record *r, unsigned float_bytes) {
  unsigned control = 0;
  if (r->object != s->object) {
    control |= DVMT_C_OBJECT;
    dvmt_bytes_number(&e->extra, r->object);
    s->object = r->object;
    dvmt_contents_set(e->predict.contents.objects, r->object);
  }
  bool hit = r->offset == s->offset + s->stride;
  if (!hit) {
    control |= DVMT_C_PLACE;
    dvmt_bytes_number(&e->extra, dvmt_zigzag(r->offset - s->offset));
  }
  learn_place(s, r->offset, hit);
  if (r->nwords != s->nwords) {
    control |= DVMT_C_WORDS;
    dvmt_bytes_number(&e->extra, r->nwords);
    s->nwords = r->nwords;
    dvmt_contents_set(e->predict.contents.objects, r->object); /* the first of this symbol, too */
  }
  if (!add_values(e, s, r))
    e->failed = true;
  if (float_bytes)
    e->saw_nan |= is_special(r->words, r->nwords, float_bytes);
  e->digest += dvmt_digest_value((uint64_t)r->offset ^ (uint64_t)r->object << 40, r->words, r->nwords);
  return control;
}

static inline unsigned encode_iter(struct dvmt_encoder *e, struct dvmt_symbol *s, const struct dvmt_record *r) {
  bool hit = r->nwords == s->nwords;
  for (uint32_t d = 0; hit && d < r->nwords; d++)
    hit = r->words[d] == iter_guess(s, d, r->nwords);
  if (!hit) {
    dvmt_bytes_number(&e->extra, r->nwords);
    for (uint32_t d = 0; d < r->nwords; d++)
      dvmt_bytes_number(&e->extra, dvmt_zigzag((int64_t)(r->words[d] - (d < 8 ? s->words[d] : 0))));
  }
  learn_iter(s, r->words, r->nwords);
  return hit ? 0 : DVMT_C_PLACE;
}

static void encode_plain(struct dvmt_encoder *e, const struct dvmt_record *r) {
  if (r->kind == DVMT_DIGEST) {
    dvmt_bytes_number(&e->extra, r->object);
    dvmt_contents_set(e->predict.contents.objects, r->object);
  }
  dvmt_bytes_number(&e->extra, r->nwords);
  for (uint32_t i = 0; i < r->nwords; i++)
    dvmt_bytes_number(&e->extra, r->words[i]);
}

void dvmt_encoder_add(struct dvmt_encoder *e, const struct dvmt_record *r, unsigned float_bytes) {
  uint32_t symbol = symbol_of(r->site, r->kind);
  unsigned control = 0;
  if (symbol >= e->predict.nsymbols && !grow(&e->predict, (size_t)symbol + 1)) {
    e->failed = true;
    return;
  }
  struct dvmt_symbol *before = symbol_at(&e->predict, e->predict.last);
  if (before->next != symbol) {
    control = DVMT_C_SYMBOL;
    dvmt_bytes_number(&e->extra, symbol);
    before->next = symbol;
  }
  e->predict.last = symbol;
  struct dvmt_symbol *s = symbol_at(&e->predict, symbol);
  if (is_value(r->kind))
    control |= encode_value(e, s, r, float_bytes);
  else if (r->kind == DVMT_ITER)
    control |= encode_iter(e, s, r);
  else
    encode_plain(e, r);
  if (e->control.n < e->control.cap || dvmt_bytes_reserve(&e->control, 1))
    e->control.p[e->control.n++] = (unsigned char)control;
  e->nrecords++;
}

static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask) {
  uint64_t t = (*a >> shift ^ *b) & mask;
  *b ^= t;
  *a ^= t << shift;
}

/* Byte k of word i becomes byte i of word k. */
static inline void transpose(uint64_t x[8]) {
  for (int i = 0; i < 4; i++)
    exchange(&x[i], &x[i + 4], 32, 0x00000000ffffffffull);
  for (int i = 0; i < 8; i += i & 1 ? 3 : 1)
    exchange(&x[i], &x[i + 2], 16, 0x0000ffff0000ffffull);
  for (int i = 0; i < 8; i += 2)
    exchange(&x[i], &x[i + 1], 8, 0x00ff00ff00ff00ffull);
}

/* Byte k of all values, then byte k + 1: the low bytes of numbers are noise, the high ones repeat. */
static void add_planes(struct dvmt_bytes *out, const uint64_t *values, size_t n) {
  if (!dvmt_bytes_reserve(out, 8 * n))
    return;
  unsigned char *to = out->p + out->n;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t x[8];
    memcpy(x, values + i, sizeof(x));
    transpose(x);
    for (size_t k = 0; k < 8; k++)
      memcpy(to + k * n + i, &x[k], 8);
  }
  for (; i < n; i++)
    for (size_t k = 0; k < 8; k++)
      to[k * n + i] = (unsigned char)(values[i] >> (8 * k));
  out->n += 8 * n;
}

void dvmt_encoder_finish(struct dvmt_encoder *e, struct dvmt_bytes *out) {
  dvmt_bytes_number(out, e->extra.n);
  dvmt_bytes_number(out, e->nvalues);
  dvmt_bytes_add(out, e->control.p, e->control.n);
  dvmt_bytes_add(out, e->extra.p, e->extra.n);
  add_planes(out, e->values, e->nvalues);
  e->failed |= e->control.failed || e->extra.failed || out->failed;
  e->control.n = e->extra.n = e->nvalues = 0;
  e->nrecords = 0;
  e->digest = 0;
  e->saw_nan = false;
  next_block(&e->predict);
}

/* ---- decoder ------------------------------------------------------------------------------------------------------------- */

void dvmt_decoder_init(struct dvmt_decoder *d) { memset(d, 0, sizeof(*d)); }

void dvmt_decoder_fini(struct dvmt_decoder *d) {
  free(d->predict.symbols);
  free(d->values);
  memset(d, 0, sizeof(*d));
}

static void take_planes(uint64_t *values, const unsigned char *from, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t x[8];
    for (size_t k = 0; k < 8; k++)
      memcpy(&x[k], from + k * n + i, 8);
    transpose(x);
    memcpy(values + i, x, sizeof(x));
  }
  for (; i < n; i++) {
    values[i] = 0;
    for (size_t k = 0; k < 8; k++)
      values[i] |= (uint64_t)from[k * n + i] << (8 * k);
  }
}

int dvmt_decoder_begin(struct dvmt_decoder *d, const void *payload, size_t n, uint32_t nrecords, size_t nsites, size_t nobjects) {
  struct dvmt_cursor c = {payload, (const unsigned char *)payload + n, false};
  uint64_t extra = dvmt_cursor_number(&c), values = dvmt_cursor_number(&c);
  size_t left = (size_t)(c.end - c.at);
  d->left = 0;
  if (c.bad || nrecords > left || extra > left - nrecords || values > (left - nrecords - extra) / 8 ||
      values * 8 != left - nrecords - extra || nsites > UINT32_MAX / 16)
    return -EBADMSG;
  if (d->predict.nsymbols < nsites * 16 + 16 && !grow(&d->predict, nsites * 16 + 16))
    return -ENOMEM;
  if (d->values_cap < values) {
    uint64_t *v = realloc(d->values, values * 8);
    if (!v)
      return -ENOMEM;
    d->values = v;
    d->values_cap = values;
  }
  d->control = (struct dvmt_cursor){c.at, c.at + nrecords, false};
  d->extra = (struct dvmt_cursor){c.at + nrecords, c.at + nrecords + extra, false};
  take_planes(d->values, c.at + nrecords + extra, values);
  d->nvalues = values;
  d->next_value = 0;
  d->left = nrecords;
  d->nsites = nsites;
  d->nobjects = nobjects;
  next_block(&d->predict);
  return 0;
}

static inline int decode_value(struct dvmt_decoder *d, struct dvmt_symbol *s, struct dvmt_record *r, unsigned control, uint64_t *words) {
  if (control & DVMT_C_OBJECT) {
    uint64_t object = dvmt_cursor_number(&d->extra);
    if (object >= d->nobjects)
      return -EBADMSG;
    s->object = (uint32_t)object;
  }
  int64_t offset = (int64_t)((uint64_t)s->offset + (uint64_t)s->stride);
  if (control & DVMT_C_PLACE)
    offset = (int64_t)((uint64_t)s->offset + (uint64_t)dvmt_unzigzag(dvmt_cursor_number(&d->extra)));
  if (!(control & DVMT_C_PLACE) || !s->missed) {
    s->missed = control & DVMT_C_PLACE;
  } else {
    s->stride = (int64_t)((uint64_t)offset - (uint64_t)s->offset);
  }
  s->offset = offset;
  if (control & DVMT_C_WORDS) {
    uint64_t n = dvmt_cursor_number(&d->extra);
    if (!n || n > DVMT_VALUE_WORDS_MAX)
      return -EBADMSG;
    s->nwords = (uint32_t)n;
  }
  if (!s->nwords || d->nvalues - d->next_value < s->nwords || s->object >= d->nobjects)
    return -EBADMSG;
  for (uint32_t i = 0; i < s->nwords; i++)
    words[i] = s->words[i] ^= d->values[d->next_value++];
  r->object = s->object;
  r->offset = offset;
  r->nwords = s->nwords;
  return 0;
}

static inline int decode_iter(struct dvmt_decoder *d, struct dvmt_symbol *s, struct dvmt_record *r, unsigned control, uint64_t *words) {
  uint64_t n = control & DVMT_C_PLACE ? dvmt_cursor_number(&d->extra) : s->nwords;
  if (n > DVMT_NDIMS_MAX)
    return -EBADMSG;
  for (uint32_t i = 0; i < n; i++)
    words[i] =
        control & DVMT_C_PLACE ? s->words[i] + (uint64_t)dvmt_unzigzag(dvmt_cursor_number(&d->extra)) : iter_guess(s, i, (uint32_t)n);
  learn_iter(s, words, (uint32_t)n);
  r->nwords = (uint32_t)n;
  return 0;
}

static int decode_plain(struct dvmt_decoder *d, struct dvmt_record *r, uint64_t *words) {
  uint64_t object = r->kind == DVMT_DIGEST ? dvmt_cursor_number(&d->extra) : 0, n = dvmt_cursor_number(&d->extra);
  if (n > DVMT_WORDS_MAX || (r->kind == DVMT_DIGEST && object >= d->nobjects))
    return -EBADMSG;
  for (uint32_t i = 0; i < n; i++)
    words[i] = dvmt_cursor_number(&d->extra);
  static const uint8_t least[16] = {[DVMT_ENTER] = 1, [DVMT_RESULT] = 6, [DVMT_DIGEST] = 2, [DVMT_UNRECORDED] = 1};
  if (n < least[r->kind])
    return -EBADMSG;
  r->object = (uint32_t)object;
  r->nwords = (uint32_t)n;
  return 0;
}

/* 'words' has room for DVMT_WORDS_MAX. */
static inline __attribute__((always_inline)) int next(struct dvmt_decoder *d, struct dvmt_record *r, uint64_t *words) {
  if (!d->left)
    return 0;
  d->left--;
  unsigned control = *d->control.at++;
  struct dvmt_symbol *before = symbol_at(&d->predict, d->predict.last);
  if (control & DVMT_C_SYMBOL) {
    uint64_t symbol = dvmt_cursor_number(&d->extra);
    if (symbol >= d->nsites * 16)
      return -EBADMSG;
    before->next = (uint32_t)symbol;
  }
  d->predict.last = before->next;
  *r = (struct dvmt_record){.kind = before->next % 16, .site = before->next / 16, .words = words};
  if (r->kind < DVMT_READ || r->kind > DVMT_RETURN || r->kind == DVMT_LOST || r->site >= d->nsites)
    return -EBADMSG;
  struct dvmt_symbol *s = symbol_at(&d->predict, d->predict.last);
  int rc = is_value(r->kind)      ? decode_value(d, s, r, control, words)
           : r->kind == DVMT_ITER ? decode_iter(d, s, r, control, words)
                                  : decode_plain(d, r, words);
  return rc ? rc : d->extra.bad ? -EBADMSG : 1;
}

int dvmt_decoder_next(struct dvmt_decoder *d, struct dvmt_record *r) { return next(d, r, d->words); }

void dvmt_decoded_rows_fini(struct dvmt_decoded_rows *rows) {
  free(rows->row);
  free(rows->words);
  memset(rows, 0, sizeof(*rows));
}

static bool room_for_words(struct dvmt_decoded_rows *rows, size_t n) {
  if (n <= rows->words_cap)
    return true;
  uint64_t *words = realloc(rows->words, 2 * n * sizeof(*words));
  if (!words)
    return false;
  rows->words = words;
  rows->words_cap = 2 * n;
  return true;
}

int dvmt_decoder_rows(struct dvmt_decoder *d, struct dvmt_decoded_rows *rows) {
  struct dvmt_record r;
  int rc = 0;
  rows->n = rows->nwords = 0;
  if (rows->cap < d->left) {
    struct dvmt_decoded_row *row = realloc(rows->row, d->left * sizeof(*row));
    if (!row)
      return -ENOMEM;
    rows->row = row;
    rows->cap = d->left;
  }
  do {
    if (!room_for_words(rows, rows->nwords + DVMT_WORDS_MAX))
      return -ENOMEM;
    rc = next(d, &r, rows->words + rows->nwords);
    if (rc <= 0)
      break;
    rows->nwords += r.nwords;
    rows->row[rows->n++] = (struct dvmt_decoded_row){r.kind, 0, (uint16_t)r.nwords, r.site, r.object, 0, r.offset};
  } while (true);
  return rc;
}

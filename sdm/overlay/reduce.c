#include "sdm/reduce.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- histogram ---- */

int sdm_histogram_init(struct sdm_histogram *h, long double low, long double high, uint32_t n) {
  if (!isfinite(low) || !isfinite(high) || !(low < high) || !n || n > SDM_BINS_MAX)
    return -EINVAL;
  *h = (struct sdm_histogram){.low = low, .high = high, .n = n};
  for (uint32_t i = 0; i < n; i++)
    h->bins[i] = sdm_set_new();
  return 0;
}

void sdm_histogram_fini(struct sdm_histogram *h) {
  for (uint32_t i = 0; i < h->n; i++)
    sdm_set_free(h->bins[i]);
  h->n = 0;
}

void sdm_histogram_add(struct sdm_histogram *h, long double value, sdm_id id) {
  long double at = (value - h->low) / (h->high - h->low) * h->n;
  uint32_t bin = !(at > 0) ? 0 : at >= h->n ? h->n - 1 : (uint32_t)at;
  sdm_set_add_element(h->bins[bin], id);
}

void sdm_histogram_encode(const struct sdm_histogram *h, struct sdm_bytes *out) {
  sdm_bytes_real(out, h->low);
  sdm_bytes_real(out, h->high);
  sdm_bytes_u8(out, (uint8_t)h->n);
  for (uint32_t i = 0; i < h->n; i++) {
    size_t start = out->len;
    char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(h->bins[i]));
    out->len = start + sdm_set_serialize(h->bins[i], at, NULL);
  }
}

int sdm_histogram_decode(struct sdm_histogram *h, const void *p, size_t len) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  long double low = sdm_cursor_real(&c), high = sdm_cursor_real(&c);
  uint8_t n = sdm_cursor_u8(&c);
  if (c.bad || sdm_histogram_init(h, low, high, n))
    return -EBADMSG;
  for (uint32_t i = 0; i < n && !c.bad; i++) {
    const char *end = NULL;
    if (sdm_set_deserialize(h->bins[i], (const char *)c.p, sdm_cursor_left(&c), &end) > 0)
      c.p = (const uint8_t *)end;
    else
      c.bad = true;
  }
  if (!c.bad && !sdm_cursor_left(&c))
    return 0;
  sdm_histogram_fini(h);
  return -EBADMSG;
}

int sdm_histogram_merge(struct sdm_bytes *into, const void *body, size_t len) {
  struct sdm_histogram a, b;
  if (sdm_histogram_decode(&a, into->p, into->len))
    return -EBADMSG;
  if (sdm_histogram_decode(&b, body, len)) {
    sdm_histogram_fini(&a);
    return -EBADMSG;
  }
  int rc = a.n == b.n && a.low == b.low && a.high == b.high ? 0 : -EBADMSG;
  for (uint32_t i = 0; i < a.n && !rc; i++)
    sdm_set_union(a.bins[i], b.bins[i]);
  if (!rc) {
    into->len = 0;
    sdm_histogram_encode(&a, into);
  }
  sdm_histogram_fini(&a);
  sdm_histogram_fini(&b);
  return rc;
}

/* ---- extremes ---- */

static bool before(const struct sdm_top *t, long double value, sdm_id id, uint32_t at) {
  long double other = t->entries[at].value;
  return value != other ? (value > other) != t->smallest : id < t->entries[at].id;
}

void sdm_top_add(struct sdm_top *t, long double value, sdm_id id) {
  uint32_t at = t->n;
  if (value != value)
    return;
  while (at && before(t, value, id, at - 1))
    at--;
  if (at >= t->limit)
    return;
  uint32_t keep = t->n < t->limit ? t->n : t->limit - 1;
  memmove(&t->entries[at + 1], &t->entries[at], (keep - at) * sizeof(t->entries[0]));
  t->entries[at].value = value;
  t->entries[at].id = id;
  t->n = keep + 1;
}

void sdm_top_encode(const struct sdm_top *t, struct sdm_bytes *out) {
  sdm_bytes_u8(out, t->smallest);
  sdm_bytes_u8(out, (uint8_t)t->limit);
  sdm_bytes_u8(out, (uint8_t)t->n);
  for (uint32_t i = 0; i < t->n; i++) {
    sdm_bytes_real(out, t->entries[i].value);
    sdm_bytes_u32(out, t->entries[i].id);
  }
}

int sdm_top_decode(struct sdm_top *t, const void *p, size_t len) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  uint8_t smallest = sdm_cursor_u8(&c), limit = sdm_cursor_u8(&c), n = sdm_cursor_u8(&c);
  *t = (struct sdm_top){.smallest = smallest == 1, .limit = limit};
  if (c.bad || smallest > 1 || !limit || limit > SDM_TOP_MAX || n > limit)
    return -EBADMSG;
  for (uint32_t i = 0; i < n; i++) {
    long double value = sdm_cursor_real(&c);
    sdm_id id = sdm_cursor_u32(&c);
    bool twice = i && value == t->entries[i - 1].value && id == t->entries[i - 1].id;
    if (c.bad || isnan(value) || twice || (i && before(t, value, id, i - 1)))
      return -EBADMSG; /* not in order */
    t->entries[i].value = value;
    t->entries[i].id = id;
    t->n++;
  }
  return sdm_cursor_left(&c) ? -EBADMSG : 0;
}

int sdm_top_merge(struct sdm_bytes *into, const void *body, size_t len) {
  struct sdm_top a, b;
  if (sdm_top_decode(&a, into->p, into->len) || sdm_top_decode(&b, body, len) || a.smallest != b.smallest || a.limit != b.limit)
    return -EBADMSG;
  for (uint32_t i = 0; i < b.n; i++)
    sdm_top_add(&a, b.entries[i].value, b.entries[i].id);
  into->len = 0;
  sdm_top_encode(&a, into);
  return 0;
}

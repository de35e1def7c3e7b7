#include "sdm/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/overlay/prefix.h"
#include "sdm/reduce.h"

struct sdm_answer *sdm_answer_new(uint8_t reducer) {
  struct sdm_answer *a = sdm_alloc(sizeof(*a));
  a->reducer = reducer < SDM_REDUCERS_MAX ? reducer : SDM_REDUCE_SAME;
  a->other = sdm_set_new();
  a->dead = sdm_set_new();
  a->timed_out = sdm_set_new();
  a->unreachable = sdm_set_new();
  return a;
}

static void class_fini(struct sdm_class *c) {
  sdm_bytes_fini(&c->body);
  sdm_bytes_fini(&c->detail);
  sdm_set_free(c->set);
}

void sdm_answer_free(struct sdm_answer *a) {
  if (!a)
    return;
  for (size_t i = 0; i < a->n; i++)
    class_fini(&a->classes[i]);
  free(a->classes);
  sdm_set_free(a->other);
  sdm_set_free(a->dead);
  sdm_set_free(a->timed_out);
  sdm_set_free(a->unreachable);
  free(a);
}

/* Reducers: 'into' gets the body of both.  0, or -EBADMSG if one of the bodies is not of the reducer's form; then the
 * two stay apart, so that nothing is lost. */

static int reduce_count(struct sdm_bytes *into, const void *body, size_t len) {
  struct sdm_cursor a = sdm_cursor_of(into->p, into->len), b = sdm_cursor_of(body, len);
  uint64_t sum = sdm_cursor_varint(&a) + sdm_cursor_varint(&b);
  if (a.bad || b.bad || sdm_cursor_left(&a) || sdm_cursor_left(&b))
    return -EBADMSG;
  into->len = 0;
  sdm_bytes_varint(into, sum);
  return 0;
}

void sdm_stats_encode(const struct sdm_stats *s, struct sdm_bytes *out) {
  sdm_bytes_u64(out, s->count);
  sdm_bytes_real(out, s->mean);
  sdm_bytes_real(out, s->squares);
  sdm_bytes_real(out, s->min);
  sdm_bytes_real(out, s->max);
  sdm_bytes_u32(out, s->min_id);
  sdm_bytes_u32(out, s->max_id);
}

int sdm_stats_decode(struct sdm_stats *s, const void *p, size_t len) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  s->count = sdm_cursor_u64(&c);
  s->mean = sdm_cursor_real(&c);
  s->squares = sdm_cursor_real(&c);
  s->min = sdm_cursor_real(&c);
  s->max = sdm_cursor_real(&c);
  s->min_id = sdm_cursor_u32(&c);
  s->max_id = sdm_cursor_u32(&c);
  return c.bad || sdm_cursor_left(&c) ? -EBADMSG : 0;
}

static int reduce_stats(struct sdm_bytes *into, const void *body, size_t len) {
  struct sdm_stats a, b;
  if (sdm_stats_decode(&a, into->p, into->len) || sdm_stats_decode(&b, body, len))
    return -EBADMSG;
  /* Among equals the lowest rank is named, so that the order of arrival does not show. */
  if (b.min < a.min || (b.min == a.min && b.min_id < a.min_id)) {
    a.min = b.min;
    a.min_id = b.min_id;
  }
  if (b.max > a.max || (b.max == a.max && b.max_id < a.max_id)) {
    a.max = b.max;
    a.max_id = b.max_id;
  }
  /* Not by sums of squares: the small differences of large numbers would be lost. */
  long double n = (long double)a.count + (long double)b.count, apart = b.mean - a.mean;
  a.squares += n > 0 ? b.squares + apart * apart * ((long double)a.count / n) * (long double)b.count : 0;
  a.mean += n > 0 ? apart * ((long double)b.count / n) : 0;
  a.count += b.count;
  into->len = 0;
  sdm_stats_encode(&a, into);
  return 0;
}

static int reduce_concat(struct sdm_bytes *into, const void *body, size_t len) {
  sdm_bytes_add(into, body, len);
  return 0;
}

static sdm_reduce_f reducers[SDM_REDUCERS_MAX] = {NULL,          reduce_count,        reduce_stats, sdm_prefix_merge,
                                                  reduce_concat, sdm_histogram_merge, sdm_top_merge};

int sdm_reducer_set(uint8_t number, sdm_reduce_f reduce) {
  if (number < SDM_REDUCERS || number >= SDM_REDUCERS_MAX || !reduce)
    return -EINVAL;
  if (reducers[number] && reducers[number] != reduce)
    return -EEXIST;
  reducers[number] = reduce;
  return 0;
}

static bool same_body(const struct sdm_class *c, uint8_t kind, uint64_t digest, const void *body, size_t len) {
  return c->kind == kind && c->digest == digest && c->body.len == len && (!len || !memcmp(c->body.p, body, len));
}

static bool join(struct sdm_answer *a, uint8_t kind, const struct sdm_set *set, uint64_t digest, const void *body, size_t len) {
  sdm_reduce_f reduce = kind == SDM_CLASS_OK ? reducers[a->reducer] : NULL;
  for (size_t i = 0; i < a->n; i++) {
    struct sdm_class *c = &a->classes[i];
    if (reduce && c->kind == kind && !reduce(&c->body, body, len)) {
      c->digest = sdm_digest(c->body.p, c->body.len);
      sdm_set_union(c->set, set);
      return true;
    }
    if (!reduce && same_body(c, kind, digest, body, len)) {
      sdm_set_union(c->set, set);
      return true;
    }
  }
  return false;
}

void sdm_answer_add(struct sdm_answer *a, uint8_t kind, const struct sdm_set *set, const void *body, size_t len, const void *detail,
                    size_t detail_len, sdm_id detail_id) {
  uint64_t digest = sdm_digest(body, len);
  if (join(a, kind, set, digest, body, len))
    return;
  if (a->n == SDM_CLASSES_MAX) {
    sdm_set_union(a->other, set);
    return;
  }
  if ((a->n & (a->n - 1)) == 0)
    a->classes = sdm_realloc(a->classes, (a->n ? a->n * 2 : 1) * sizeof(*a->classes));
  struct sdm_class *c = &a->classes[a->n++];
  *c = (struct sdm_class){.kind = kind, .digest = digest, .detail_id = detail_id, .set = sdm_set_copy(set)};
  sdm_bytes_add(&c->body, body, len);
  sdm_bytes_add(&c->detail, detail, detail_len);
}

void sdm_answer_merge(struct sdm_answer *into, const struct sdm_answer *from) {
  for (size_t i = 0; i < from->n; i++) {
    const struct sdm_class *c = &from->classes[i];
    sdm_answer_add(into, c->kind, c->set, c->body.p, c->body.len, c->detail.p, c->detail.len, c->detail_id);
  }
  sdm_set_union(into->other, from->other);
  sdm_set_union(into->dead, from->dead);
  sdm_set_union(into->timed_out, from->timed_out);
  sdm_set_union(into->unreachable, from->unreachable);
}

struct sdm_set *sdm_answer_sources(const struct sdm_answer *a) {
  struct sdm_set *all = sdm_set_copy(a->other);
  for (size_t i = 0; i < a->n; i++)
    sdm_set_union(all, a->classes[i].set);
  return all;
}

struct sdm_set *sdm_answer_missing(const struct sdm_answer *a) {
  return sdm_set_union(sdm_set_union(sdm_set_copy(a->dead), a->timed_out), a->unreachable);
}

void sdm_answer_remove(struct sdm_answer *a, const struct sdm_set *gone) {
  size_t kept = 0;
  for (size_t i = 0; i < a->n; i++) {
    sdm_set_diff(a->classes[i].set, gone);
    if (sdm_set_is_empty(a->classes[i].set))
      class_fini(&a->classes[i]);
    else
      a->classes[kept++] = a->classes[i];
  }
  if (kept < a->n) { /* keep the capacity rule of sdm_answer_add: room up to the next power of two */
    a->n = kept;
    size_t cap = 1;
    while (cap < kept)
      cap *= 2;
    a->classes = sdm_realloc(a->classes, cap * sizeof(*a->classes));
  }
  sdm_set_diff(a->other, gone);
  sdm_set_diff(a->dead, gone);
  sdm_set_diff(a->timed_out, gone);
  sdm_set_diff(a->unreachable, gone);
}

static size_t class_size(const struct sdm_class *c) { return c->body.len + c->detail.len + sdm_set_serialized_length(c->set) + 32; }

void sdm_answer_fold(struct sdm_answer *a, size_t limit) {
  size_t size = 64 + sdm_set_serialized_length(a->dead) + sdm_set_serialized_length(a->timed_out) +
                sdm_set_serialized_length(a->unreachable) + sdm_set_serialized_length(a->other);
  for (size_t i = 0; i < a->n; i++)
    size += class_size(&a->classes[i]);
  while (size > limit && a->n) {
    size_t most = 0;
    for (size_t i = 1; i < a->n; i++)
      if (class_size(&a->classes[i]) > class_size(&a->classes[most]))
        most = i;
    size -= class_size(&a->classes[most]);
    struct sdm_set *who = sdm_set_copy(a->classes[most].set);
    sdm_answer_remove(a, who);
    sdm_set_union(a->other, who);
    sdm_set_free(who);
  }
}

bool sdm_answer_is_empty(const struct sdm_answer *a) {
  return !a->n && sdm_set_is_empty(a->other) && sdm_set_is_empty(a->dead) && sdm_set_is_empty(a->timed_out) &&
         sdm_set_is_empty(a->unreachable);
}

static void put_set(struct sdm_bytes *out, const struct sdm_set *set) {
  size_t start = out->len;
  char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(set));
  out->len = start + sdm_set_serialize(set, at, NULL);
}

void sdm_answer_encode(const struct sdm_answer *a, struct sdm_bytes *out) {
  sdm_bytes_u8(out, a->reducer);
  put_set(out, a->other);
  put_set(out, a->dead);
  put_set(out, a->timed_out);
  put_set(out, a->unreachable);
  sdm_bytes_varint(out, a->n);
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    sdm_bytes_u8(out, c->kind);
    put_set(out, c->set);
    sdm_bytes_block(out, c->body.p, c->body.len);
    sdm_bytes_block(out, c->detail.p, c->detail.len);
    sdm_bytes_u32(out, c->detail_id);
  }
}

static bool get_set(struct sdm_cursor *c, sdm_id max, struct sdm_set *into) {
  struct sdm_set *set = sdm_set_new_limited(max);
  const char *end;
  long n = c->bad ? -1 : sdm_set_deserialize(set, (const char *)c->p, sdm_cursor_left(c), &end);
  if (n >= 0) {
    c->p += n;
    sdm_set_union(into, set);
  } else
    c->bad = true;
  sdm_set_free(set);
  return n >= 0;
}

static bool get_class(struct sdm_cursor *c, sdm_id max, struct sdm_answer *a) {
  struct sdm_set *set = sdm_set_new();
  size_t body_len, detail_len;
  uint8_t kind = sdm_cursor_u8(c);
  get_set(c, max, set);
  const uint8_t *body = sdm_cursor_block(c, &body_len), *detail = sdm_cursor_block(c, &detail_len);
  sdm_id id = sdm_cursor_u32(c);
  bool good = !c->bad && kind <= SDM_CLASS_ERROR && !sdm_set_is_empty(set);
  if (good)
    sdm_answer_add(a, kind, set, body, body_len, detail, detail_len, id);
  sdm_set_free(set);
  return good;
}

struct sdm_answer *sdm_answer_decode(const void *p, size_t len, sdm_id max) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  uint8_t reducer = sdm_cursor_u8(&c);
  struct sdm_answer *a = sdm_answer_new(reducer);
  bool good = reducer < SDM_REDUCERS_MAX && get_set(&c, max, a->other) && get_set(&c, max, a->dead) && get_set(&c, max, a->timed_out) &&
              get_set(&c, max, a->unreachable);
  uint64_t n = sdm_cursor_varint(&c);
  good = good && !c.bad && n <= SDM_CLASSES_MAX;
  while (good && n--)
    good = get_class(&c, max, a);
  if (good && !sdm_cursor_left(&c) && !c.bad)
    return a;
  sdm_answer_free(a);
  return NULL;
}

#include "sdm/iolist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_BACK 64u /* how far a piece searches for its like */

void sdm_iolist_fini(struct sdm_iolist *l) {
  for (size_t i = 0; i < l->n; i++) {
    sdm_set_free(l->pieces[i].set);
    sdm_bytes_fini(&l->pieces[i].bytes);
  }
  free(l->pieces);
  *l = (struct sdm_iolist){0};
}

static bool alike(const struct sdm_piece *a, uint8_t stream, bool eof, const void *p, size_t len) {
  return a->stream == stream && a->eof == eof && a->bytes.len == len && (!len || !memcmp(a->bytes.p, p, len));
}

static bool join(struct sdm_iolist *l, uint8_t stream, bool eof, const struct sdm_set *set, const void *p, size_t len) {
  for (size_t i = l->n; i-- > 0 && l->n - i <= LOOK_BACK;) {
    struct sdm_piece *at = &l->pieces[i];
    if (sdm_set_overlaps(at->set, set))
      return false;
    if (alike(at, stream, eof, p, len)) {
      sdm_set_union(at->set, set);
      return true;
    }
  }
  return false;
}

void sdm_iolist_add(struct sdm_iolist *l, uint8_t stream, bool eof, const struct sdm_set *set, const void *p, size_t len) {
  if (join(l, stream, eof, set, p, len))
    return;
  if (l->n == l->cap) {
    l->cap = l->cap ? l->cap * 2 : 8;
    l->pieces = sdm_realloc(l->pieces, l->cap * sizeof(*l->pieces));
  }
  struct sdm_piece *at = &l->pieces[l->n++];
  *at = (struct sdm_piece){.stream = stream, .eof = eof, .set = sdm_set_copy(set)};
  sdm_bytes_add(&at->bytes, p, len);
  l->bytes += len + 32;
}

void sdm_iolist_merge(struct sdm_iolist *into, const struct sdm_iolist *from) {
  for (size_t i = 0; i < from->n; i++) {
    const struct sdm_piece *p = &from->pieces[i];
    sdm_iolist_add(into, p->stream, p->eof, p->set, p->bytes.p, p->bytes.len);
  }
}

void sdm_iolist_encode(const struct sdm_iolist *l, struct sdm_bytes *out) {
  sdm_bytes_varint(out, l->n);
  for (size_t i = 0; i < l->n; i++) {
    const struct sdm_piece *p = &l->pieces[i];
    sdm_bytes_u8(out, (uint8_t)(p->stream | p->eof << 7));
    size_t start = out->len;
    char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(p->set));
    out->len = start + sdm_set_serialize(p->set, at, NULL);
    sdm_bytes_block(out, p->bytes.p, p->bytes.len);
  }
}

int sdm_iolist_decode(struct sdm_iolist *l, const void *p, size_t len, sdm_id max) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  struct sdm_set *set = sdm_set_new_limited(max);
  *l = (struct sdm_iolist){0};
  uint64_t n = sdm_cursor_varint(&c);
  bool good = !c.bad && n <= len;
  while (good && n--) {
    uint8_t head = sdm_cursor_u8(&c);
    size_t size;
    long used = c.bad ? -1 : sdm_set_deserialize(set, (const char *)c.p, sdm_cursor_left(&c), NULL);
    good = used > 0 && (head & 127) <= SDM_STDERR && !sdm_set_is_empty(set);
    if (!good)
      break;
    c.p += used;
    const uint8_t *bytes = sdm_cursor_block(&c, &size);
    good = !c.bad;
    if (good)
      sdm_iolist_add(l, head & 127, head >> 7, set, bytes, size);
  }
  sdm_set_free(set);
  if (good && !sdm_cursor_left(&c))
    return 0;
  sdm_iolist_fini(l);
  return -EBADMSG;
}

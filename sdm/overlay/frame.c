#include "sdm/frame.h"

#include <errno.h>
#include <string.h>

enum field { FIELD_END, FIELD_DEST, FIELD_AGGREGATE };

static const char *const names[SDM_FRAME_TYPES] = {
    "none",   "hello", "auth", "welcome", "route", "cmd", "reply", "event",    "io",
    "credit", "ping",  "pong", "dead",    "adopt", "bye", "error", "register",
};

const char *sdm_frame_name(uint8_t type) { return type < SDM_FRAME_TYPES ? names[type] : "unknown"; }

static void put_field(struct sdm_bytes *out, enum field tag, const uint8_t *p, size_t len) {
  if (!p)
    return;
  sdm_bytes_u8(out, tag);
  sdm_bytes_block(out, p, len);
}

void sdm_frame_encode(const struct sdm_frame *f, bool checksum, struct sdm_bytes *out) {
  size_t start = out->len;
  sdm_bytes_u32(out, 0);
  sdm_bytes_u8(out, SDM_FRAME_VERSION);
  sdm_bytes_u8(out, f->type);
  sdm_bytes_u8(out, (uint8_t)f->flags);
  sdm_bytes_u8(out, (uint8_t)(f->flags >> 8));
  sdm_bytes_u64(out, f->request);
  sdm_bytes_u32(out, f->time);
  sdm_bytes_u32(out, 0);
  put_field(out, FIELD_DEST, f->dest, f->dest_len);
  put_field(out, FIELD_AGGREGATE, f->aggregate, f->aggregate_len);
  sdm_bytes_u8(out, FIELD_END);
  sdm_bytes_add(out, f->payload, f->payload_len);
  uint32_t body = (uint32_t)(out->len - start - SDM_FRAME_HEADER);
  for (int i = 0; i < 4; i++)
    out->p[start + (size_t)i] = (uint8_t)(body >> (8 * i));
  if (!checksum)
    return;
  uint32_t crc = sdm_crc32c(out->p + start, out->len - start);
  crc = crc ? crc : 1;
  for (int i = 0; i < 4; i++)
    out->p[start + 20 + (size_t)i] = (uint8_t)(crc >> (8 * i));
}

long sdm_frame_size(const uint8_t *p, size_t len, size_t limit) {
  if (len < SDM_FRAME_HEADER)
    return 0;
  struct sdm_cursor c = sdm_cursor_of(p, SDM_FRAME_HEADER);
  uint32_t body = sdm_cursor_u32(&c);
  uint8_t version = sdm_cursor_u8(&c), type = sdm_cursor_u8(&c);
  if (version != SDM_FRAME_VERSION || !type)
    return -EBADMSG;
  return body > limit ? -EMSGSIZE : (long)(SDM_FRAME_HEADER + (size_t)body);
}

static bool checksum_good(const uint8_t *p, size_t len, uint32_t want) {
  static const uint8_t none[4];
  if (!want)
    return true;
  struct sdm_bytes copy = {0};
  sdm_bytes_add(&copy, p, len);
  memcpy(copy.p + 20, none, 4);
  uint32_t crc = sdm_crc32c(copy.p, len);
  sdm_bytes_fini(&copy);
  return (crc ? crc : 1) == want;
}

int sdm_frame_decode(const uint8_t *p, size_t len, struct sdm_frame *f) {
  *f = (struct sdm_frame){0};
  if (len < SDM_FRAME_HEADER || sdm_frame_size(p, len, SDM_FRAME_MAX) != (long)len)
    return -EBADMSG;
  struct sdm_cursor c = sdm_cursor_of(p + 5, len - 5);
  f->type = sdm_cursor_u8(&c);
  f->flags = sdm_cursor_u8(&c);
  f->flags = (uint16_t)(f->flags | sdm_cursor_u8(&c) << 8);
  f->request = sdm_cursor_u64(&c);
  f->time = sdm_cursor_u32(&c);
  if (!checksum_good(p, len, sdm_cursor_u32(&c)))
    return -EBADMSG;
  for (uint8_t tag; (tag = sdm_cursor_u8(&c)) != FIELD_END && !c.bad;) {
    size_t n;
    const uint8_t *at = sdm_cursor_block(&c, &n);
    if (tag == FIELD_DEST) {
      f->dest = at;
      f->dest_len = n;
    } else if (tag == FIELD_AGGREGATE) {
      f->aggregate = at;
      f->aggregate_len = n;
    } /* a tag of a later version is stepped over */
  }
  f->payload_len = sdm_cursor_left(&c);
  f->payload = c.p;
  return c.bad ? -EBADMSG : 0;
}

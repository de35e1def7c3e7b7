/* Frames: what travels on a link.  A fixed header of 24 bytes, then tagged fields, then an opaque payload.
 * docs/sdm-protocol.md has the table.  Encoding and decoding do no I/O and keep no state. */
#ifndef SDM_FRAME_H
#define SDM_FRAME_H
#include "sdm/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SDM_FRAME_VERSION 1
#define SDM_FRAME_HEADER 24
#define SDM_FRAME_MAX (16u << 20) /* body bytes of an authenticated peer */
#define SDM_FRAME_MAX_HELLO 512u  /* body bytes before that */

enum sdm_frame_type {
  SDM_HELLO = 1,
  SDM_AUTH,
  SDM_WELCOME,
  SDM_ROUTE,
  SDM_CMD,
  SDM_REPLY,
  SDM_EVENT,
  SDM_IO,
  SDM_CREDIT,
  SDM_PING,
  SDM_PONG,
  SDM_DEAD,
  SDM_ADOPT,
  SDM_BYE,
  SDM_ERROR,
  SDM_REGISTER,
  SDM_BACK,
  SDM_FRAME_TYPES
};

enum {
  SDM_FLAG_REASK = 1,      /* CMD: perhaps seen before; answer again, do not run again */
  SDM_FLAG_PARTIAL = 2,    /* REPLY: some are missing */
  SDM_FLAG_SUPPLEMENT = 4, /* REPLY: late answers to a request that was answered in part */
  SDM_FLAG_MORE = 8,       /* link layer: the payload goes on in the next frame of the same class */
};

/* Set fields are kept encoded: a router hands them on without reading them.  Pointers are borrowed: from the caller
 * when encoding, from the buffer when decoding.  A NULL field is absent. */
struct sdm_frame {
  uint8_t type;
  uint16_t flags;
  uint64_t request;  /* 0: none */
  uint32_t time;     /* CMD, ROUTE: ms left to answer; EVENT, IO: us left to wait for company */
  const uint8_t *dest, *aggregate, *payload;
  size_t dest_len, aggregate_len, payload_len;
};

const char *sdm_frame_name(uint8_t type);
/* Appends the whole frame.  'checksum' puts a CRC-32C in the header, for links that are not sealed. */
void sdm_frame_encode(const struct sdm_frame *f, bool checksum, struct sdm_bytes *out);
/* Looks at the header: returns the size of the whole frame, 0 if fewer than SDM_FRAME_HEADER bytes are there,
 * -EBADMSG if it is no header of ours, -EMSGSIZE if the body is above 'limit'.  Allocates nothing. */
long sdm_frame_size(const uint8_t *p, size_t len, size_t limit);
/* Decodes one whole frame of 'len' bytes.  Returns 0 or -EBADMSG. */
int sdm_frame_decode(const uint8_t *p, size_t len, struct sdm_frame *f);
#ifdef __cplusplus
}
#endif
#endif

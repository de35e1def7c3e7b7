/* Output of many ranks on its way up: pieces (a line, or a part of one) with the set of ranks that wrote the same.
 * Bytes are exact, and the order of one rank's pieces is kept: a piece joins an equal one only if no later piece
 * in the list names one of its ranks. */
#ifndef SDM_IOLIST_H
#define SDM_IOLIST_H
#include "sdm/bytes.h"
#include "sdm/set.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SDM_STDIN, SDM_STDOUT, SDM_STDERR };

struct sdm_piece {
  uint8_t stream;
  bool eof; /* nothing follows on this stream; may have bytes too */
  const struct sdm_set *set; /* the list's, perhaps of several pieces */
  struct {
    const uint8_t *p; /* the list's */
    size_t len;
  } bytes;
};

struct sdm_iostore;
struct sdm_iolist {
  struct sdm_piece *pieces; /* [n], owned */
  size_t n, cap, bytes;
  struct sdm_iostore *store; /* what the pieces point to, owned; NULL: nothing yet */
};

void sdm_iolist_fini(struct sdm_iolist *l);
void sdm_iolist_add(struct sdm_iolist *l, uint8_t stream, bool eof, const struct sdm_set *set, const void *p, size_t len);
void sdm_iolist_merge(struct sdm_iolist *into, const struct sdm_iolist *from);
void sdm_iolist_encode(const struct sdm_iolist *l, struct sdm_bytes *out);
int sdm_iolist_decode(struct sdm_iolist *l, const void *p, size_t len, sdm_id max); /* 0 or -EBADMSG */
#ifdef __cplusplus
}
#endif
#endif

/* One authenticated, sealed connection, as bytes: no sockets here.
 *
 * Both sides send HELLO (who am I, whom do I want, a fresh key), then AUTH (a proof, keyed with the session's secret,
 * over both HELLOs).  Until the peer's proof is checked nothing but these two frames, of at most 512 bytes, is looked
 * at.  After that everything travels in sealed records of at most 64 KiB; frames above that are cut, and frames of a
 * more urgent class overtake between records.  docs/sdm-protocol.md has the details and what each side refuses. */
#ifndef SDM_LINK_H
#define SDM_LINK_H
#include "base/error.h"
#include "sdm/frame.h"
#include "sdm/set.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SDM_SECRET_BYTES 32
#define SDM_RECORD_MAX 65536u

struct sdm_secret {
  uint8_t key[SDM_SECRET_BYTES];
};

/* Must be called once before any other function here.  0 or -EIO. */
int sdm_link_init(void);
void sdm_secret_random(struct sdm_secret *s);
/* A file of 64 hexadecimal digits that only its owner can read and write; anything else is refused.  These four return 0 or a negative code with
 * the reason: -EPERM (others can read it), -EINVAL (not 64 digits, or none at all), -EIO, or errno's of the file. */
int sdm_secret_read(struct sdm_secret *s, const char *path, struct dvm_error *err);
int sdm_secret_write(const struct sdm_secret *s, const char *path, struct dvm_error *err); /* new file, mode 0600 */
/* Takes the secret from 'file' ("-": the first line of standard input), or if it is NULL from SDM_SECRET in the environment, where it is wiped and removed.  'option' is how
 * a message calls the way to name a file. */
int sdm_secret_take(struct sdm_secret *s, const char *file, const char *option, struct dvm_error *err);
void sdm_secret_print(const struct sdm_secret *s, char hex[2 * SDM_SECRET_BYTES + 1]);
int sdm_secret_parse(struct sdm_secret *s, const char *hex, struct dvm_error *err);
void sdm_secret_wipe(struct sdm_secret *s);

struct sdm_link;

/* 'dialler' tells who called.  'wanted' is the id that must be at the other end, SDM_ID_NONE: any. */
struct sdm_link *sdm_link_new(const struct sdm_secret *secret, bool dialler, sdm_id self, sdm_id wanted);
void sdm_link_free(struct sdm_link *l);

typedef void (*sdm_link_frame_f)(void *arg, const struct sdm_frame *f);
/* Takes bytes from the peer and calls 'frame' for each whole frame (never before the peer is known).  Returns 0, or a
 * negative code with the reason; then the link is unusable, but its pending output should still be sent.
 * -EADDRNOTAVAIL: the peer is valid but is not the one wanted. */
int sdm_link_feed(struct sdm_link *l, const void *p, size_t len, sdm_link_frame_f frame, void *arg, struct dvm_error *err);
bool sdm_link_is_up(const struct sdm_link *l); /* the peer has proved that it knows the secret */
sdm_id sdm_link_peer(const struct sdm_link *l);

/* Frames that are sent before the link is up wait for it. */
void sdm_link_send(struct sdm_link *l, const struct sdm_frame *f);
/* Bytes to write; then tell how many were written. */
size_t sdm_link_output(struct sdm_link *l, const uint8_t **p);
void sdm_link_written(struct sdm_link *l, size_t n);
size_t sdm_link_queued(const struct sdm_link *l);
#ifdef __cplusplus
}
#endif
#endif

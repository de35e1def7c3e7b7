#include "sdm/link.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x314d4453u /* "SDM1" */
#define HELLO_BYTES 99
#define HELLO_KEY_AT 35 /* the public key in a HELLO */
#define AUTH_BYTES (32 + crypto_secretstream_xchacha20poly1305_HEADERBYTES)
#define SEAL_BYTES crypto_secretstream_xchacha20poly1305_ABYTES
#define OUTPUT_FILL (4 * SDM_RECORD_MAX) /* sealed bytes made ahead: what is sealed can no longer be overtaken */

enum state { WANT_HELLO, WANT_AUTH, UP, FAILED };
enum class { URGENT, NORMAL, BULK, CLASSES };

struct sdm_link {
  struct sdm_secret secret;
  bool dialler;
  enum state state;
  sdm_id self, wanted, peer;
  uint8_t public[32], private[32], hello[HELLO_BYTES], peer_hello[HELLO_BYTES];
  crypto_secretstream_xchacha20poly1305_state seal, open;
  uint8_t open_key[32];
  struct sdm_bytes in, out;
  size_t out_at;
  struct sdm_bytes queue[CLASSES]; /* frames, each after its length (u32) */
  size_t queue_at[CLASSES], cut_at[CLASSES];
  struct sdm_bytes whole[CLASSES]; /* what is put together again */
};

int sdm_link_init(void) { return sodium_init() < 0 ? -EIO : 0; }

void sdm_secret_random(struct sdm_secret *s) { randombytes_buf(s->key, sizeof(s->key)); }
void sdm_secret_wipe(struct sdm_secret *s) { sodium_memzero(s, sizeof(*s)); }
void sdm_secret_print(const struct sdm_secret *s, char hex[2 * SDM_SECRET_BYTES + 1]) {
  sodium_bin2hex(hex, 2 * SDM_SECRET_BYTES + 1, s->key, sizeof(s->key));
}

int sdm_secret_parse(struct sdm_secret *s, const char *hex, struct dvm_error *err) {
  size_t n = 0;
  if (strlen(hex) == 2 * SDM_SECRET_BYTES && !sodium_hex2bin(s->key, sizeof(s->key), hex, 2 * SDM_SECRET_BYTES, NULL, &n, NULL) &&
      n == SDM_SECRET_BYTES)
    return 0;
  return dvm_error_set(err, -EINVAL, "a session secret must have %d hexadecimal digits", 2 * SDM_SECRET_BYTES);
}

int sdm_secret_read(struct sdm_secret *s, const char *path, struct dvm_error *err) {
  char hex[2 * SDM_SECRET_BYTES + 2] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return dvm_error_errno(err, "cannot read the secret '%s'", path);
  struct stat st;
  int rc = fstat(fd, &st) ? dvm_error_errno(err, "'%s'", path) : 0;
  if (!rc && (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077)))
    rc = dvm_error_set(err, -EPERM, "the secret '%s' must be a file of yours that nobody else can read (mode 0600)", path);
  ssize_t n = rc ? 0 : read(fd, hex, sizeof(hex) - 1);
  close(fd);
  if (!rc && n < 0)
    rc = dvm_error_errno(err, "cannot read the secret '%s'", path);
  hex[strcspn(hex, "\n")] = 0;
  if (!rc && sdm_secret_parse(s, hex, err))
    rc = dvm_error_wrap(err, "'%s'", path);
  sodium_memzero(hex, sizeof(hex));
  return rc;
}

/* Byte by byte: what follows is not ours. */
static int read_stdin(struct sdm_secret *s, struct dvm_error *err) {
  char hex[2 * SDM_SECRET_BYTES + 2] = "";
  size_t n = 0;
  while (n < sizeof(hex) - 1 && read(0, hex + n, 1) == 1 && hex[n] != '\n')
    n++;
  hex[n] = 0;
  int rc = sdm_secret_parse(s, hex, err);
  sodium_memzero(hex, sizeof(hex));
  return rc;
}

int sdm_secret_take(struct sdm_secret *s, const char *file, const char *option, struct dvm_error *err) {
  char *hex = getenv("SDM_SECRET");
  int rc;
  if (file && !strcmp(file, "-"))
    rc = read_stdin(s, err);
  else if (file)
    rc = sdm_secret_read(s, file, err);
  else if (!hex)
    rc = dvm_error_set(err, -EINVAL, "no session secret; give it with %s or in SDM_SECRET", option);
  else
    rc = sdm_secret_parse(s, hex, err);
  if (hex && !rc) {
    sodium_memzero(hex, strlen(hex)); /* neither we nor our children need it any more */
    unsetenv("SDM_SECRET");
  }
  return rc;
}

int sdm_secret_write(const struct sdm_secret *s, const char *path, struct dvm_error *err) {
  char hex[2 * SDM_SECRET_BYTES + 1];
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return dvm_error_errno(err, "cannot write the secret '%s'", path);
  sdm_secret_print(s, hex);
  int rc = write(fd, hex, sizeof(hex) - 1) == (ssize_t)sizeof(hex) - 1 ? 0 : -EIO;
  sodium_memzero(hex, sizeof(hex));
  if (close(fd) || rc)
    return dvm_error_set(err, -EIO, "cannot write the secret '%s'", path);
  return 0;
}

static void put_frame(struct sdm_link *l, uint8_t type, const uint8_t *p, size_t len) {
  sdm_frame_encode(&(struct sdm_frame){.type = type, .payload = p, .payload_len = len}, false, &l->out);
}

/* The session is named by a digest of its secret, so that a stray dialler is told so, and not just refused. */
static void session_id(const struct sdm_secret *secret, uint8_t id[16]) {
  crypto_generichash(id, 16, (const uint8_t *)"session", 7, secret->key, sizeof(secret->key));
}

static void write_hello(struct sdm_link *l) {
  struct sdm_bytes b = {0};
  sdm_bytes_u32(&b, MAGIC);
  sdm_bytes_u8(&b, SDM_FRAME_VERSION); /* oldest and newest version spoken */
  sdm_bytes_u8(&b, SDM_FRAME_VERSION);
  sdm_bytes_u32(&b, 0); /* feature bits */
  sdm_bytes_u8(&b, l->dialler);
  sdm_bytes_u32(&b, l->self);
  sdm_bytes_u32(&b, l->wanted);
  uint8_t *session = sdm_bytes_grow(&b, 16);
  session_id(&l->secret, session);
  sdm_bytes_add(&b, l->public, 32);
  randombytes_buf(sdm_bytes_grow(&b, 32), 32);
  memcpy(l->hello, b.p, HELLO_BYTES);
  sdm_bytes_fini(&b);
  put_frame(l, SDM_HELLO, l->hello, HELLO_BYTES);
}

struct sdm_link *sdm_link_new(const struct sdm_secret *secret, bool dialler, sdm_id self, sdm_id wanted) {
  struct sdm_link *l = sdm_alloc(sizeof(*l));
  l->secret = *secret;
  l->dialler = dialler;
  l->self = self;
  l->wanted = wanted;
  l->peer = SDM_ID_NONE;
  crypto_box_keypair(l->public, l->private);
  write_hello(l);
  return l;
}

void sdm_link_free(struct sdm_link *l) {
  if (!l)
    return;
  sdm_bytes_fini(&l->in);
  sdm_bytes_fini(&l->out);
  for (int i = 0; i < CLASSES; i++) {
    sdm_bytes_fini(&l->queue[i]);
    sdm_bytes_fini(&l->whole[i]);
  }
  sodium_memzero(l, sizeof(*l));
  free(l);
}

bool sdm_link_is_up(const struct sdm_link *l) { return l->state == UP; }
sdm_id sdm_link_peer(const struct sdm_link *l) { return l->peer; }

static int fail(struct sdm_link *l, int code, bool tell, struct dvm_error *err, const char *why) {
  l->state = FAILED;
  if (tell)
    put_frame(l, SDM_ERROR, (const uint8_t *)why, strlen(why));
  return dvm_error_set(err, code, "%s", why);
}

/* Keys: one for each direction, from the fresh shared point, the secret and both HELLOs. */
static int derive(struct sdm_link *l, uint8_t transcript[32], uint8_t seal_key[32]) {
  const uint8_t *first = l->dialler ? l->hello : l->peer_hello, *second = l->dialler ? l->peer_hello : l->hello;
  uint8_t shared[32], keys[64];
  crypto_generichash_state h;
  if (crypto_scalarmult(shared, l->private, l->peer_hello + HELLO_KEY_AT))
    return -EPROTO;
  crypto_generichash_init(&h, l->secret.key, 32, 32);
  crypto_generichash_update(&h, first, HELLO_BYTES);
  crypto_generichash_update(&h, second, HELLO_BYTES);
  crypto_generichash_final(&h, transcript, 32);
  crypto_generichash_init(&h, l->secret.key, 32, 64);
  crypto_generichash_update(&h, shared, 32);
  crypto_generichash_update(&h, transcript, 32);
  crypto_generichash_final(&h, keys, 64);
  memcpy(seal_key, keys + (l->dialler ? 0 : 32), 32);
  memcpy(l->open_key, keys + (l->dialler ? 32 : 0), 32);
  sodium_memzero(shared, sizeof(shared));
  sodium_memzero(keys, sizeof(keys));
  return 0;
}

/* The dialler's byte differs from the listener's, so a proof cannot be sent back to its maker. */
static void prove(const struct sdm_link *l, bool dialler, const uint8_t *transcript, const uint8_t *header, uint8_t proof[32]) {
  uint8_t text[1 + 32 + crypto_secretstream_xchacha20poly1305_HEADERBYTES];
  text[0] = dialler ? 'D' : 'L';
  memcpy(text + 1, transcript, 32);
  memcpy(text + 33, header, sizeof(text) - 33);
  crypto_auth_hmacsha256(proof, text, sizeof(text), l->secret.key);
}

static void send_auth(struct sdm_link *l, const uint8_t *transcript, const uint8_t *seal_key) {
  uint8_t auth[AUTH_BYTES];
  crypto_secretstream_xchacha20poly1305_init_push(&l->seal, auth + 32, seal_key);
  prove(l, l->dialler, transcript, auth + 32, auth);
  put_frame(l, SDM_AUTH, auth, sizeof(auth));
}

static int take_hello(struct sdm_link *l, const struct sdm_frame *f, struct dvm_error *err) {
  struct sdm_cursor c = sdm_cursor_of(f->payload, f->payload_len);
  uint32_t magic = sdm_cursor_u32(&c);
  uint8_t oldest = sdm_cursor_u8(&c), newest = sdm_cursor_u8(&c);
  sdm_cursor_u32(&c);
  uint8_t dialler = sdm_cursor_u8(&c), session[16], transcript[32], key[32];
  sdm_id peer = sdm_cursor_u32(&c), wanted = sdm_cursor_u32(&c);
  const uint8_t *theirs = sdm_cursor_take(&c, 16);
  if (magic != MAGIC || !theirs || f->payload_len != HELLO_BYTES || dialler == l->dialler)
    return fail(l, -EPROTO, false, err, "the peer does not speak this protocol");
  if (oldest > SDM_FRAME_VERSION || newest < SDM_FRAME_VERSION)
    return fail(l, -EPROTO, true, err, "no common protocol version; install the same version at both ends");
  session_id(&l->secret, session);
  if (sodium_memcmp(session, theirs, 16))
    return fail(l, -EADDRNOTAVAIL, true, err, "another session is served here");
  if ((wanted != SDM_ID_NONE && wanted != l->self) || (l->wanted != SDM_ID_NONE && l->wanted != peer))
    return fail(l, -EADDRNOTAVAIL, true, err, "a different server is listening here");
  memcpy(l->peer_hello, f->payload, HELLO_BYTES);
  l->peer = peer;
  if (derive(l, transcript, key))
    return fail(l, -EPROTO, false, err, "the peer's key is invalid");
  send_auth(l, transcript, key);
  sodium_memzero(key, sizeof(key));
  l->state = WANT_AUTH;
  return 0;
}

static int take_auth(struct sdm_link *l, const struct sdm_frame *f, struct dvm_error *err) {
  uint8_t transcript[32], key[32], proof[32];
  if (f->payload_len != AUTH_BYTES || derive(l, transcript, key))
    return fail(l, -EPROTO, false, err, "the peer does not speak this protocol");
  sodium_memzero(key, sizeof(key));
  prove(l, !l->dialler, transcript, f->payload + 32, proof);
  if (sodium_memcmp(proof, f->payload, 32) || crypto_secretstream_xchacha20poly1305_init_pull(&l->open, f->payload + 32, l->open_key))
    return fail(l, -EACCES, true, err, "the peer does not know the session secret");
  sodium_memzero(l->open_key, 32);
  sodium_memzero(l->private, 32);
  l->state = UP;
  return 0;
}

static int take_error(struct sdm_link *l, const struct sdm_frame *f, struct dvm_error *err) {
  char why[128];
  size_t n = f->payload_len < sizeof(why) - 1 ? f->payload_len : sizeof(why) - 1;
  for (size_t i = 0; i < n; i++)
    why[i] = (char)(f->payload[i] < ' ' || f->payload[i] > '~' ? '?' : f->payload[i]);
  why[n] = 0;
  bool other = !strncmp(why, "another ", 8);
  return fail(l, other ? -EADDRNOTAVAIL : -ECONNREFUSED, false, err, n ? why : "the peer gave up");
}

/* One plain frame of the handshake.  1: taken, 0: more bytes are needed. */
static int feed_plain(struct sdm_link *l, struct dvm_error *err) {
  struct sdm_frame f;
  long size = sdm_frame_size(l->in.p, l->in.len, SDM_FRAME_MAX_HELLO);
  if (size < 0)
    return fail(l, -EPROTO, false, err, "the peer does not speak this protocol");
  if (!size || l->in.len < (size_t)size)
    return 0;
  int rc = sdm_frame_decode(l->in.p, (size_t)size, &f);
  if (!rc && f.type == SDM_ERROR)
    rc = take_error(l, &f, err);
  else if (!rc && f.type == SDM_HELLO && l->state == WANT_HELLO)
    rc = take_hello(l, &f, err);
  else if (!rc && f.type == SDM_AUTH && l->state == WANT_AUTH)
    rc = take_auth(l, &f, err);
  else
    rc = fail(l, -EPROTO, false, err, "the peer does not speak this protocol");
  sdm_bytes_consume(&l->in, (size_t)size);
  return rc ? rc : 1;
}

/* One record: class and "more" in the first byte, then a piece of a frame. */
static int take_record(struct sdm_link *l, const uint8_t *p, size_t len, sdm_link_frame_f frame, void *arg, struct dvm_error *err) {
  uint8_t class = len ? p[0] & 3 : CLASSES;
  if (class >= CLASSES || l->whole[class].len + len > SDM_FRAME_MAX + SDM_FRAME_HEADER)
    return fail(l, -EMSGSIZE, false, err, "the peer sent a frame that is too large");
  struct sdm_bytes *w = &l->whole[class];
  struct sdm_frame f;
  bool alone = !w->len && !(p[0] & 4);
  if (!alone)
    sdm_bytes_add(w, p + 1, len - 1);
  if (p[0] & 4)
    return 0;
  if (sdm_frame_decode(alone ? p + 1 : w->p, alone ? len - 1 : w->len, &f))
    return fail(l, -EBADMSG, false, err, "the peer sent a damaged frame");
  frame(arg, &f);
  w->len = 0;
  return 0;
}

static int feed_sealed(struct sdm_link *l, size_t *at, sdm_link_frame_f frame, void *arg, struct dvm_error *err) {
  struct sdm_cursor c = sdm_cursor_of(l->in.p + *at, l->in.len - *at);
  uint8_t plain[SDM_RECORD_MAX + 1], tag;
  unsigned long long n;
  uint32_t size = sdm_cursor_u32(&c);
  if (c.bad)
    return 0;
  if (size < SEAL_BYTES || size > sizeof(plain) + SEAL_BYTES)
    return fail(l, -EMSGSIZE, false, err, "the peer sent a record that is too large");
  const uint8_t *p = sdm_cursor_take(&c, size);
  if (!p)
    return 0;
  if (crypto_secretstream_xchacha20poly1305_pull(&l->open, plain, &n, &tag, p, size, NULL, 0))
    return fail(l, -EBADMSG, false, err, "the connection was tampered with");
  *at += 4 + size;
  int rc = take_record(l, plain, (size_t)n, frame, arg, err);
  return rc ? rc : 1;
}

int sdm_link_feed(struct sdm_link *l, const void *p, size_t len, sdm_link_frame_f frame, void *arg, struct dvm_error *err) {
  int rc = 1;
  size_t at = 0;
  if (l->state == FAILED)
    return dvm_error_set(err, -EPROTO, "the link has failed");
  if (l->state != UP && l->in.len + len > 2 * (SDM_FRAME_MAX_HELLO + SDM_FRAME_HEADER) + SDM_FRAME_MAX)
    return fail(l, -EMSGSIZE, false, err, "the peer sends too much");
  sdm_bytes_add(&l->in, p, len);
  while (rc > 0 && l->state != UP)
    rc = feed_plain(l, err);
  while (rc > 0)
    rc = feed_sealed(l, &at, frame, arg, err);
  sdm_bytes_consume(&l->in, at);
  return rc;
}

static enum class class_of(uint8_t type) {
  switch (type){
    case SDM_PING : case SDM_PONG : case SDM_CREDIT : return URGENT; /* not DEAD and BACK: they keep their order with REPLY */
    case SDM_IO : case SDM_EVENT : return BULK; /* what was written before a stop is seen before it */
    default : return NORMAL;
  }
}

void sdm_link_send(struct sdm_link *l, const struct sdm_frame *f) {
  enum class class = class_of(f->type);
  struct sdm_bytes *q = &l->queue[class];
  if (l->state == FAILED)
    return;
  if (l->queue_at[class] > q->len / 2) {
    sdm_bytes_consume(q, l->queue_at[class]);
    l->queue_at[class] = 0;
  }
  size_t start = q->len;
  sdm_bytes_u32(q, 0);
  sdm_frame_encode(f, false, q);
  uint32_t size = (uint32_t)(q->len - start - 4);
  for (unsigned i = 0; i < 4; i++)
    q->p[start + i] = (uint8_t)(size >> (8 * i));
}

/* Seals the next piece of the first frame of a class. */
static void seal_next(struct sdm_link *l, enum class class) {
  struct sdm_bytes *q = &l->queue[class];
  struct sdm_cursor c = sdm_cursor_of(q->p + l->queue_at[class], 4);
  size_t size = sdm_cursor_u32(&c), left = size - l->cut_at[class];
  size_t piece = left < SDM_RECORD_MAX ? left : SDM_RECORD_MAX;
  uint8_t plain[SDM_RECORD_MAX + 1];
  plain[0] = (uint8_t)(class | (piece < left ? 4 : 0));
  memcpy(plain + 1, q->p + l->queue_at[class] + 4 + l->cut_at[class], piece);
  sdm_bytes_u32(&l->out, (uint32_t)(piece + 1 + SEAL_BYTES));
  uint8_t *at = sdm_bytes_grow(&l->out, piece + 1 + SEAL_BYTES);
  crypto_secretstream_xchacha20poly1305_push(&l->seal, at, NULL, plain, piece + 1, NULL, 0, 0);
  l->cut_at[class] += piece;
  if (piece == left) {
    l->queue_at[class] += 4 + size;
    l->cut_at[class] = 0;
  }
}

size_t sdm_link_output(struct sdm_link *l, const uint8_t **p) {
  for (int class = 0; l->state == UP && class < CLASSES; class ++)
    while (l->queue_at[class] < l->queue[class].len && l->out.len - l->out_at < OUTPUT_FILL)
      seal_next(l, (enum class) class);
  *p = l->out.p + l->out_at;
  return l->out.len - l->out_at;
}

void sdm_link_written(struct sdm_link *l, size_t n) {
  l->out_at += n;
  if (l->out_at == l->out.len)
    l->out.len = l->out_at = 0;
}

size_t sdm_link_queued(const struct sdm_link *l) {
  size_t n = l->out.len - l->out_at;
  for (int i = 0; i < CLASSES; i++)
    n += l->queue[i].len - l->queue_at[i];
  return n;
}

/* The handshake and the sealed link, against peers that mean harm.  No sockets: bytes are carried by hand. */
#include "sdm/link.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct seen {
  unsigned n, order[64];
  struct sdm_bytes last;
};

static void on_frame(void *arg, const struct sdm_frame *f) {
  struct seen *s = arg;
  s->order[s->n++ % 64] = f->type;
  s->last.len = 0;
  sdm_bytes_add(&s->last, f->payload, f->payload_len);
}

static struct sdm_secret secret_of(uint8_t byte) {
  struct sdm_secret s;
  memset(s.key, byte, sizeof(s.key));
  return s;
}

/* Moves what 'from' has to say, in pieces of 'piece' bytes, flipping bit 'flip' of it (-1: none). */
static int carry(struct sdm_link *from, struct sdm_link *to, size_t piece, long flip, struct seen *seen) {
  struct dvm_error err = DVM_ERROR_INIT;
  const uint8_t *p;
  size_t n = sdm_link_output(from, &p);
  uint8_t *copy = sdm_memdup(p, n);
  int rc = 0;
  sdm_link_written(from, n);
  if (flip >= 0 && (size_t)flip / 8 < n)
    copy[flip / 8] ^= (uint8_t)(1 << flip % 8);
  for (size_t at = 0; at < n && rc >= 0; at += piece)
    rc = sdm_link_feed(to, copy + at, n - at < piece ? n - at : piece, on_frame, seen, &err);
  free(copy);
  return rc;
}

static bool shake(struct sdm_link *a, struct sdm_link *b, size_t piece) {
  struct seen none = {0};
  for (int i = 0; i < 4; i++) {
    carry(a, b, piece, -1, &none);
    carry(b, a, piece, -1, &none);
  }
  assert_int_equal(none.n, 0); /* no frame before both are known */
  return sdm_link_is_up(a) && sdm_link_is_up(b);
}

static void friends_talk(void **state) {
  (void)state;
  struct sdm_secret s = secret_of(1);
  for (size_t piece = 1; piece < 5000; piece = piece * 7 + 1) {
    struct sdm_link *a = sdm_link_new(&s, true, SDM_MASTER, 5), *b = sdm_link_new(&s, false, 5, SDM_ID_NONE);
    struct seen seen = {0};
    assert_true(shake(a, b, piece));
    assert_int_equal(sdm_link_peer(a), 5);
    assert_int_equal(sdm_link_peer(b), SDM_MASTER);
    sdm_link_send(a, &(struct sdm_frame){.type = SDM_CMD, .payload = (const uint8_t *)"run", .payload_len = 3});
    assert_int_equal(carry(a, b, piece, -1, &seen), 0);
    assert_int_equal(seen.n, 1);
    assert_memory_equal(seen.last.p, "run", 3);
    sdm_bytes_fini(&seen.last);
    sdm_link_free(a);
    sdm_link_free(b);
  }
}

static void urgent_overtakes_bulk(void **state) {
  (void)state;
  struct sdm_secret s = secret_of(1);
  struct sdm_link *a = sdm_link_new(&s, true, 1, 2), *b = sdm_link_new(&s, false, 2, 1);
  struct seen seen = {0};
  size_t big = 3 << 20;
  uint8_t *bytes = malloc(big);
  for (size_t i = 0; i < big; i++)
    bytes[i] = (uint8_t)(i * 31 >> 3);
  assert_true(shake(a, b, 100));
  sdm_link_send(a, &(struct sdm_frame){.type = SDM_IO, .payload = bytes, .payload_len = big});
  carry(a, b, 1 << 20, -1, &seen); /* some of it is on its way */
  sdm_link_send(a, &(struct sdm_frame){.type = SDM_PING});
  while (sdm_link_queued(a))
    assert_int_equal(carry(a, b, 1 << 20, -1, &seen), 0);
  assert_int_equal(seen.n, 2);
  assert_int_equal(seen.order[0], SDM_PING);
  assert_int_equal(seen.order[1], SDM_IO);
  assert_int_equal(seen.last.len, big);
  assert_memory_equal(seen.last.p, bytes, big);
  sdm_bytes_fini(&seen.last);
  free(bytes);
  sdm_link_free(a);
  sdm_link_free(b);
}

static void strangers_do_not(void **state) {
  (void)state;
  struct sdm_secret s = secret_of(1), other = secret_of(2);
  struct sdm_link *a = sdm_link_new(&other, true, SDM_MASTER, 5), *b = sdm_link_new(&s, false, 5, SDM_ID_NONE);
  assert_false(shake(a, b, 1000)); /* wrong secret */
  assert_false(sdm_link_is_up(a) || sdm_link_is_up(b));
  sdm_link_free(a);
  sdm_link_free(b);
  a = sdm_link_new(&s, true, SDM_MASTER, 6);
  b = sdm_link_new(&s, false, 5, SDM_ID_NONE);
  struct seen none = {0};
  assert_int_equal(carry(a, b, 1000, -1, &none), -EADDRNOTAVAIL); /* the wrong server: says so */
  assert_int_equal(carry(b, a, 1000, -1, &none), -EADDRNOTAVAIL);
  sdm_link_free(a);
  sdm_link_free(b);
}

static void every_bit_of_the_handshake_counts(void **state) {
  (void)state;
  struct sdm_secret s = secret_of(1);
  unsigned up = 0;
  for (long bit = 0; bit < 8 * 124; bit++) {
    struct sdm_link *a = sdm_link_new(&s, true, 1, 2), *b = sdm_link_new(&s, false, 2, 1);
    struct seen none = {0};
    carry(a, b, 1000, bit, &none); /* the HELLO is changed on its way */
    for (int i = 0; i < 3; i++) {
      carry(b, a, 1000, -1, &none);
      carry(a, b, 1000, -1, &none);
    }
    /* Only header bits that carry nothing yet (flags, request, time, checksum of 0) may be ignored. */
    bool ignored = bit / 8 >= 6 && bit / 8 < 20;
    if (!ignored && sdm_link_is_up(b))
      up++;
    assert_int_equal(none.n, 0);
    sdm_link_free(a);
    sdm_link_free(b);
  }
  assert_int_equal(up, 0);
}

static void replay_and_reflection_fail(void **state) {
  (void)state;
  struct sdm_secret s = secret_of(1);
  struct sdm_link *a = sdm_link_new(&s, true, 1, 2), *b = sdm_link_new(&s, false, 2, 1);
  struct sdm_bytes tape = {0};
  struct seen seen = {0};
  struct dvm_error err;
  const uint8_t *p;
  for (int i = 0; i < 3; i++) { /* all that the dialler says is taped */
    size_t n = sdm_link_output(a, &p);
    sdm_bytes_add(&tape, p, n);
    carry(a, b, 1000, -1, &seen);
    carry(b, a, 1000, -1, &seen);
  }
  assert_true(sdm_link_is_up(b));
  sdm_link_send(a, &(struct sdm_frame){.type = SDM_CMD, .payload = (const uint8_t *)"kill", .payload_len = 4});
  size_t n = sdm_link_output(a, &p);
  sdm_bytes_add(&tape, p, n);
  struct sdm_link *victim = sdm_link_new(&s, false, 2, 1);
  assert_true(sdm_link_feed(victim, tape.p, tape.len, on_frame, &seen, &err) < 0);
  assert_false(sdm_link_is_up(victim));
  /* The same record twice on a good link. */
  uint8_t *record = sdm_memdup(p, n);
  assert_int_equal(sdm_link_feed(b, record, n, on_frame, &seen, &err), 0);
  assert_int_equal(seen.n, 1);
  assert_true(sdm_link_feed(b, record, n, on_frame, &seen, &err) < 0);
  assert_int_equal(seen.n, 1);
  free(record);
  /* What a listener says, sent back to it. */
  struct sdm_link *mirror = sdm_link_new(&s, false, 2, SDM_ID_NONE);
  n = sdm_link_output(mirror, &p);
  record = sdm_memdup(p, n);
  assert_true(sdm_link_feed(mirror, record, n, on_frame, &seen, &err) < 0);
  free(record);
  sdm_bytes_fini(&tape);
  sdm_bytes_fini(&seen.last);
  sdm_link_free(a);
  sdm_link_free(b);
  sdm_link_free(victim);
  sdm_link_free(mirror);
}

static void garbage_old_versions_and_giants_fail(void **state) {
  (void)state;
  struct sdm_secret s = secret_of(1);
  struct dvm_error err;
  struct seen seen = {0};
  uint8_t bytes[4096];
  for (unsigned seed = 1; seed < 300; seed++) {
    struct sdm_link *l = sdm_link_new(&s, false, 2, SDM_ID_NONE);
    uint32_t r = seed;
    for (size_t i = 0; i < sizeof(bytes); i++)
      bytes[i] = (uint8_t)((r = r * 1664525 + 1013904223) >> 24);
    if (seed % 3 == 0) /* a good header, announcing 16 MiB */
      memcpy(bytes, "\xff\xff\xff\x00\x01\x01", 6);
    if (seed % 3 == 1) /* a frame of another version */
      memcpy(bytes, "\x10\x00\x00\x00\x02\x01", 6);
    assert_true(sdm_link_feed(l, bytes, sizeof(bytes), on_frame, &seen, &err) < 0);
    assert_false(sdm_link_is_up(l));
    sdm_link_free(l);
  }
  assert_int_equal(seen.n, 0);
  /* A HELLO that speaks only version 2: told why. */
  struct sdm_link *a = sdm_link_new(&s, true, 1, 2), *b = sdm_link_new(&s, false, 2, 1);
  const uint8_t *p;
  size_t n = sdm_link_output(a, &p);
  uint8_t *hello = sdm_memdup(p, n);
  hello[25 + 4] = hello[25 + 5] = 2;
  assert_int_equal(sdm_link_feed(b, hello, n, on_frame, &seen, &err), -EPROTO);
  assert_non_null(strstr(err.text, "version"));
  free(hello);
  sdm_link_free(a);
  sdm_link_free(b);
}

static void secret_files_are_private(void **state) {
  (void)state;
  struct sdm_secret s, back;
  struct dvm_error err;
  char folder[] = "/tmp/sdm-secret.XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/secret", folder);
  sdm_secret_random(&s);
  assert_int_equal(sdm_secret_write(&s, path, &err), 0);
  assert_true(sdm_secret_write(&s, path, &err) < 0); /* never over an old one */
  assert_int_equal(sdm_secret_read(&back, path, &err), 0);
  assert_memory_equal(s.key, back.key, sizeof(s.key));
  chmod(path, 0640);
  assert_int_equal(sdm_secret_read(&back, path, &err), -EPERM);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friends_talk),
      cmocka_unit_test(urgent_overtakes_bulk),
      cmocka_unit_test(strangers_do_not),
      cmocka_unit_test(every_bit_of_the_handshake_counts),
      cmocka_unit_test(replay_and_reflection_fail),
      cmocka_unit_test(garbage_old_versions_and_giants_fail),
      cmocka_unit_test(secret_files_are_private),
  };
  return sdm_link_init() ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}

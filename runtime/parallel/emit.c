#include "runtime/parallel/emit.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/live.h"
#include "runtime/trace/object.h"
#include "runtime/trace/ring.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct dvmt_ring *ring;
static char *chunk;
static size_t used;
static bool live; /* over a socket, not through the ring */
static int64_t published_ms;

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void dvmp_emit_begin(struct dvmt_ring *r) {
  ring = r;
  chunk = r->chunk[0];
  used = 0;
  published_ms = now_ms();
}

void dvmp_emit_begin_live(void) {
  if (!(chunk = malloc(DVMT_RING_CHUNK)))
    dvmp_out_of_memory();
  live = true;
  used = 0;
}

void dvmp_emit_end(void) {
  ring = NULL;
  live = false;
}
bool dvmp_emit_wanted(void) { return ring || live; }

bool dvmp_emit_ask(enum dvmt_live_asks asks) {
  live = live && dvmp_live_send(chunk, used, asks);
  used = 0;
  return live;
}

static void publish(void) {
  if (live) {
    dvmp_emit_ask(DVMT_LIVE_NOTHING);
    return;
  }
  chunk = dvmt_ring_next(ring, used);
  used = 0;
  published_ms = now_ms();
  if (!chunk)
    ring = NULL;
}

/* Room for so many words, the first of which is written last. */
static uint64_t *room(size_t words) {
  if (words * 8 > DVMT_RING_CHUNK - DVMT_RECORD_MAX)
    return NULL;
  if (DVMT_RING_CHUNK - DVMT_RECORD_MAX - used < words * 8)
    publish();
  return dvmp_emit_wanted() ? (uint64_t *)(void *)(chunk + used) : NULL;
}

static void put(uint64_t *r, const struct dvmt_site *site, enum dvmt_tag tag, size_t words) {
  __atomic_store_n(r, (uint64_t)(uintptr_t)site + tag, __ATOMIC_RELEASE);
  used += 8 * words;
}

void dvmp_emit(const struct dvmt_site *site, enum dvmt_tag tag, const uint64_t *words, size_t n) {
  uint64_t *r = dvmp_emit_wanted() ? room(n + 1) : NULL;
  if (!r)
    return;
  if (n)
    memcpy(r + 1, words, 8 * n);
  put(r, site, tag, n + 1);
}

void dvmp_emit_program(void) {
  char text[DVMT_OBJECT_PROGRAM + 1];
  size_t n = dvmt_object_program(text), words = 2 + (n + 8) / 8;
  uint64_t *r = n && dvmp_emit_wanted() ? room(words) : NULL;
  if (!r)
    return;
  r[1] = n;
  memset(r + 2, 0, 8 * (words - 2));
  memcpy(r + 2, text, n);
  put(r, NULL, DVMT_TAG_PROGRAM, words);
}

/* 'shape': words, bytes, where, as a definition has them. */
static struct dvmt_site *define(const char *text, unsigned kind, uint64_t shape, unsigned nargs) {
  struct dvmt_site *s = aligned_alloc(16, (sizeof(*s) + 15) & ~(size_t)15);
  size_t n = strlen(text), words = 5 + (n + 7) / 8;
  if (!s || !(text = strdup(text)))
    dvmp_out_of_memory();
  *s = (struct dvmt_site){.text = text, .kind = (uint8_t)kind, .nargs = (uint8_t)nargs, .level = DVMT_LEVEL_UNSET};
  uint64_t *r = dvmp_emit_wanted() ? room(words) : NULL;
  if (!r)
    return s;
  r[1] = r[2] = 0;
  r[3] = kind | shape << 8 | (uint64_t)nargs << 32;
  r[4] = n;
  r[words - 1] = n ? 0 : r[words - 1];
  memcpy(r + 5, text, n);
  put(r, s, DVMT_TAG_DEFINE, words);
  return s;
}

struct dvmt_site *dvmp_emit_site(const char *text, unsigned kind, unsigned nargs) { return define(text, kind, 0, nargs); }

struct dvmt_site *dvmp_emit_values(const char *text, unsigned words, unsigned bytes) {
  return define(text, DVMT_SITE_ACCESS, words | (uint64_t)bytes << 8 | (uint64_t)DVMT_WHERE_ADDRESS << 16, 0);
}

void dvmp_emit_pace(void) {
  enum { PACE_MS = 200 };
  if (ring && used && now_ms() - published_ms >= PACE_MS)
    publish();
}

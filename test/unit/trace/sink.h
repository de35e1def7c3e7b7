/* A small trace for tests: two sites, one array, and records drawn from a seed. */
#ifndef TEST_TRACE_SINK_H
#define TEST_TRACE_SINK_H
#include "driver/trace/format/stream.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct dvmt_site_def test_sites[] = {
    {"K parallel 1\nF a.c\nP 3 9\nN 2 i j", DVMT_SITE_CONSTRUCT, 2, 0, 0, 0},
    {"K w\nF a.c\nP 5 7\nT A[i][j]\nV A\nS 8\ny f8", DVMT_SITE_ACCESS, 1, 8, DVMT_WHERE_ADDRESS, 0},
    {"K r\nF a.c\nP 5 17\nT z[i]\nV z\nS 16\ny c16", DVMT_SITE_ACCESS, 2, 16, DVMT_WHERE_ADDRESS, 0},
    {"K parallel 2\nF a.c\nP 8 9\nN 1 i\nR sum s & 8 1 f8", DVMT_SITE_CONSTRUCT, 1, 0, 0, 1},
};
static const struct dvmt_object_def test_objects[] = {
    {"A", 8, DVMT_OBJECT_ARRAY, 2, {100, 100}, {0}},
    {"z", 16, DVMT_OBJECT_FORTRAN, 1, {100}, {-7}},
};

static inline uint64_t test_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* Record number 'n' of the test trace: mostly regular rows, as programs make them, with surprises among them. */
static inline struct dvmt_record test_record(uint64_t n, uint64_t words[8]) {
  uint64_t seed = n * 0x9e3779b97f4a7c15ull + 1, surprise = test_random(&seed) % 50;
  uint64_t i = n / 2 / 98, j = n / 2 % 98;
  struct dvmt_record r = {.words = words};
  for (int k = 0; k < 8; k++)
    words[k] = test_random(&seed);
  if (surprise == 0) {
    r = (struct dvmt_record){
        .kind = DVMT_READ, .site = 2, .object = 1, .offset = (int64_t)(test_random(&seed) % 1600), .nwords = 2, .words = words};
  } else if (surprise == 1) {
    r = (struct dvmt_record){.kind = DVMT_RESULT, .site = 3, .nwords = 6, .words = words};
  } else if (surprise == 2) {
    r = (struct dvmt_record){.kind = DVMT_DIGEST, .site = 0, .object = 1, .nwords = 2, .words = words};
  } else if (surprise == 3) {
    r = (struct dvmt_record){.kind = n & 1 ? DVMT_LEAVE : DVMT_ENTER, .site = 3, .nwords = n & 1 ? 0 : 2, .words = words};
  } else if (n & 1) {
    r = (struct dvmt_record){.kind = DVMT_WRITE, .site = 1, .object = 0, .offset = (int64_t)(i * 800 + j * 8), .nwords = 1, .words = words};
    words[0] = 0x3ff0000000000000ull + (words[0] & 0xffff);
  } else {
    r = (struct dvmt_record){.kind = DVMT_ITER, .site = 0, .nwords = 2, .words = words};
    words[0] = i;
    words[1] = j;
  }
  return r;
}

static inline void test_fill(struct dvmt_sink *sink, uint64_t records) {
  uint64_t words[8];
  for (size_t i = 0; i < sizeof(test_sites) / sizeof(*test_sites); i++)
    assert_int_equal(sink->site(sink, &test_sites[i]), 0);
  for (size_t i = 0; i < sizeof(test_objects) / sizeof(*test_objects); i++)
    assert_int_equal(sink->object(sink, &test_objects[i]), 0);
  for (uint64_t n = 0; n < records; n++) {
    struct dvmt_record r = test_record(n, words);
    assert_int_equal(sink->record(sink, &r), 0);
  }
}

static inline void test_same(const struct dvmt_record *got, uint64_t n) {
  uint64_t words[8];
  struct dvmt_record want = test_record(n, words);
  assert_int_equal(got->kind, want.kind);
  assert_int_equal(got->site, want.site);
  assert_int_equal(got->nwords, want.nwords);
  if (want.kind <= DVMT_WRITE || want.kind == DVMT_DIGEST)
    assert_int_equal(got->object, want.object);
  if (want.kind <= DVMT_WRITE)
    assert_int_equal(got->offset, want.offset);
  assert_memory_equal(got->words, want.words, want.nwords * 8u);
}
#endif

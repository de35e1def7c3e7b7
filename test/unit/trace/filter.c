#define _GNU_SOURCE
/* Which records of a trace are wanted, when blocks are passed over. */
#include "driver/trace/command/filter.h"
#include "driver/trace/format/writer.h"
#include "sink.h"
#include <stdio.h>
#include <unistd.h>

static char path[64];

static void put(struct dvmt_sink *sink, enum dvmt_kind kind, uint64_t site, uint64_t object) {
  uint64_t words[8] = {1};
  struct dvmt_record r = {.kind = kind, .site = (uint32_t)site, .object = (uint32_t)object, .words = words};
  r.nwords = kind == DVMT_WRITE ? 1 : kind == DVMT_READ || kind == DVMT_ENTER ? 2 : 0;
  assert_int_equal(sink->record(sink, &r), 0);
}

/* 'z' is read in record 'first' and at the beginning of block 3, 'A' is assigned otherwise; the construct at a.c:8 begins with
 * record 'enter'.  Block 'damaged' is. */
static struct dvmt_reader *trace(uint64_t first, uint64_t enter, size_t damaged) {
  size_t n;
  static unsigned char bytes[4 << 20];
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_totals totals;
  struct dvmt_writer *w = dvmt_writer_create(path, "command './a'\nlevel full\n", DVMT_CODEC_NONE, &err);
  assert_non_null(w);
  struct dvmt_sink *sink = dvmt_writer_sink(w);
  test_fill(sink, 0);
  for (uint64_t i = 0; i < 4 * DVMT_BLOCK_RECORDS; i++)
    if (i == enter)
      put(sink, DVMT_ENTER, 3, 0);
    else if (i == first || i == 3 * DVMT_BLOCK_RECORDS)
      put(sink, DVMT_READ, 2, 1);
    else
      put(sink, DVMT_WRITE, 1, 0);
  assert_int_equal(dvmt_writer_close(w, true, &totals, &err), 0);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  n = fread(bytes, 1, sizeof(bytes), f);
  fclose(f);
  for (size_t at = 0, block = 0; damaged && at + DVMT_BLOCK_HEADER_BYTES < n; at++) {
    struct dvmt_block b;
    if (memcmp(bytes + at, "DBLK", 4) || dvmt_block_get(&b, bytes + at) || b.kind != DVMT_BLOCK_RECORDS_KIND || block++ != damaged)
      continue;
    bytes[at + DVMT_BLOCK_HEADER_BYTES + 9] ^= 1;
    break;
  }
  struct dvmt_reader *r = dvmt_reader_open_memory(bytes, n, &err);
  assert_non_null(r);
  return r;
}

/* The numbers of the wanted records; 'lost' ones do not count. */
static size_t numbers(struct dvmt_wanted *wanted, struct dvmt_reader *r, uint64_t *to, uint64_t *lost) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_filter f;
  struct dvmt_record rec;
  uint64_t number;
  size_t n = 0;
  *lost = 0;
  assert_int_equal(dvmt_filter_begin(&f, wanted, r, &err), 0);
  while (dvmt_filter_next(&f, r, &rec, &number, &err) > 0)
    if (rec.kind == DVMT_LOST)
      *lost += rec.words[0];
    else if (n < 8)
      to[n++] = number;
  dvmt_filter_fini(&f);
  return n;
}

/* Nothing above the last wanted number, though the next record of the variable begins a block behind passed ones. */
static void test_to(void **state) {
  uint64_t found[8], lost;
  (void)state;
  struct dvmt_wanted wanted = {.to = DVMT_BLOCK_RECORDS + 100, .element = "z"}; /* in a block that is passed over */
  struct dvmt_reader *r = trace(50, UINT64_MAX, 0);
  assert_int_equal(numbers(&wanted, r, found, &lost), 1);
  assert_int_equal(found[0], 50);
  dvmt_reader_close(r);
  r = trace(50, UINT64_MAX, 0);
  wanted.to = 0;
  assert_int_equal(numbers(&wanted, r, found, &lost), 2);
  assert_int_equal(found[1], 3 * DVMT_BLOCK_RECORDS);
  dvmt_reader_close(r);
}

/* What a construct did in blocks that were passed over is known behind a damaged one, too. */
static void test_damaged(void **state) {
  uint64_t found[8], lost;
  (void)state;
  struct dvmt_reader *r = trace(2 * DVMT_BLOCK_RECORDS + 5, DVMT_BLOCK_RECORDS + 7, 2);
  struct dvmt_wanted wanted = {.construct = "a.c:8", .element = "z"};
  assert_int_equal(numbers(&wanted, r, found, &lost), 1);
  assert_int_equal(found[0], 3 * DVMT_BLOCK_RECORDS);
  assert_int_equal(lost, DVMT_BLOCK_RECORDS);
  dvmt_reader_close(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_to), cmocka_unit_test(test_damaged)};
  snprintf(path, sizeof(path), "/tmp/dvm-filter-%d", (int)getpid());
  int rc = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return rc;
}

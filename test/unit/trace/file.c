#define _GNU_SOURCE
/* Files: what was written is read, by each codec; torn, damaged and foreign ones. */
#include "driver/trace/format/reader.h"
#include "driver/trace/format/writer.h"
#include "sink.h"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

enum { RECORDS = 200000 }; /* more than three blocks */
static char path[64], part[80];

static void write_trace(enum dvmt_codec codec, uint64_t records) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_totals totals;
  struct dvmt_writer *w = dvmt_writer_create(path, "command './a'\nlevel modify\n", codec, &err);
  assert_non_null(w);
  test_fill(dvmt_writer_sink(w), records);
  assert_int_equal(dvmt_writer_close(w, true, &totals, &err), 0);
  assert_int_equal(totals.records, records);
}

static unsigned char *load(size_t *n) {
  static unsigned char bytes[16 << 20];
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  *n = fread(bytes, 1, sizeof(bytes), f);
  fclose(f);
  return bytes;
}

/* Reads to the end; all records must be right and in order.  Returns their number, lost ones included in 'lost'. */
static uint64_t read_all(struct dvmt_reader *r, uint64_t *lost) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_record rec;
  uint64_t n = 0;
  int rc;
  *lost = 0;
  while ((rc = dvmt_reader_next(r, &rec, &err)) > 0) {
    if (rec.kind == DVMT_LOST) {
      *lost += rec.words[0];
      n += rec.words[0];
      continue;
    }
    test_same(&rec, n);
    n++;
  }
  assert_int_equal(rc, 0);
  return n;
}

static bool same_as(const unsigned char *a, size_t n, const unsigned char *b, size_t m) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_reader *x = dvmt_reader_open_memory(a, n, &err), *y = dvmt_reader_open_memory(b, m, &err);
  assert_non_null(x);
  assert_non_null(y);
  bool same = dvmt_reader_same(x, y);
  dvmt_reader_close(x);
  dvmt_reader_close(y);
  return same;
}

/* A trace whose values are finite, but for the last if 'special'. */
static unsigned char *finite(uint64_t records, bool special, const char *meta, size_t *n) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_writer *w = dvmt_writer_create(path, meta, DVMT_CODEC_ZSTD, &err);
  struct dvmt_sink *sink = dvmt_writer_sink(w);
  uint64_t words[8], infinite = 0x7ff0000000000000;
  test_fill(sink, 0);
  for (uint64_t i = 0; i < records; i++) {
    struct dvmt_record r = test_record(i, words);
    if (r.kind != DVMT_READ)
      sink->record(sink, &r);
  }
  if (special)
    sink->record(sink, &(struct dvmt_record){.kind = DVMT_WRITE, .site = 1, .nwords = 1, .words = &infinite});
  assert_int_equal(dvmt_writer_close(w, true, NULL, &err), 0);
  return load(n);
}

static void test_same_files(void **state) {
  static unsigned char first[16 << 20];
  size_t n, m;
  (void)state;
  memcpy(first, finite(RECORDS, false, "command './a'\n", &n), sizeof(first));
  assert_true(same_as(first, n, first, n));
  const unsigned char *second = finite(RECORDS, false, "command './a' again\n", &m);
  assert_true(n != m);
  assert_true(same_as(first, n, second, m));
  for (size_t at = n / 7; at < n - 4096; at += n / 7) { /* damaged blocks, also where both have the same damage */
    first[at] ^= 1;
    assert_false(same_as(first, n, second, m));
    assert_false(same_as(first, n, first, n));
    first[at] ^= 1;
  }
  assert_false(same_as(first, n / 2, second, m));
  assert_false(same_as(first, n / 2, first, n / 2));
  second = finite(RECORDS - 1, false, "", &m);
  assert_false(same_as(first, n, second, m));
  second = finite(RECORDS, true, "", &m);
  assert_false(same_as(second, m, second, m));
}

static void test_codecs(void **state) {
  (void)state;
  for (int codec = 0; codec < DVMT_NCODECS; codec++) {
    struct dvm_error err = DVM_ERROR_INIT;
    struct dvmt_summary s;
    uint64_t lost;
    write_trace((enum dvmt_codec)codec, RECORDS);
    assert_int_not_equal(access(part, F_OK), 0);
    struct dvmt_reader *r = dvmt_reader_open(path, &err);
    assert_non_null(r);
    assert_string_equal(dvmt_reader_meta(r, "command"), "'./a'");
    assert_null(dvmt_reader_meta(r, "comm"));
    assert_int_equal(dvmt_reader_summary(r, &s, &err), 0);
    assert_true(s.whole && s.complete);
    assert_int_equal(s.records, RECORDS);
    assert_int_equal(s.codec, codec);
    assert_int_equal(read_all(r, &lost), RECORDS);
    assert_int_equal(lost, 0);
    assert_null(dvmt_reader_torn(r));
    assert_int_equal(dvmt_reader_nsites(r), 4);
    assert_string_equal(dvmt_reader_object(r, 1)->name, "z");
    assert_int_equal(dvmt_reader_object(r, 0)->extent[1], 100);
    dvmt_reader_close(r);
  }
}

static void test_empty(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  uint64_t lost;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, 0);
  struct dvmt_reader *r = dvmt_reader_open(path, &err);
  assert_int_equal(read_all(r, &lost), 0);
  assert_null(dvmt_reader_torn(r));
  dvmt_reader_close(r);
}

/* Cut anywhere: the whole blocks before the cut, no more and no less, and word of it. */
static void test_cut(void **state) {
  size_t n, at = 0;
  uint64_t before = 0;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, RECORDS);
  unsigned char *bytes = load(&n);
  for (size_t cut = n; cut > 200; cut -= cut > n - 120 ? 1 : 9973 < cut ? 9973 : cut) {
    struct dvm_error err = DVM_ERROR_INIT;
    uint64_t lost;
    struct dvmt_reader *r = dvmt_reader_open_memory(bytes, cut, &err);
    if (!r)
      break;
    uint64_t got = read_all(r, &lost);
    assert_int_equal(lost, 0);
    assert_true(got == RECORDS || got % DVMT_BLOCK_RECORDS == 0);
    assert_true(!at || got <= before);
    if (got < RECORDS)
      assert_non_null(dvmt_reader_torn(r));
    struct dvmt_summary s;
    assert_int_equal(dvmt_reader_summary(r, &s, &err), 0);
    assert_int_equal(s.whole, cut == n);
    before = got;
    at = cut;
    dvmt_reader_close(r);
  }
  assert_int_equal(before, 0);
}

/* One damaged byte in a payload loses one block and nothing behind it. */
static void test_damage(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  size_t n;
  uint64_t lost;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, RECORDS);
  unsigned char *bytes = load(&n);
  bytes[n / 2] ^= 0x10;
  struct dvmt_reader *r = dvmt_reader_open_memory(bytes, n, &err);
  assert_int_equal(read_all(r, &lost), RECORDS);
  assert_int_equal(lost, DVMT_BLOCK_RECORDS);
  dvmt_reader_close(r);
}

/* A damaged header too; what is lost is told, by the index and without it, and definitions are not taken for others. */
static void test_damaged_header(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_damage d;
  size_t n, at = 0;
  uint64_t lost;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, RECORDS);
  unsigned char *bytes = load(&n);
  for (int block = 0; at + DVMT_BLOCK_HEADER_BYTES < n; at++) {
    struct dvmt_block b;
    if (memcmp(bytes + at, "DBLK", 4) || dvmt_block_get(&b, bytes + at) || b.kind != DVMT_BLOCK_RECORDS_KIND || block++ != 1)
      continue;
    break;
  }
  bytes[at + 9] ^= 0x10;
  for (int torn = 0; torn < 2; torn++) {
    struct dvmt_reader *r = dvmt_reader_open_memory(bytes, n - (size_t)torn, &err);
    assert_int_equal(dvmt_reader_check(r, &d, &err), 0);
    assert_int_equal(d.blocks, 1);
    assert_int_equal(d.records, DVMT_BLOCK_RECORDS);
    assert_int_equal(d.first, DVMT_BLOCK_RECORDS);
    assert_false(d.names);
    assert_int_equal(read_all(r, &lost), RECORDS);
    assert_int_equal(lost, DVMT_BLOCK_RECORDS);
    dvmt_reader_close(r);
  }
  bytes[at + 9] ^= 0x10;
  unsigned char *first = memmem(bytes, n, "DBLK", 4);
  first[DVMT_BLOCK_HEADER_BYTES + 5] ^= 1; /* definitions */
  struct dvmt_reader *r = dvmt_reader_open_memory(bytes, n, &err);
  assert_int_equal(dvmt_reader_check(r, &d, &err), 0);
  assert_true(d.names);
  assert_int_equal(read_all(r, &lost), RECORDS);
  assert_int_equal(lost, RECORDS);
  dvmt_reader_close(r);
}

/* An index whose places do not rise could name one block of contents without end: nothing is known by it. */
static void test_falling_index(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  const struct dvmt_contents none = {.sites = {0}};
  struct dvmt_record rec;
  struct dvmt_block b;
  size_t n, at = 0;
  (void)state;
  write_trace(DVMT_CODEC_NONE, RECORDS);
  unsigned char *bytes = load(&n), *index = NULL, *first = NULL;
  for (; at + DVMT_BLOCK_HEADER_BYTES < n; at++)
    if (!memcmp(bytes + at, "DBLK", 4) && !dvmt_block_get(&b, bytes + at) && b.kind == DVMT_BLOCK_INDEX)
      break;
  index = bytes + at + DVMT_BLOCK_HEADER_BYTES;
  for (uint32_t i = b.nrecords; i--;)
    if (index[i * DVMT_INDEX_ENTRY_BYTES + 8] == DVMT_BLOCK_RECORDS_KIND)
      first = index + i * DVMT_INDEX_ENTRY_BYTES;
  assert_non_null(first);
  for (int falls = 0; falls < 2; falls++) {
    struct dvmt_reader *r = dvmt_reader_open_memory(bytes, n, &err);
    assert_int_equal(dvmt_reader_seek(r, 0, &err), 0);
    assert_int_equal(dvmt_reader_next_lacks(r, &none, &none), !falls);
    assert_int_equal(dvmt_reader_next(r, &rec, &err), 1);
    dvmt_reader_close(r);
    unsigned char entry[DVMT_INDEX_ENTRY_BYTES]; /* the first two blocks of records change places */
    memcpy(entry, first, sizeof(entry));
    memcpy(first, first + sizeof(entry), sizeof(entry));
    memcpy(first + sizeof(entry), entry, sizeof(entry));
    b.crc = dvmt_crc(0, index, b.packed_bytes);
    dvmt_block_put(bytes + at, &b);
  }
}

/* A block of contents that says of itself that it is larger than the blocks of the index can have is not made room for. */
static void test_large_contents(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  const struct dvmt_contents none = {.sites = {0}};
  struct dvmt_block b;
  size_t n, at = 0;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, RECORDS);
  unsigned char *bytes = load(&n);
  for (; at + DVMT_BLOCK_HEADER_BYTES < n; at++)
    if (!memcmp(bytes + at, "DBLK", 4) && !dvmt_block_get(&b, bytes + at) && b.kind == DVMT_BLOCK_CONTENTS)
      break;
  assert_int_equal(b.kind, DVMT_BLOCK_CONTENTS);
  for (int claims = 0; claims < 2; claims++) {
    struct dvmt_reader *r = dvmt_reader_open_memory(bytes, n, &err);
    assert_int_equal(dvmt_reader_seek(r, 0, &err), 0);
    const size_t before = mallinfo2().hblkhd;
    assert_int_equal(dvmt_reader_next_lacks(r, &none, &none), !claims);
    assert_true(mallinfo2().hblkhd < before + DVMT_BLOCK_BYTES_MAX / 4);
    dvmt_reader_close(r);
    b.raw_bytes = DVMT_BLOCK_BYTES_MAX / 2;
    dvmt_block_put(bytes + at, &b);
  }
}

/* Any record can be gone to. */
static void test_seek(void **state) {
  static const uint64_t to[] = {5, RECORDS - 1, 70000, 0, 3 * DVMT_BLOCK_RECORDS, 70001};
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_record rec;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, RECORDS);
  struct dvmt_reader *r = dvmt_reader_open(path, &err);
  for (size_t i = 0; i < sizeof(to) / sizeof(*to) && to[i] < RECORDS; i++) {
    assert_int_equal(dvmt_reader_seek(r, to[i], &err), 0);
    while (dvmt_reader_position(r) < to[i])
      assert_int_equal(dvmt_reader_next(r, &rec, &err), 1);
    assert_int_equal(dvmt_reader_next(r, &rec, &err), 1);
    test_same(&rec, to[i]);
  }
  assert_int_equal(dvmt_reader_seek(r, RECORDS, &err), -ENODATA);
  dvmt_reader_close(r);
}

static void refused(const unsigned char *bytes, size_t n, const char *text) {
  struct dvm_error err = DVM_ERROR_INIT;
  assert_null(dvmt_reader_open_memory(bytes, n, &err));
  assert_non_null(strstr(err.text, text));
}

static void test_refused(void **state) {
  size_t n;
  (void)state;
  write_trace(DVMT_CODEC_NONE, 10);
  unsigned char *bytes = load(&n);
  refused(bytes, 20, "is not a trace");
  bytes[8] = 7;
  refused(bytes, n, "format version 7; this program reads version 6: record it again, or use the newer");
  bytes[8] = 1;
  refused(bytes, n, "format version 1; this program reads version 6: record it again, or use the older");
  bytes[8] = 6;
  bytes[12] = 1;
  refused(bytes, n, "byte order");
  bytes[12] = 4;
  bytes[20]++;
  refused(bytes, n, "header of '(memory)' is damaged");
  bytes[20]--;
  bytes[33]++;
  refused(bytes, n, "header of '(memory)' is damaged");
  bytes[0] = 'X';
  refused(bytes, n, "is not a trace");
}

/* A full disk, as a limit on the file's size: whole blocks stay, the error is told. */
static void test_full_disk(void **state) {
  struct rlimit before, small = {600000, RLIM_INFINITY};
  struct dvm_error err = DVM_ERROR_INIT;
  uint64_t lost, words[8];
  (void)state;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  struct dvmt_writer *w = dvmt_writer_create(path, "", DVMT_CODEC_NONE, &err);
  struct dvmt_sink *sink = dvmt_writer_sink(w);
  setrlimit(RLIMIT_FSIZE, &small);
  for (size_t i = 0; i < 4; i++)
    sink->site(sink, &test_sites[i]);
  sink->object(sink, &test_objects[0]);
  sink->object(sink, &test_objects[1]);
  int rc = 0;
  for (uint64_t n = 0; n < 10 * RECORDS && !rc; n++) {
    struct dvmt_record r = test_record(n, words);
    rc = sink->record(sink, &r);
  }
  assert_int_equal(rc, -EFBIG);
  assert_int_equal(dvmt_writer_close(w, true, NULL, &err), -EFBIG);
  setrlimit(RLIMIT_FSIZE, &before);
  struct dvmt_reader *r = dvmt_reader_open(path, &err);
  assert_non_null(r);
  uint64_t got = read_all(r, &lost);
  assert_true(got > 0 && got % DVMT_BLOCK_RECORDS == 0);
  assert_int_equal(lost, 0);
  assert_non_null(dvmt_reader_torn(r));
  dvmt_reader_close(r);
}

/* The same steps of a reader that is helped by a thread, and of one that is not. */
static void walk_beside(const unsigned char *bytes, size_t n, uint64_t seed) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_reader *x = dvmt_reader_open_memory(bytes, n, &err), *y = dvmt_reader_open_memory(bytes, n, &err);
  assert_non_null(x);
  assert_non_null(y);
  dvmt_reader_go_ahead(x);
  for (int step = 0; step < 40; step++) {
    uint64_t how = test_random(&seed) % 8, many = test_random(&seed) % (2 * DVMT_BLOCK_RECORDS);
    if (how == 0) {
      uint64_t to = test_random(&seed) % RECORDS;
      assert_int_equal(dvmt_reader_seek(x, to, &err), dvmt_reader_seek(y, to, &err));
    } else if (how == 1) {
      dvmt_reader_skip_block(x);
      dvmt_reader_skip_block(y);
      assert_int_equal(dvmt_reader_pass_block(x), dvmt_reader_pass_block(y));
    }
    for (int rc = 1; many && rc > 0; many--) {
      struct dvmt_record a, b;
      rc = dvmt_reader_next(x, &a, &err);
      assert_int_equal(dvmt_reader_next(y, &b, &err), rc);
      assert_int_equal(dvmt_reader_position(x), dvmt_reader_position(y));
      if (rc > 0) {
        assert_int_equal(a.kind, b.kind);
        assert_int_equal(a.site, b.site);
        assert_int_equal(a.object, b.object);
        assert_int_equal(a.offset, b.offset);
        assert_int_equal(a.nwords, b.nwords);
        assert_memory_equal(a.words, b.words, a.nwords * 8u);
      }
    }
  }
  dvmt_reader_close(x);
  dvmt_reader_close(y);
}

static void test_ahead(void **state) {
  size_t n;
  (void)state;
  write_trace(DVMT_CODEC_ZSTD, RECORDS);
  unsigned char *bytes = load(&n);
  for (uint64_t seed = 1; seed <= 6; seed++)
    walk_beside(bytes, n, seed);
  for (uint64_t seed = 7; seed <= 12; seed++) { /* damaged somewhere */
    size_t at = n / 10 + seed * 7919 * 31 % (n - n / 5);
    bytes[at] ^= 0x55;
    walk_beside(bytes, n, seed);
    bytes[at] ^= 0x55;
  }
  walk_beside(bytes, n / 2, 13);
}

static void test_no_folder(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  (void)state;
  assert_null(dvmt_writer_create("/nowhere/x.dvmt", "", DVMT_CODEC_ZSTD, &err));
  assert_non_null(strstr(err.text, "cannot write '/nowhere/x.dvmt.part'"));
}

/* As an older version has written it: its sums of values are read, those of arrays are an error. */
static void test_old_sums(void **state) {
  uint64_t words[3] = {4, 5, 0};
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_record r = {.kind = DVMT_DIGEST, .site = 0, .object = 0, .words = words};
  (void)state;
  for (r.nwords = 2; r.nwords <= 3; r.nwords++) {
    struct dvmt_writer *w = dvmt_writer_create(path, "command './a'\n", DVMT_CODEC_NONE, &err);
    size_t n;
    test_fill(dvmt_writer_sink(w), 0);
    assert_int_equal(dvmt_writer_sink(w)->record(dvmt_writer_sink(w), &r), 0);
    assert_int_equal(dvmt_writer_close(w, true, &(struct dvmt_totals){0}, &err), 0);
    unsigned char *bytes = load(&n), *to = bytes + DVMT_HEADER_BYTES - 4;
    bytes[8] = 5;
    dvmt_put(&to, dvmt_crc(0, bytes, DVMT_HEADER_BYTES - 4), 4);
    struct dvmt_reader *reader = dvmt_reader_open_memory(bytes, n, &err);
    struct dvmt_record got;
    assert_non_null(reader);
    assert_int_equal(dvmt_reader_next(reader, &got, &err), r.nwords == 2 ? 1 : -EINVAL);
    assert_true(r.nwords == 2 || strstr(err.text, "version 5, with sums of arrays"));
    dvmt_reader_close(reader);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_codecs),        cmocka_unit_test(test_same_files),     cmocka_unit_test(test_empty),
      cmocka_unit_test(test_cut),           cmocka_unit_test(test_damage),         cmocka_unit_test(test_damaged_header),
      cmocka_unit_test(test_falling_index), cmocka_unit_test(test_large_contents), cmocka_unit_test(test_seek),
      cmocka_unit_test(test_refused),       cmocka_unit_test(test_full_disk),      cmocka_unit_test(test_no_folder),
      cmocka_unit_test(test_ahead),         cmocka_unit_test(test_old_sums),
  };
  snprintf(path, sizeof(path), "unit-trace-%d.dvmt", (int)getpid());
  snprintf(part, sizeof(part), "%s.part", path);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failed;
}

/* The reader of checkpoint images: takes a whole one, refuses everything else by name. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "made_image.h"
#include "mpir/image/compress.h"
#include "mpir/image/image.h"

static struct made_image made;

static struct mpir_image *open_made(struct dvm_error *err) {
  *err = (struct dvm_error)DVM_ERROR_INIT;
  return mpir_image_open_memory(made.bytes, made.size, err);
}

static int setup(void **state) {
  (void)state;
  made_init(&made);
  return 0;
}

static void whole_image_is_read(void **state) {
  struct dvm_error err;
  struct mpir_image *image;

  (void)state;
  made_close(&made);
  image = open_made(&err);
  if (!image)
    fail_msg("%s", err.text);
  assert_int_equal(image->map_count, MADE_MAPS);
  assert_int_equal(image->thread_count, MADE_THREADS);
  assert_int_equal(image->extent_count, MADE_EXTENTS);
  assert_int_equal(image->file_count, MADE_FILES);
  assert_int_equal(image->timer_count, 1);
  assert_int_equal(image->load_count, 3);
  assert_string_equal(mpir_image_string(image, image->header->exe), "/bin/true");
  assert_string_equal(mpir_image_string(image, 100000), "");
  assert_ptr_equal(mpir_image_map_at(image, 0x17fff), &image->maps[0]);
  assert_null(mpir_image_map_at(image, 0x18000));
  assert_null(mpir_image_map_at(image, 0));
  assert_ptr_equal(mpir_image_map_at(image, 0x61fff), &image->maps[4]);
  assert_null(mpir_image_map_at(image, 0x62000));
  assert_int_equal(mpir_image_verify(image, &err), 0);
  mpir_image_close(image);
  mpir_image_close(NULL);
}

static void every_cut_is_refused(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;

  (void)state;
  made_close(&made);
  for (size_t size = 0; size < made.size; size += size < 8192 || made.size - size < 4096 ? 1 : 997)
    if (mpir_image_open_memory(made.bytes, size, &err))
      fail_msg("taken when cut to %zu of %zu bytes", size, made.size);
}

/* One bit of each byte in turn, in the data of each eleventh: metadata is refused at opening, data when verified. */
static void every_changed_byte_is_found(void **state) {
  size_t data_end = made.extents[3].file_offset + made.extents[3].length;
  struct dvm_error err;

  (void)state;
  made_close(&made);
  for (size_t at = 0; at < made.size; at++) {
    bool used = at < 64 + 3 * 56 || at >= 4 * 4096 || (at >= 4096 && at < data_end && at % 11 == 0);
    struct mpir_image *image;
    bool found;

    if (!used)
      continue;
    made.bytes[at] ^= (unsigned char)(1u << at % 8);
    image = open_made(&err);
    found = !image || mpir_image_verify(image, &err) != 0;
    mpir_image_close(image);
    made.bytes[at] ^= (unsigned char)(1u << at % 8);
    if (!found)
      fail_msg("a change of byte %zu of %zu is not found", at, made.size);
  }
}

static void damaged_data_is_named(void **state) {
  struct dvm_error err;
  struct mpir_image *image;

  (void)state;
  made_close(&made);
  made.bytes[made.extents[1].file_offset + 17] ^= 1;
  image = open_made(&err);
  assert_non_null(image);
  assert_int_equal(mpir_image_verify(image, &err), -EBADMSG);
  assert_non_null(strstr(err.text, "0x12000")); /* the address of that page */
  mpir_image_close(image);
}

/* Each row breaks one field; the checksums are right, so that the reader's own checks must find it. */
#define BREAKS(X)                                                                                                                          \
  X(made.header.version = MPIR_IMAGE_VERSION + 1, "version")                                                                               \
  X(made.header.size = 4, "version")                                                                                                       \
  X(made.header.pid = 0, "process number")                                                                                                 \
  X(made.header.image_size = 77, "truncated")                                                                                              \
  X(made.header.rseq_length = 8, "rseq")                                                                                                   \
  X(made.header.exe = MADE_STRINGS, "bad name")                                                                                            \
  X(made.header.host = ~0u, "bad name")                                                                                                    \
  X(made.strings[MADE_STRINGS - 1] = 'x', "not terminated")                                                                                \
  X(made.maps[0].start = 0, "memory map")                                                                                                  \
  X(made.maps[0].start += 1, "memory map")                                                                                                 \
  X(made.maps[1].start = made.maps[0].start, "memory map")                                                                                 \
  X(made.maps[1].end = made.maps[1].start, "memory map")                                                                                   \
  X(made.maps[4].end = 1ull << 63, "memory map")                                                                                           \
  X(made.maps[2].map_offset = 5, "memory map")                                                                                             \
  X(made.maps[2].kind = 0, "memory map")                                                                                                   \
  X(made.maps[2].kind = 6, "memory map")                                                                                                   \
  X(made.maps[2].prot = 8, "memory map")                                                                                                   \
  X(made.maps[2].name = MADE_STRINGS, "memory map")                                                                                        \
  X(made.threads[0].tid = 9, "main thread")                                                                                                \
  X(made.threads[1].tid = -1, "thread 1")                                                                                                  \
  X(memset(made.threads[1].name, 'x', 16), "thread 1")                                                                                     \
  X(made.credentials[0].filters = 2, "credentials of thread 0")                                                                            \
  X(made.credentials[1].group_count = 3, "credentials of thread 1")                                                                        \
  X(made.credentials[1].groups_at = 3, "credentials of thread 1")                                                                          \
  X(made.filters[1] = 0, "filter 0")                                                                                                       \
  X(made.filters[1] = 2, "filter 0")                                                                                                       \
  X(made.extents[0].length = 0, "data table")                                                                                              \
  X(made.extents[0].length = MPIR_EXTENT_MAX + MPIR_PAGE, "data table")                                                                    \
  X(made.extents[0].length = 7 * MPIR_PAGE, "data table")                                                                                  \
  X(made.extents[1].length = made.extents[1].stored = 7 * MPIR_PAGE, "data table")                                                         \
  X(made.extents[0].stored = 1, "data table")                                                                                              \
  X(made.extents[0].file_offset = 1ull << 40, "data table")                                                                                \
  X(made.extents[0].file_offset = ~0ull, "data table")                                                                                     \
  X(made.extents[0].address = 0x20000, "outside its mapping")                                                                              \
  X(made.extents[0].address = 0x10008, "outside its mapping")                                                                              \
  X(made.extents[0].plain_offset = 3, "outside its mapping")                                                                               \
  X(made.extents[0].codec = 3, "data table")                                                                                               \
  X(made.extents[3].file = MADE_FILES, "names no file")                                                                                    \
  X(made.extents[3].address = 1ull << 63, "names no file")                                                                                 \
  X(made.files[0].fd = -1, "file table")                                                                                                   \
  X(made.files[0].kind = 0, "file table")                                                                                                  \
  X(made.files[0].kind = 1000, "file table")                                                                                               \
  X(made.files[1].fd = 0, "file table")                                                                                                    \
  X(made.files[2].same_as = 2, "file table")                                                                                               \
  X(made.files[2].same_as = -2, "file table")                                                                                              \
  X(made.files[2].info = MADE_STRINGS + 1, "file table")                                                                                   \
  X(made.timers[0].interval_ns = -1, "timer")                                                                                              \
  X(made.actions_size -= 32, "signal actions")                                                                                             \
  X(made.actions_size -= 1, "signal table")                                                                                                \
  X(made.leave_out = MADE_NO_CHECKSUM, "notes that a restart needs")                                                                       \
  X(made.leave_out = MADE_NO_MAPS, "lacks a table")                                                                                        \
  X(made.leave_out = MADE_NO_AUXV, "lacks a table")                                                                                        \
  X(made.leave_out = MADE_TWICE_FILES, "two notes")

#define BREAK_FUNCTION(action, text)                                                                                                       \
  {                                                                                                                                        \
    made_init(&made);                                                                                                                      \
    (void)(action);                                                                                                                        \
    made_close(&made);                                                                                                                     \
    expect_refusal(#action, text);                                                                                                         \
  }

static void expect_refusal(const char *action, const char *text) {
  struct dvm_error err;

  if (open_made(&err))
    fail_msg("taken although '%s'", action);
  if (!strstr(err.text, text))
    fail_msg("'%s': the text '%s' lacks '%s'", action, err.text, text);
}

static void bad_tables_are_refused(void **state) {
  (void)state;
  BREAKS(BREAK_FUNCTION)
}

static void later_notes_are_skipped(void **state) {
  struct dvm_error err;
  struct mpir_image *image;

  (void)state;
  made.leave_out = MADE_UNKNOWN;
  made_close(&made);
  image = open_made(&err);
  assert_non_null(image);
  mpir_image_close(image);
}

static struct mpir_image *open_path(const char *path) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_image *image = mpir_image_open(path, &err);

  if (!image)
    fail_msg("%s", err.text);
  return image;
}

/* Compressed and expanded again: all data and tables as before, and smaller in between. */
static void compression_goes_both_ways(void **state) {
  char folder[] = "/tmp/dvm-unit-image.XXXXXX", plain[64], packed[64], again[64];
  struct dvm_error err = DVM_ERROR_INIT;
  int fd;

  (void)state;
  made_close(&made);
  assert_non_null(mkdtemp(folder));
  snprintf(plain, sizeof(plain), "%s/plain", folder);
  snprintf(packed, sizeof(packed), "%s/packed", folder);
  snprintf(again, sizeof(again), "%s/again", folder);
  fd = open(plain, O_WRONLY | O_CREAT, 0600);
  assert_int_equal(write(fd, made.bytes, made.size), made.size);
  close(fd);
  for (enum mpir_codec codec = MPIR_CODEC_ZLIB; codec <= MPIR_CODEC_ZSTD; codec++) {
    struct mpir_image *from = open_path(plain), *small, *to;

    assert_int_equal(mpir_image_compress(from, packed, codec, &err), 0);
    small = open_path(packed);
    assert_true(small->header->flags & MPIR_IMAGE_COMPRESSED);
    assert_int_equal(small->extents[0].codec, codec);
    assert_true(small->extents[0].stored < small->extents[0].length);
    assert_int_equal(mpir_image_verify(small, &err), 0);
    assert_int_equal(mpir_image_expand_to(small, again, &err), 0);
    to = open_path(again);
    assert_int_equal(to->header->flags, from->header->flags);
    assert_memory_equal(to->maps, from->maps, sizeof(made.maps));
    assert_memory_equal(to->extents, from->extents, sizeof(made.extents));
    assert_memory_equal(to->data + 4096, from->data + 4096, made.extents[3].file_offset + made.extents[3].length - 4096);
    assert_memory_equal(to->loads + 1, from->loads + 1, 2 * sizeof(Elf64_Phdr));
    mpir_image_close(from);
    mpir_image_close(to);
    to = mpir_image_expand(small, "expanded", &err);
    assert_non_null(to);
    assert_int_equal(mpir_image_verify(to, &err), 0);
    mpir_image_close(to);
    mpir_image_close(small);
  }
  unlink(plain);
  unlink(packed);
  unlink(again);
  rmdir(folder);
}

static void what_is_no_image_is_refused(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;

  (void)state;
  assert_null(mpir_image_open("/does/not/exist", &err));
  assert_int_equal(err.code, -ENOENT);
  assert_null(mpir_image_open("/", &err));
  assert_null(mpir_image_open("/dev/null", &err));
  assert_null(mpir_image_open("/proc/self/exe", &err));
  assert_non_null(strstr(err.text, "not an x86-64 core file"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(whole_image_is_read, setup),         cmocka_unit_test_setup(every_cut_is_refused, setup),
      cmocka_unit_test_setup(every_changed_byte_is_found, setup), cmocka_unit_test_setup(damaged_data_is_named, setup),
      cmocka_unit_test_setup(bad_tables_are_refused, setup),      cmocka_unit_test_setup(later_notes_are_skipped, setup),
      cmocka_unit_test_setup(compression_goes_both_ways, setup),  cmocka_unit_test_setup(what_is_no_image_is_refused, setup),
  };

  if (argc == 2) { /* writes the image: seed of the fuzzer's corpus */
    FILE *f = fopen(argv[1], "w");

    made_init(&made);
    made_close(&made);
    return !f || fwrite(made.bytes, made.size, 1, f) != 1 || fclose(f);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}

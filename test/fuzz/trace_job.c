/* Whatever the bytes: a table of streams, and what a rank tells of a construct by elements, are read or refused. */
#include "driver/trace/format/format.h"
#include "driver/trace/job/container.h"
#include "driver/trace/job/elements.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The checks are made right, so that what is behind them gets its share. */
static void repair_table(unsigned char *p, size_t n) {
  if (n < 32)
    return;
  const unsigned char *at = p + 12;
  size_t ranks = dvmt_get(&at, 4) % 64 + 1;
  unsigned char *to = p + 8;
  memcpy(p, DVMT_JOB_MAGIC, 8);
  dvmt_put(&to, 1, 4);
  dvmt_put(&to, ranks, 4);
  dvmt_put(&to, n >= 32 + ranks * 16 ? dvmt_crc(0, p + 32, ranks * 16) : 0, 4);
  to = p + 28;
  dvmt_put(&to, dvmt_crc(0, p, 28), 4);
}

static void read_table(const unsigned char *p, size_t n) {
  struct dvmt_container c = {0};
  struct dvm_error err = DVM_ERROR_INIT;
  if (dvmt_container_parse(&c, p, n, n, "job", &err) > 0)
    for (size_t i = 0; i < c.nstreams; i++)
      if (c.stream[i].offset < 32)
        abort();
  dvmt_container_fini(&c);
}

static void repair_stream(unsigned char *p, size_t n) {
  if (n < DVMT_HEADER_BYTES)
    return;
  const unsigned char *at = p + 16;
  size_t meta = dvmt_get(&at, 4);
  if (meta > n - DVMT_HEADER_BYTES)
    return;
  unsigned char *to = p + 20;
  dvmt_put(&to, dvmt_crc(0, p + DVMT_HEADER_BYTES, meta), 4);
  to = p + DVMT_HEADER_BYTES - 4;
  dvmt_put(&to, dvmt_crc(0, p, DVMT_HEADER_BYTES - 4), 4);
  for (size_t offset = DVMT_HEADER_BYTES + meta; n - offset >= DVMT_BLOCK_HEADER_BYTES;) {
    at = p + offset + 12;
    size_t packed = dvmt_get(&at, 4);
    if (packed > n - offset - DVMT_BLOCK_HEADER_BYTES)
      return;
    to = p + offset + DVMT_BLOCK_HEADER_BYTES - 8;
    dvmt_put(&to, dvmt_crc(0, p + offset + DVMT_BLOCK_HEADER_BYTES, packed), 4);
    dvmt_put(&to, dvmt_crc(0, p + offset, DVMT_BLOCK_HEADER_BYTES - 4), 4);
    offset += DVMT_BLOCK_HEADER_BYTES + packed;
  }
}

static void read_elements(const unsigned char *p, size_t n) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_reader *r = dvmt_reader_open_memory(p, n, &err), *ranks[1] = {r};
  const struct dvmt_job job = {1, true, ranks};
  struct dvmt_images *m = r ? dvmt_images_read(&job, &err) : NULL;
  int32_t rank[2];
  for (int64_t i = -1; m && i < 3; i++)
    if (dvmt_images_executors(m, (const int64_t[]){i, i}, 2, rank) && rank[0])
      abort();
  if (m && dvmt_images_stray(m, rank) && rank[0])
    abort();
  dvmt_images_destroy(m);
  dvmt_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned char *p = malloc(size ? size : 1);
  if (!p)
    return 0;
  memcpy(p, data, size);
  read_table(p, size);
  repair_table(p, size);
  read_table(p, size);
  memcpy(p, data, size);
  read_elements(p, size);
  repair_stream(p, size);
  read_elements(p, size);
  free(p);
  return 0;
}

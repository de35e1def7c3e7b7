/* Whatever the bytes, a trace is read to an end or refused; the checks of the blocks are patched to be right, so that the
 * decoder behind them gets its share. */
#include "driver/trace/format/context.h"
#include "driver/trace/format/reader.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void repair(unsigned char *p, size_t n) {
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

static void read_all(const unsigned char *p, size_t n) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_reader *r = dvmt_reader_open_memory(p, n, &err);
  struct dvmt_record rec;
  struct dvmt_summary s;
  uint64_t sum = 0;
  static struct dvmt_context context;
  if (!r)
    return;
  dvmt_reader_summary(r, &s, &err);
  while (dvmt_reader_next(r, &rec, &err) > 0) {
    dvmt_context_init(&context);
    if (rec.kind != DVMT_LOST && !dvmt_reader_context(r, &context))
      for (int d = 0; d < context.depth; d++)
        if (context.open[d].site >= dvmt_reader_nsites(r))
          abort();
    dvmt_context_fini(&context);
    if (rec.kind != DVMT_LOST && rec.site >= dvmt_reader_nsites(r))
      abort();
    if (rec.kind <= DVMT_WRITE && rec.object >= dvmt_reader_nobjects(r))
      abort();
    for (uint32_t i = 0; i < rec.nwords; i++)
      sum += rec.words[i];
  }
  volatile uint64_t seen = sum; /* every word was there to be read */
  (void)seen;
  dvmt_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned char *copy = malloc(size + 1);
  memcpy(copy, data, size);
  read_all(copy, size);
  repair(copy, size);
  read_all(copy, size);
  free(copy);
  return 0;
}

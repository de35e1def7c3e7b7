/* Raw records as a program with a wild pointer may leave them: whatever the words, they become a stream or are dropped.  The first byte
 * of the input cuts the words into two chunks. */
#include "driver/trace/format/collect.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t nsites, nobjects;
static uint64_t seen;

static int on_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  (void)sink;
  seen += strlen(def->text);
  nsites++;
  return 0;
}
static int on_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  (void)sink;
  if (def->ndims > DVMT_NDIMS_MAX)
    abort();
  seen += strlen(def->name);
  nobjects++;
  return 0;
}
static int on_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  (void)sink;
  if (r->site >= nsites || (r->kind <= DVMT_WRITE && r->object >= nobjects) || r->nwords > DVMT_WORDS_MAX)
    abort();
  for (uint32_t i = 0; i < r->nwords; i++)
    seen += r->words[i];
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvmt_sink sink = {on_site, on_object, on_record, NULL, 0};
  struct dvmt_collector *c = dvmt_collector_create(&sink);
  size_t n = size / 8, first = n ? data[0] % n : 0;
  uint64_t *a = malloc(first * 8 + 1), *b = malloc((n - first) * 8 + 1);
  memcpy(a, data, first * 8);
  memcpy(b, data + first * 8, (n - first) * 8);
  nsites = nobjects = 0;
  dvmt_collector_take(c, a, first);
  dvmt_collector_take(c, b, n - first);
  dvmt_collector_destroy(c);
  free(a);
  free(b);
  return 0;
}

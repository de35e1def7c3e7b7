/* Everything that comes from a peer: frames, answers, trees, tables, output.  The first byte chooses the decoder; what
 * is taken must survive being written and read again. */
#include <stdlib.h>
#include <string.h>

#include "sdm/answer.h"
#include "sdm/frame.h"
#include "sdm/iolist.h"
#include "sdm/overlay/prefix.h"
#include "sdm/reduce.h"
#include "sdm/tree.h"

static void check(bool good) {
  if (!good)
    abort();
}

static void fuzz_frame(const uint8_t *p, size_t n) {
  struct sdm_frame f, g;
  struct sdm_bytes out = { 0 };
  if (sdm_frame_size(p, n, SDM_FRAME_MAX) == (long)n && !sdm_frame_decode(p, n, &f)) {
    sdm_frame_encode(&f, true, &out);
    check(!sdm_frame_decode(out.p, out.len, &g) && g.payload_len == f.payload_len && g.dest_len == f.dest_len);
  }
  sdm_bytes_fini(&out);
}

static void fuzz_answer(const uint8_t *p, size_t n) {
  struct sdm_answer *a = sdm_answer_decode(p, n, 100000), *b;
  struct sdm_bytes out = { 0 };
  if (a) {
    sdm_answer_encode(a, &out);
    b = sdm_answer_decode(out.p, out.len, 100000);
    check(b && b->n == a->n);
    sdm_answer_free(b);
  }
  sdm_bytes_fini(&out);
  sdm_answer_free(a);
}

static void fuzz_prefix(const uint8_t *p, size_t n) {
  struct sdm_prefix *t = sdm_prefix_decode(p, n);
  struct sdm_bytes out = { 0 };
  if (t) {
    sdm_prefix_encode(t, &out);
    check(out.len == n && !memcmp(out.p, p, n));
  }
  sdm_bytes_fini(&out);
  sdm_prefix_free(t);
}

/* Two bodies, of which the first may be merged into the second. */
static void fuzz_reduce(const uint8_t *p, size_t n) {
  size_t half = n ? p[0] * (n - 1) / 255 : 0;
  struct sdm_bytes a = { 0 }, before = { 0 };
  struct sdm_histogram h;
  struct sdm_top t;
  for (int kind = 0; kind < 2 && n; kind++) {
    a.len = before.len = 0;
    sdm_bytes_add(&a, p + 1, half);
    sdm_bytes_add(&before, p + 1, half);
    if ((kind ? sdm_top_merge : sdm_histogram_merge)(&a, p + 1 + half, n - 1 - half))
      check(a.len == before.len && (!a.len || !memcmp(a.p, before.p, a.len))); /* a failure changes nothing */
    else if (kind)
      check(!sdm_top_decode(&t, a.p, a.len));
    else {
      check(!sdm_histogram_decode(&h, a.p, a.len));
      sdm_histogram_fini(&h);
    }
  }
  sdm_bytes_fini(&a);
  sdm_bytes_fini(&before);
}

static void fuzz_table(const uint8_t *p, size_t n) {
  struct sdm_cursor c = sdm_cursor_of(p, n);
  struct sdm_table t;
  struct sdm_bytes out = { 0 };
  if (sdm_table_decode(&t, &c))
    return;
  sdm_table_encode(&t, 0, t.n, &out);
  sdm_tree_height(&t, 0, t.n, t.n > 0);
  struct sdm_split s = sdm_split(&t, 0, t.n, t.n > 0);
  size_t lo, hi, at = t.n > 0;
  while (sdm_split_next(&s, &lo, &hi)) { /* the children's slices are the whole, in order */
    check(lo == at && hi > lo);
    at = hi;
  }
  check(at == t.n);
  sdm_bytes_fini(&out);
  sdm_table_fini(&t);
}

static void fuzz_iolist(const uint8_t *p, size_t n) {
  struct sdm_iolist l, m;
  struct sdm_bytes out = { 0 };
  if (sdm_iolist_decode(&l, p, n, 100000))
    return;
  sdm_iolist_encode(&l, &out);
  check(!sdm_iolist_decode(&m, out.p, out.len, 100000) && m.n == l.n);
  sdm_iolist_fini(&m);
  sdm_iolist_fini(&l);
  sdm_bytes_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const decoders[])(const uint8_t *, size_t) = { fuzz_frame, fuzz_answer, fuzz_prefix, fuzz_table,
                                                               fuzz_iolist, fuzz_reduce };
  if (size)
    decoders[data[0] % 6](data + 1, size - 1);
  return 0;
}

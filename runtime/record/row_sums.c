#include "runtime/record/row_sums.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/rows.h"
#include "runtime/trace/text.h"
#include <string.h>

enum { ARRAYS_MAX = 8 }; /* of a construct; further ones are read again when it ends */
static struct {
  const struct dvmt_site *site;
  const int64_t *args;
  bool begun;
  int n;
  struct dvmt_rows rows[ARRAYS_MAX];
} now;

static uint64_t sum_part(const void *array, uint64_t from, uint64_t to) {
  const struct dvmt_array *a = array;
  return dvmt_digest_part((const void *)(uintptr_t)a->address, a->element_bytes, from, to - from);
}

/* Two that lie in the same memory: rows of one are of the other. */
static bool overlaps(const struct dvmt_array *a) {
  for (int i = 0; i < now.n; i++)
    if (a->address < now.rows[i].address + now.rows[i].elements * now.rows[i].element_bytes && now.rows[i].address < a->address + a->bytes)
      return true;
  return false;
}

static void add_array(const struct dvmt_array *a) {
  if (now.n == ARRAYS_MAX || a->holes || a->bytes < a->element_bytes || overlaps(a))
    return;
  struct dvmt_rows *r = &now.rows[now.n++];
  *r = (struct dvmt_rows){.array = a,
                          .f = sum_part,
                          .copy = dvmt_digest_copier(a->element_bytes),
                          .copies_to = a->bytes / a->element_bytes,
                          .elements = a->bytes / a->element_bytes,
                          .address = a->address,
                          .element_bytes = a->element_bytes,
                          .near = DVMT_ROWS_NEAR,
                          .key = (uint64_t)(uintptr_t)now.site ^ a->address};
  dvmt_rows_begin(r);
}

struct walk {
  size_t next;
};

static bool find_use(void *arg, char key, struct dvmt_span rest) {
  struct walk *w = arg;
  size_t first = w->next;
  w->next += dvmt_text_signs(key, rest);
  if (w->next == first || key != DVMRT_DIRECTIVE_USE || rest.s[rest.n - 1] == 'r')
    return true;
  const struct dvmt_array *a = dvmt_arrays_find((uint64_t)now.args[first]);
  if (a)
    add_array(a);
  return true;
}

void dvmt_row_sums_begin(const struct dvmt_site *site, const int64_t *args) {
  now.site = site;
  now.args = args;
  now.begun = false;
  now.n = 0;
}

__attribute__((visibility("default"))) void __dvmt_row(const void *first, const void *behind, uint64_t bytes) {
  uint64_t low, high;
  if (now.n && dvmt_rows_copied(&now.rows[0], (uintptr_t)first, (uintptr_t)behind)) /* most have one array */
    return;
  if (first == behind || !now.site)
    return;
  if (!now.begun) {
    struct walk w = {0};
    now.begun = true;
    dvmt_text_lines(now.site->text, find_use, &w);
  }
  dvmt_rows_bounds((uintptr_t)first, (uintptr_t)behind, bytes, &low, &high);
  if (now.n && dvmt_rows_follow(&now.rows[0], low, high))
    return;
  for (int i = 0; i < now.n; i++)
    if (dvmt_rows_stored(&now.rows[i], low, high))
      break;
}

__attribute__((visibility("default"))) void __dvmt_row_copy(void *to, const void *from, uint64_t bytes) {
  bool copied = now.n && dvmt_rows_copy_next(&now.rows[0], to, from, bytes);
  for (int i = 0; now.begun && i < now.n && !copied; i++)
    copied = dvmt_rows_copy(&now.rows[i], to, from, bytes);
  if (!copied)
    memmove(to, from, bytes);
}

bool dvmt_row_sums_of(const struct dvmt_site *site, const struct dvmt_array *a, uint64_t *sum) {
  for (int i = 0; now.site == site && i < now.n; i++)
    if (now.rows[i].array == a) {
      *sum = dvmt_rows_end(&now.rows[i]);
      return true;
    }
  return false;
}

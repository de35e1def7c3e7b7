#include "runtime/trace/arrays.h"
#include "runtime/trace/text.h"

enum { ARRAYS_MAX = 1024 };
static struct dvmt_array arrays[ARRAYS_MAX];
static size_t narrays;

const struct dvmt_array *dvmt_arrays_find(uint64_t address) {
  for (size_t i = 0; i < narrays; i++)
    if (arrays[i].address == address)
      return &arrays[i];
  return NULL;
}

void dvmt_arrays_note(const char *text, const int64_t *args, size_t nargs) {
  struct dvmt_array_ref ref;
  struct dvmt_span kind = dvmt_text_line(text, 'K');
  kind = dvmt_text_field(&kind);
  if (!(dvmt_span_is(kind, "array") || dvmt_span_is(kind, "bind")) || !dvmt_text_array(text, args, nargs, &ref))
    return;
  uint64_t bytes = ref.element_bytes;
  for (int d = 0; d < ref.ndims; d++)
    bytes *= (uint64_t)ref.extent[d];
  struct dvmt_array *a = (struct dvmt_array *)dvmt_arrays_find(ref.address);
  if (!a && (!bytes || narrays == ARRAYS_MAX))
    return;
  if (!a)
    a = &arrays[narrays++];
  *a = (struct dvmt_array){ref.address, bytes, ref.element_bytes};
}

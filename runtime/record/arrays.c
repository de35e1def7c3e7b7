#include "runtime/record/arrays.h"
#include "runtime/trace/text.h"

enum { ARRAYS_MAX = 1024 };
static struct dvmt_array arrays[ARRAYS_MAX];
static size_t narrays;

/* Allocations: rows of a few, by address. */
enum { HEAP_ROWS = 2048, HEAP_ROW = 8 };
static struct {
  uint64_t address, size;
} heap[HEAP_ROWS][HEAP_ROW];

void dvmt_arrays_heap(uint64_t address, uint64_t size) {
  uint64_t row = (address >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (HEAP_ROWS - 1), least = 0;
  for (int i = 0; i < HEAP_ROW; i++)
    if (heap[row][i].address == address) {
      heap[row][i].size = size;
      return;
    }
  for (int i = 1; i < HEAP_ROW; i++)
    if (heap[row][i].size < heap[row][least].size)
      least = (uint64_t)i;
  if (size > heap[row][least].size) {
    heap[row][least].address = address;
    heap[row][least].size = size;
  }
}

static uint64_t heap_size(uint64_t address) {
  uint64_t row = (address >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (HEAP_ROWS - 1);
  for (int i = 0; i < HEAP_ROW; i++)
    if (heap[row][i].address == address)
      return heap[row][i].size;
  return 0;
}

const struct dvmt_array *dvmt_arrays_find(uint64_t address) {
  for (size_t i = 0; i < narrays; i++)
    if (arrays[i].address == address)
      return &arrays[i];
  return NULL;
}

void dvmt_arrays_note(const char *text, const int64_t *args, size_t nargs) {
  struct dvmt_array_ref ref;
  struct dvmt_span kind = dvmt_text_line(text, DVMRT_ANY_KIND);
  kind = dvmt_text_field(&kind);
  if (!(dvmt_span_is(kind, "array") || dvmt_span_is(kind, "bind")) || !dvmt_text_array(text, args, nargs, &ref))
    return;
  uint64_t bytes = ref.element_bytes, whole = ref.ndims && !ref.extent[0] ? heap_size(ref.address) : 0;
  for (int d = 0; d < ref.ndims; d++)
    bytes *= (uint64_t)ref.extent[d];
  if (whole)
    bytes = whole / ref.element_bytes * ref.element_bytes;
  struct dvmt_array *a = (struct dvmt_array *)dvmt_arrays_find(ref.address);
  if (!a && (!bytes || narrays == ARRAYS_MAX))
    return;
  if (!a)
    a = &arrays[narrays++];
  *a = (struct dvmt_array){ref.address, bytes, ref.element_bytes};
}

#include "runtime/record/arrays.h"
#include "runtime/trace/object.h"
#include "runtime/trace/text.h"
#include <string.h>

enum { ARRAYS_MAX = 1024 };
static struct dvmt_array arrays[ARRAYS_MAX];
static size_t narrays;

/* Allocations: rows of a few, by address. */
enum { HEAP_ROWS = 2048, HEAP_ROW = 8 };
static struct {
  uint64_t address, size;
} heap[HEAP_ROWS][HEAP_ROW];

/* The large ones again, in any order: of more than these the rest is not known as such. */
enum { LARGE_MAX = 1024, LARGE = 4096, NEAR = 4096 };
static struct {
  uint64_t address, size;
} large[LARGE_MAX];
static unsigned nlarge;

static void note_large(uint64_t address, uint64_t size) {
  unsigned i = 0;
  while (i < nlarge && large[i].address != address)
    i++;
  if (i < nlarge && size < LARGE)
    large[i] = large[--nlarge];
  else if (size >= LARGE && (i < nlarge || nlarge < LARGE_MAX)) {
    nlarge += i == nlarge;
    large[i].address = address;
    large[i].size = size;
  }
}

void dvmt_arrays_heap(uint64_t address, uint64_t size) {
  if (size >= LARGE || nlarge)
    note_large(address, size);
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

int dvmt_arrays_block(uint64_t address, uint64_t *base, uint64_t *size) {
  for (uint64_t at = address & ~15ull, n = 0; n < NEAR && at; n += 16, at -= 16) /* small ones lie near */
    if ((*size = heap_size(at)) && address - at < *size) {
      *base = at;
      return 1;
    }
  for (unsigned i = 0; i < nlarge; i++)
    if (address - large[i].address < large[i].size) {
      *base = large[i].address;
      *size = large[i].size;
      return 1;
    }
  return 0;
}

uint64_t dvmt_arrays_large(unsigned n, uint64_t *size) {
  if (n >= nlarge)
    return 0;
  *size = large[n].size;
  return large[n].address;
}

const struct dvmt_array *dvmt_arrays_find(uint64_t address) {
  for (size_t i = 0; i < narrays; i++)
    if (arrays[i].address == address)
      return &arrays[i];
  return NULL;
}

/* Holes of elements, each line once: the object with the text may go before the array. */
static const char *kept_holes(struct dvmt_span line) {
  static char pool[64 << 10];
  static size_t used;
  for (const char *at = pool; line.s && at < pool + used; at += strlen(at) + 1)
    if (strlen(at) == line.n && !memcmp(at, line.s, line.n))
      return at;
  if (!line.s || line.n >= sizeof(pool) - used)
    return NULL;
  char *at = pool + used;
  memcpy(at, line.s, line.n);
  used += line.n + 1;
  return at;
}

void dvmt_arrays_gone(const struct dvmt_object *object) {
  size_t n = 0;
  for (size_t i = 0; i < narrays; i++)
    if (!dvmt_object_has(object, (const void *)(uintptr_t)arrays[i].address))
      arrays[n++] = arrays[i];
  narrays = n;
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
  struct dvmt_span line = dvmt_text_line(text, DVMRT_DIRECTIVE_HOLES);
  const char *holes = kept_holes(line);
  if (!a && (!bytes || narrays == ARRAYS_MAX || (line.s && !holes)))
    return;
  if (!a)
    a = &arrays[narrays++];
  *a = (struct dvmt_array){ref.address, bytes, ref.element_bytes, holes};
}

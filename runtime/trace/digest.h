/* Digests of values: sums, so that the order of iterations and the distribution over processes do not matter. */
#ifndef DVMT_DIGEST_H
#define DVMT_DIGEST_H
#include <stdint.h>

/* Iterations of a construct are a variable by themselves, which no program can have: kind of its sites, its name. */
#define DVMT_EXECUTED_KIND "executed"
#define DVMT_EXECUTED "the iterations"

static inline uint64_t dvmt_mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  return x ^ x >> 32;
}

/* One value of an element: its number (counted in elements), and the value's words. */
static inline uint64_t dvmt_digest_value(uint64_t element, const uint64_t *value, unsigned words) {
  uint64_t x = element * 0x9e3779b97f4a7c15ull;
  for (unsigned i = 0; i < words; i++)
    x = dvmt_mix(x ^ value[i]);
  return x;
}

/* Contents of an array, element by element; 'element_bytes' 1, 2, 4 or any multiple of 8, others as bytes. */
uint64_t dvmt_digest_array(const void *p, uint64_t bytes, uint64_t element_bytes);
/* Of some elements of the array at p, 'first' and 'count' in elements: the sum over disjoint parts is that of the array. */
uint64_t dvmt_digest_part(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count);
/* The same of what elements at 'from' become in the array at p: they are copied there, to bytes 'first' up to and without 'behind' (of whole elements), and
 * none of them lies where they go.  The function for elements of a size. */
typedef uint64_t dvmt_digest_copy_f(void *p, const void *from, uint64_t first, uint64_t behind);
dvmt_digest_copy_f *dvmt_digest_copier(uint64_t element_bytes);
/* The sum of a part, without bytes of each element (up to DVMT_HOLED_MAX) that belong to no value; 'holes': "OFFSET BYTES ..", of bits "OFFSET:BITS", up to the end of a
 * line, or NULL: there are none. */
enum { DVMT_HOLED_MAX = 4096 };
uint64_t dvmt_digest_holed(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count, const char *holes);
/* Makes them zero in a copy of an element. */
void dvmt_holes_clear(const char *holes, void *element, uint64_t element_bytes);
#endif

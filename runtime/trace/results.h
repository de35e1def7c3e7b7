/* Results of reductions of a reference, for a parallel run that goes on with them where its own agree within the tolerance: else the
 * first rounding of a sum would make all that follows differ.  A file in memory's own byte order, for the same machine. */
#ifndef DVMT_RESULTS_H
#define DVMT_RESULTS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DVMT_RESULTS_MAGIC 0x34534c5553455244ull /* "DRESULS4" */
struct dvmt_results_head {
  uint64_t magic, nrows, nsites;
};
/* Sorted by place, number, execution. */
struct dvmt_results_row {
  uint64_t place;      /* dvmt_results_place of the construct */
  uint64_t number;     /* of its R line, from 0, and << 32 of the element */
  uint64_t execution;  /* of the construct, from 1 */
  uint64_t value[4];
  double relative, ulps, absolute; /* the tolerance: a value that is within one of them agrees */
  double rounding;     /* likewise, of the magnitude of what ranks have added up (parts may cancel) */
};

/* That magnitude, a float, lies in the upper half of a result's word of bytes (DVMT_TAG_RESULT); 0: nobody knows it. */
static inline uint64_t dvmt_results_word(uint64_t bytes, float magnitude) {
  uint32_t bits;
  memcpy(&bits, &magnitude, sizeof(bits));
  return bytes | (uint64_t)bits << 32;
}
static inline double dvmt_results_magnitude(uint64_t word) {
  const uint32_t bits = (uint32_t)(word >> 32);
  float magnitude;
  memcpy(&magnitude, &bits, sizeof(bits));
  return magnitude > 0 ? magnitude : 0; /* of no number: nothing */
}

/* Behind the rows, as often as the head says: a construct of the reference that the program and the libraries that are known before it runs do
 * not hold; its rows have its own place.  Behind it its text and a zero, to the next multiple of 8 bytes. */
struct dvmt_results_site {
  uint64_t place, bytes;
};

static inline uint64_t dvmt_results_place(const char *file, size_t n, unsigned line, unsigned column) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (size_t i = n; i-- && file[i] != '/';) /* the folder may be another */
    h = (h ^ (unsigned char)file[i]) * 0x100000001b3ull;
  return (h ^ line) * 0x100000001b3ull ^ (uint64_t)column << 40;
}
#endif

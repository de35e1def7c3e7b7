/* Arrays that directives have declared, in the recording program: where they lie.  Fixed memory; when it is full further ones
 * are not known (and then have no digest). */
#ifndef DVMT_ARRAYS_H
#define DVMT_ARRAYS_H
#include <stddef.h>
#include <stdint.h>

struct dvmt_array {
  uint64_t address, bytes, element_bytes;
  const char *holes;   /* of an element: dvmt_digest_holed; or NULL */
};
/* A directive was executed; text and arguments of its site. */
void dvmt_arrays_note(const char *text, const int64_t *args, size_t nargs);
/* An allocation begins, or (size 0) ends.  Of many the small ones are forgotten first. */
void dvmt_arrays_heap(uint64_t address, uint64_t size);
/* The allocation that holds 'address': its beginning, and its size in bytes.  False: it is not known, or has been forgotten. */
int dvmt_arrays_block(uint64_t address, uint64_t *base, uint64_t *size);
/* Allocations of many bytes, each of the size of a page at least: the n-th, or 0 behind the last. */
uint64_t dvmt_arrays_large(unsigned n, uint64_t *size);
/* The array that begins at 'address', of known size, or NULL. */
const struct dvmt_array *dvmt_arrays_find(uint64_t address);
/* Those that lie in it. */
struct dvmt_object;
void dvmt_arrays_gone(const struct dvmt_object *object);
#endif

/* A linked object whose code and data are about to be unmapped: nothing that leads into it may be kept. */
#ifndef DVMT_OBJECT_H
#define DVMT_OBJECT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dvmt_object {
  uint64_t low, high;
};
/* The object that 'p' lies in; false: there is none. */
bool dvmt_object_of(struct dvmt_object *o, const void *p);
/* The linker's build id of this program in hexadecimal digits; 0: it has none; else the number of digits. */
enum { DVMT_OBJECT_PROGRAM = 128 };
size_t dvmt_object_program(char text[DVMT_OBJECT_PROGRAM + 1]);
static inline bool dvmt_object_has(const struct dvmt_object *o, const void *p) {
  return (uint64_t)(uintptr_t)p >= o->low && (uint64_t)(uintptr_t)p < o->high;
}
#endif

/* Large pages of memory for what a rank has of an array: where the system gives them on request ('madvise' in
 * /sys/kernel/mm/transparent_hugepage/enabled), loops over large arrays miss fewer translations.  Pages lie inside of the rank's part and edges, so
 * that no memory is used for those of others. */
#ifndef DVMP_HUGE_H
#define DVMP_HUGE_H
#include "runtime/parallel/array.h"

/* The array has got its place: asks for large pages.  Where the parts of this host would take more than half of its memory, should the program use
 * all of them, it asks for no more. */
void dvmp_huge_place(struct dvmp_array *a);
/* It ends. */
void dvmp_huge_drop(struct dvmp_array *a);
#endif

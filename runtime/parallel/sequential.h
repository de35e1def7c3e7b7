/* The sequential part: who stores what is assigned. */
#ifndef DVMP_SEQUENTIAL_H
#define DVMP_SEQUENTIAL_H
#include "runtime/parallel/array.h"

/* An array that only some ranks have, in the sequential part; NULL where all may do as they like. */
struct dvmp_array *dvmp_sequential_divided(const void *p);
/* The same of what is read: in a task also one of other ranks, the element of which remote_access has brought. */
struct dvmp_array *dvmp_sequential_read(const void *p);
/* Where this rank stores: the element, or - it is another rank's - nowhere. */
void *dvmp_sequential_target(struct dvmp_array *a, void *p, uint64_t size);
/* The parts of [from, from + n) that are this rank's, in order. */
typedef void dvmp_own_f(void *arg, uintptr_t low, uintptr_t high);
void dvmp_sequential_own(const struct dvmp_array *a, uintptr_t from, size_t n, dvmp_own_f *f, void *arg);
/* Ends the run: 'what', which the block of 'old' has fetched and assigned since, is read. */
void dvmp_sequential_outdated(const struct dvmp_array *a, uintptr_t at, const struct dvmrt_directive *old, const char *what,
                              const struct dvmrt_pos *pos) __attribute__((noreturn));
/* [at, at + n) of an array that is divided has been assigned: by its owners, whatever a block of remote_access has fetched of it. */
void dvmp_sequential_assigned(struct dvmp_array *a, uintptr_t at, uint64_t n);
#endif

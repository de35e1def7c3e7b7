/* Accesses of second bodies. */
#ifndef DVMP_CHECK_H
#define DVMP_CHECK_H
#include "runtime/parallel/array.h"

struct dvmrt_site;
/* The options are known. */
void dvmp_check_begin(void);
/* A library with these addresses goes. */
void dvmp_check_gone(uintptr_t address, uint64_t bytes);
/* A function of the library is about to read or write so many bytes of the array, inside of a construct. */
void dvmp_check_range(struct dvmp_array *a, uintptr_t at, uint64_t size, bool write, struct dvmrt_site *site);
#endif

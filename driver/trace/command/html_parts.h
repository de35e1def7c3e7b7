/* Who has which element of an array of a parallel run, as the ranks call their parts: "'u[0..11][4..9]'" (runtime/parallel/where.h). */
#ifndef DVM_TRACE_HTML_PARTS_H
#define DVM_TRACE_HTML_PARTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dvmt_parts; /* the latest of each rank and array */
struct dvmt_parts *dvmt_parts_create(void);
void dvmt_parts_destroy(struct dvmt_parts *p);
/* 'own', n bytes, is copied. */
void dvmt_parts_note(struct dvmt_parts *p, const char *variable, size_t rank, const char *own, size_t n);
/* The first rank that has the element, or -1: none, or it is not told. */
int32_t dvmt_parts_owner(const struct dvmt_parts *p, const char *variable, const int64_t *index, int ndims);
#endif

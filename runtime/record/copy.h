/* 'array_copy' in a program that records: it is executed, whether somebody records or not. */
#ifndef DVMT_COPY_H
#define DVMT_COPY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directive of a site text, with the values of its signs.  False: it is another one. */
bool dvmt_copy_run(const char *text, const int64_t *args, size_t nargs);
#endif

/* Streams of the sequential part: rank 0 has the file, the others one that leads nowhere. */
#ifndef DVMP_STREAM_H
#define DVMP_STREAM_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Rank 0 is to do it for all. */
bool dvmp_stream_one(void);
/* The same, of a stream: what is in memory each rank has. */
bool dvmp_stream_one_of(FILE *f);
bool dvmp_stream_in_memory(const FILE *f);
/* Each rank may write to it by itself. */
bool dvmp_stream_is_each(const FILE *f);
/* The number of a file that all have opened. */
void dvmp_stream_opened(int fd);
/* Fails where the file is not that of the ranks that execute this task; of a number, in a parallel loop too. */
void dvmp_stream_need(FILE *f, const char *what);
void dvmp_stream_need_number(int fd, const char *what);
void dvmp_stream_need_outside(const char *what);
/* The result of rank 0 and its errno become those of all. */
void dvmp_stream_share(void *result, size_t n);
/* Memory that rank 0 has read into becomes that of all; of a distributed array each takes its part. */
void dvmp_stream_spread(void *p, size_t n);
/* As fread, into a part of a distributed array, in pieces; SIZE_MAX: it is none. */
size_t dvmp_stream_read(void *p, size_t size, size_t n, FILE *f);
/* Memory that rank 0 is about to write: of a distributed array it gets the parts of the others, in 'copy' (free it), else NULL. */
void *dvmp_stream_collect(const void *p, size_t n);
#endif

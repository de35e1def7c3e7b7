/* The file of a merged job: a table of the streams, then the streams as they were (docs/trace-format.md). */
#ifndef DVMT_CONTAINER_H
#define DVMT_CONTAINER_H
#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

struct dvmt_container {
  size_t nstreams;
  struct dvmt_stream_place {
    uint64_t offset, bytes;
  } *stream;                    /* owned */
};
/* 1: 'path' is one; 0: it is something else, or not there; -EBADMSG: its head is damaged. */
int dvmt_container_read(struct dvmt_container *c, const char *path, struct dvm_error *err);
/* The same from the first bytes of a file of 'size' bytes. */
int dvmt_container_parse(struct dvmt_container *c, const unsigned char *p, size_t n, uint64_t size, const char *name,
                         struct dvm_error *err);
void dvmt_container_fini(struct dvmt_container *c);
/* Streams 'FROM.0' .. to the file 'to'.  0, or -E.. with a text. */
int dvmt_container_write(const char *to, const char *from, size_t nstreams, struct dvm_error *err);
#endif

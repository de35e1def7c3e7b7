/* Writing JSON to a file descriptor.  Not jansson: the checker lives in the user's process, calls no malloc, and must not
 * meet the program's own copy of that library. */
#ifndef DVMRT_JSON_H
#define DVMRT_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dvmrt_json {
  int fd;
  bool comma;        /* before the next member or element */
  size_t n;
  char buf[8192];
};

void dvmrt_json_begin(struct dvmrt_json *j, int fd);
/* Writes what is left.  0, or -errno of the first write that failed since begin. */
int dvmrt_json_flush(struct dvmrt_json *j);
void dvmrt_json_raw(struct dvmrt_json *j, const char *s);
/* 'key' NULL: an element of an array. */
void dvmrt_json_open(struct dvmrt_json *j, const char *key, char bracket);
void dvmrt_json_close(struct dvmrt_json *j, char bracket);
void dvmrt_json_string(struct dvmrt_json *j, const char *key, const char *value);
void dvmrt_json_number(struct dvmrt_json *j, const char *key, uint64_t value);
void dvmrt_json_false(struct dvmrt_json *j, const char *key);
#endif

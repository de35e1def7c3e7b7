/* Site texts (runtime/site_text.h) as traces need them. */
#ifndef DVMT_TEXT_H
#define DVMT_TEXT_H
#include "runtime/site_text.h"
#include "runtime/trace/abi.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmt_span { /* borrowed part of a text */
  const char *s;
  size_t n;
};

/* Calls f for each line: its key, and what follows the key and its blank.  Stops when f says false. */
void dvmt_text_lines(const char *text, bool (*f)(void *arg, char key, struct dvmt_span rest), void *arg);
/* The first line with this key, s NULL if there is none. */
struct dvmt_span dvmt_text_line(const char *text, char key);
/* Takes the next field off 'rest'. */
struct dvmt_span dvmt_text_field(struct dvmt_span *rest);
bool dvmt_span_is(struct dvmt_span s, const char *text);
/* A decimal number, or 'otherwise'. */
int64_t dvmt_span_number(struct dvmt_span s, int64_t otherwise);

/* "A <name> <flags> & <element bytes> <ndims> <extent>..": the array that a directive is about.  'args' are the values of the
 * text's '#' and '&' in order, 'nargs' of them. */
struct dvmt_array_ref {
  struct dvmt_span name;
  uint64_t address;
  uint64_t element_bytes;
  char kind;          /* of the element: f i u c o */
  int ndims;
  int64_t extent[DVMT_NDIMS_MAX]; /* 0: not known */
  int64_t lower[DVMT_NDIMS_MAX];  /* of Fortran, else 0 */
};
bool dvmt_text_array(const char *text, const int64_t *args, size_t nargs, struct dvmt_array_ref *ref);
/* What a message calls a result, 'word' as the records have it (DVMT_TAG_RESULT): "sum", of an array "h[2]" or "h(3)". */
void dvmt_text_result(const char *text, uint64_t word, char *buf, size_t size);
/* Number of '#' and '&' that stand for arguments in a line. */
size_t dvmt_text_signs(char key, struct dvmt_span rest);
#endif

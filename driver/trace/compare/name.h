/* What people call things: places, elements, iterations. */
#ifndef DVMT_NAME_H
#define DVMT_NAME_H
#include "driver/trace/format/stream.h"
#include "runtime/trace/text.h"
#include "driver/trace/format/value.h"

struct dvmt_where {
  struct dvmt_span file;   /* as the compiler was given it; s NULL: not known */
  unsigned line, column;
};
struct dvmt_where dvmt_site_where(const char *text);
/* Without folders. */
struct dvmt_span dvmt_span_base(struct dvmt_span file);
/* "jac.c:31:18" */
void dvmt_where_text(const struct dvmt_where *w, char *buf, size_t size);
/* "parallel", "loop", "region", "array", ..: the first word of K */
struct dvmt_span dvmt_site_kind(const char *text);
/* "A[4][7]", "s", "p[3].x", of Fortran "A(8,5)": by the object's shape, or as the source has it ('text': of the access, or NULL). */
void dvmt_element_text(const struct dvmt_object_def *object, int64_t offset, const char *text, char *buf, size_t size);
/* "null", "&b[2]", "allocation 3, byte 24": a word of lead.h; 'variable': that it leads to, or NULL. */
void dvmt_lead_text(uint64_t word, const struct dvmt_object_def *variable, char *buf, size_t size);
/* "i=5, j=7" by the names of the construct's index variables; a number where it has none. */
void dvmt_iteration_text(const char *text, const uint64_t *words, uint32_t n, char *buf, size_t size);
struct dvmt_subscripts {
  int n;
  bool fortran;                  /* as it is written there */
  int64_t index[DVMT_NDIMS_MAX]; /* in the order of the text */
};
/* Offset of an element by its subscripts, -1 if it has none such. */
int64_t dvmt_element_offset(const struct dvmt_object_def *object, const struct dvmt_subscripts *s);
/* "A[3][4]" or "A(5,4)" into name and subscripts, of which there may be none. */
bool dvmt_element_parse(const char *s, struct dvmt_span *name, struct dvmt_subscripts *to);
/* Name and type of the reduction variable of a construct's R line 'number'. */
struct dvmt_span dvmt_result_name(const char *text, uint64_t number, struct dvmt_type *type);
/* Whether its result depends on the order of iterations by rounding: a sum or a product. */
bool dvmt_result_adds_up(const char *text, uint64_t number);
#endif

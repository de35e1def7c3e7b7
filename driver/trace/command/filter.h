/* Which records of a trace a command is about: by element, variable, file, function, construct, execution and record number. */
#ifndef DVM_TRACE_FILTER_H
#define DVM_TRACE_FILTER_H
#include "driver/trace/compare/name.h"
#include "driver/trace/compare/select.h"
#include "driver/trace/format/reader.h"
#include "runtime/trace/config.h"

/* What was asked for; zero or NULL: all. */
struct dvmt_wanted {
  const char *element, *construct; /* borrowed */
  uint64_t execution;              /* of the construct, from 1 */
  uint64_t from, to;               /* records; to 0: the last */
  struct dvmt_select variables, files, functions;
};
void dvmt_wanted_fini(struct dvmt_wanted *w);

struct dvmt_filter {
  struct dvmt_wanted *wanted;
  struct dvmt_span name;           /* of the element */
  struct dvmt_subscripts index;
  bool is_element;             /* 'name' and 'index' say which; else its text does */
  struct dvmt_place place;         /* of the construct; owned */
  int inside;                      /* open executions of it that are wanted */
  uint64_t executions;             /* of it, so far */
  uint64_t record;                 /* number of the next record */
  bool any;                        /* something was wanted */
  struct dvmt_contents alone, with; /* blocks with these are read (dvmt_reader_next_lacks); of the first definitions: */
  size_t nsites, nobjects;
  bool selects;                    /* blocks may be passed over */
  bool unknown;                    /* they were: what the construct did in them is to be found out at the next record */
};
/* Goes to where the wanted records begin, through the index.  0; -EINVAL for a wrong element or place. */
int dvmt_filter_begin(struct dvmt_filter *f, struct dvmt_wanted *wanted, struct dvmt_reader *r, struct dvm_error *err);
void dvmt_filter_fini(struct dvmt_filter *f);
/* The next wanted record: 1, 0 at the end, -E...; 'number' is its own. */
int dvmt_filter_next(struct dvmt_filter *f, struct dvmt_reader *r, struct dvmt_record *rec, uint64_t *number, struct dvm_error *err);
/* Warns when nothing was wanted: a misspelt name looks as if nothing had happened. */
void dvmt_filter_note(const struct dvmt_filter *f, const char *path);
#endif

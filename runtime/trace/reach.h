/* What the functions of other files assign that a parallel nest calls.  Each object that is recorded, or executed by many ranks, has tables of
 * what its functions assign and call (pass/llvm/Reached.cpp); here they are put together.  Code without tables is not known. */
#ifndef DVMT_REACH_H
#define DVMT_REACH_H
#include "runtime/trace/text.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  DVMT_REACH_WRITTEN = 1,
  DVMT_REACH_READ = 2,
  DVMT_REACH_EXPOSED = 4, /* read, perhaps before it is assigned */
  DVMT_REACH_SURE = 8, /* assigned whenever the function comes back */
  DVMT_REACH_POINTER = 16, /* all that is about what the variable points to, too */
  DVMT_REACH_NAMED = 32, /* of a nest: its text has it already */
  DVMT_REACH_CALLED = 64 /* of a nest: a function that it calls assigns it */
};
/* Begins a name that stands for all functions of a type whose addresses are taken, and that calls through pointers may mean: each object has
 * what those of its own do. */
#define DVMT_REACH_POINTED "*"
/* Lists of names end with an empty one: "one\0other\0". */
struct dvmt_reach_variable {
  const void *address;
  const char *name; /* as the program calls it */
  const char *behind; /* EXPOSED: functions that are called before in any case */
  uint64_t bytes; /* of values alone; 0: they are not known */
  uint64_t flags;
};
struct dvmt_reach_call {
  const char *function;
  const char *behind; /* functions that are called before in any case */
  const void *const *assigned; /* variables that are assigned before in any case; the last one is NULL */
  uint64_t sure; /* called whenever the function comes back */
};
struct dvmt_reach {
  const char *name; /* of the function; NULL: a nest */
  const char *file;
  const struct dvmt_reach_variable *variables;
  const struct dvmt_reach_call *calls;
  uint64_t nvariables, ncalls;
};

/* Tables of one object; borrowed until they are gone. */
void dvmt_reach_add(const struct dvmt_reach *rows, uint64_t n);
void dvmt_reach_gone(const struct dvmt_reach *rows);

struct dvmt_reached {
  const void *address;
  const char *name; /* other than those before */
  uint64_t bytes;
  uint64_t flags; /* WRITTEN; EXPOSED: its value matters to iterations or behind the nest */
  void *use; /* the caller's */
};
/* Variables that functions with tables assign when the nest calls them, and that its text does not have; the same rows until tables come or go. */
struct dvmt_reached *dvmt_reach_of(const struct dvmt_reach *nest, size_t *n);
/* An access site of the variable, at the place of a construct, which nobody knows yet; NULL: no memory. */
struct dvmt_site *dvmt_reach_site(struct dvmt_span file, struct dvmt_span place, const struct dvmt_reached *variable);

#ifdef __cplusplus
}
#endif
#endif

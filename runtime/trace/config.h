/* Trace configuration: what of a run is recorded, and how closely values are compared (docs/traces.md has the format). */
#ifndef DVMT_CONFIG_H
#define DVMT_CONFIG_H
#include "base/error.h"
#include "runtime/trace/abi.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmt_range {
  int64_t low, high, step; /* inclusive; step > 0, counted from low */
};
struct dvmt_limits {
  bool set[DVMT_NDIMS_MAX];
  struct dvmt_range dim[DVMT_NDIMS_MAX];
};
struct dvmt_place {
  char *file;              /* owned; NULL: not given */
  unsigned line, column;   /* column 0: any */
};
struct dvmt_rule {
  struct dvmt_place place;
  enum dvmt_level level;
  bool limited;
  struct dvmt_limits limits;
};
struct dvmt_point {
  struct dvmt_place place; /* of a construct */
  uint64_t count;          /* its execution, from 1 */
};
/* A tolerance for a type or a variable; parts below zero are not given. */
struct dvmt_tolerance_rule {
  char *name;              /* owned: of a type ("float", "double", "long double") or of a variable */
  bool is_type;
  double relative, ulps, absolute;
};

struct dvmt_config {
  enum dvmt_level level;   /* of the program */
  bool has_level;
  struct dvmt_point start, finish;
  struct dvmt_rule *rules; /* owned, as the next */
  size_t nrules;
  struct dvmt_tolerance_rule *tolerances;
  size_t ntolerances;
};

#define DVMT_CONFIG_INIT {DVMT_LEVEL_MODIFY, false, {{NULL, 0, 0}, 0}, {{NULL, 0, 0}, 0}, NULL, 0, NULL, 0}

/* Reads 'path' into an initialised 'config'.  The error's text has the form 'FILE:LINE:COLUMN: ..'. */
int dvmt_config_read(struct dvmt_config *config, const char *path, struct dvm_error *err);
/* The same from memory; 'name' stands for the file's name. */
int dvmt_config_parse(struct dvmt_config *config, const char *text, const char *name, struct dvm_error *err);
void dvmt_config_fini(struct dvmt_config *config);

/* 'file' as the compiler was given it: places agree if one name ends in the other at a slash. */
bool dvmt_place_is(const struct dvmt_place *place, const char *file, size_t n, unsigned line, unsigned column);
const struct dvmt_rule *dvmt_config_rule(const struct dvmt_config *config, const char *file, size_t n, unsigned line, unsigned column);
/* From "FILE:LINE" or "FILE:LINE:COLUMN", into an empty place; -EINVAL: it is something else; -ENOMEM. */
int dvmt_place_read(struct dvmt_place *place, const char *text);

/* -1: unknown. */
int dvmt_level_number(const char *name);
const char *dvmt_level_name(enum dvmt_level level);
#endif

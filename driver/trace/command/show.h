/* Contents of a trace as text or JSON. */
#ifndef DVM_TRACE_SHOW_H
#define DVM_TRACE_SHOW_H
#include "base/error.h"
#include "driver/trace/command/filter.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct dvmt_show {
  bool json;
  struct dvmt_wanted wanted;
  uint64_t limit;
};
int dvmt_show_info(const char *path, const struct dvmt_show *show, FILE *out, struct dvm_error *err);
int dvmt_show_dump(const char *path, struct dvmt_show *show, FILE *out, struct dvm_error *err);
int dvmt_show_stat(const char *path, struct dvmt_show *show, FILE *out, struct dvm_error *err);
#endif

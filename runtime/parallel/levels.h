/* How much of each construct is recorded: 'trace_level' and 'trace_config' of DVM_OPTIONS, which the commands set (docs/traces.md). */
#ifndef DVMP_LEVELS_H
#define DVMP_LEVELS_H
#include "runtime/parallel/construct.h"
#include "runtime/trace/config.h"

/* What the configuration says of a construct; begins as zeros. */
struct dvmp_levels_rule {
  bool looked_up, ruled, starts, finishes;
  enum dvmt_level level;
};

/* Reads the configuration, if there is one.  0, or -E.. with a text. */
int dvmp_levels_begin(struct dvm_error *err);
/* Of the program, where nothing else is said. */
enum dvmt_level dvmp_levels_program(void);
/* Iterations of some constructs are told one by one. */
bool dvmp_levels_iterations(void);
/* The level at which this execution (from 1) of a construct is recorded. */
enum dvmt_level dvmp_levels_enter(struct dvmp_levels_rule *r, const struct dvmrt_pos *pos, uint64_t execution);
void dvmp_levels_leave(const struct dvmp_levels_rule *r, uint64_t execution);
#endif

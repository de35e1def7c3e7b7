/* Executions of constructs that are compared element by element: their iterations, and the values of distributed arrays, from a trace of one
 * process on to a comparison, in the numbers of a shape. */
#ifndef DVMT_RELAY_H
#define DVMT_RELAY_H
#include "driver/trace/job/project.h"
#include "runtime/trace/config.h"

struct dvmt_relay {
  struct dvmt_shape *shape; /* borrowed */
  int64_t *sites, *objects; /* by number of the trace, 0: not met, else 1 + the shape's; owned */
  size_t nsites, nobjects;
};
void dvmt_relay_fini(struct dvmt_relay *r);
/* A record between begin and end of the construct whose site is 'own' in the trace; 'site' and 'object' (of a value) are its definitions.  Loops
 * within it are left out. */
int dvmt_relay_record(struct dvmt_relay *r, struct dvmt_sink *out, int64_t construct, uint32_t own, const struct dvmt_record *rec,
                      const struct dvmt_site_def *site, const struct dvmt_object_def *object);
/* Whether the configuration has the construct's values. */
bool dvmt_relay_is_by_elements(const struct dvmt_config *config, const char *text);
/* The same, of an execution that begins, and that has them in the trace. */
bool dvmt_relay_begins(const struct dvmt_config *config, const char *text, const struct dvmt_record *enter);
static inline bool dvmt_level_has_values(unsigned level) { return level == DVMT_LEVEL_MODIFY || level == DVMT_LEVEL_FULL; }
#endif

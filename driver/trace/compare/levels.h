/* What of a stream another recording would have kept: its level and its configuration, played over the records. */
#ifndef DVMT_LEVELS_H
#define DVMT_LEVELS_H
#include "driver/trace/format/stream.h"
#include "runtime/trace/config.h"
#include <stdbool.h>

struct dvmt_levels;
/* 'config' is borrowed; its level is the program's.  NULL without memory. */
struct dvmt_levels *dvmt_levels_create(const struct dvmt_config *config);
void dvmt_levels_destroy(struct dvmt_levels *l);
/* Each record of the stream, in order, with its site. */
bool dvmt_levels_keep(struct dvmt_levels *l, const struct dvmt_record *r, const struct dvmt_site_def *site);
#endif

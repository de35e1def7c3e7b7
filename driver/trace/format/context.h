/* Where in its constructs a program is: what a reader has to know that begins with some block (docs/trace-format.md, 'Context'). */
#ifndef DVMT_CONTEXT_H
#define DVMT_CONTEXT_H
#include "driver/trace/format/bytes.h"
#include "driver/trace/format/stream.h"

enum { DVMT_CONTEXT_DEPTH = 256 };

/* A construct or loop that is being executed. */
struct dvmt_context_open {
  uint32_t site;
  uint32_t execution;      /* of this construct, from 1; 0 inside a construct with iterations: their order is free */
  bool has_iteration;
  uint32_t nwords;
  uint64_t words[DVMT_NDIMS_MAX]; /* of its present iteration */
};
struct dvmt_context {
  struct dvmt_context_open open[DVMT_CONTEXT_DEPTH]; /* outermost first */
  int depth;
  int iterating;           /* the outermost with iterations, -1: none */
  uint32_t *counts;        /* owned; by site: executions that began outside constructs with iterations */
  size_t ncounts;
  bool unknown;            /* deeper than this, or no memory: it is not told any more */
};
void dvmt_context_init(struct dvmt_context *c);
void dvmt_context_fini(struct dvmt_context *c);
/* A record of kind enter, leave or iteration; 'iterates': its site is a construct with iterations. */
void dvmt_context_follow(struct dvmt_context *c, const struct dvmt_record *r, bool iterates);
/* The same for an iteration, which most records are. */
static inline void dvmt_context_iterate(struct dvmt_context *c, const struct dvmt_record *r) {
  struct dvmt_context_open *o = c->depth ? &c->open[c->depth - 1] : NULL;
  if (!o || o->site != r->site || r->nwords > DVMT_NDIMS_MAX) {
    dvmt_context_follow(c, r, false);
    return;
  }
  o->has_iteration = true;
  o->nwords = r->nwords;
  for (uint32_t i = 0; i < r->nwords; i++)
    o->words[i] = r->words[i];
}
void dvmt_context_put(const struct dvmt_context *c, struct dvmt_bytes *out);
/* Into an initialised context; 'nsites' limits the sites that it may name.  0; -ENODATA: it is not told; -EBADMSG, -ENOMEM. */
int dvmt_context_get(struct dvmt_context *c, struct dvmt_cursor *from, size_t nsites);
#endif

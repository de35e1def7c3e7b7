/* A comparison beside both programs, for live.c, live_ranks.c and live_reference.c. */
#ifndef DVM_TRACE_LIVE_PRIVATE_H
#define DVM_TRACE_LIVE_PRIVATE_H
#include "driver/folder.h"
#include "driver/trace/command/options.h"
#include "driver/trace/job/join_rank.h"
#include "runtime/trace/live.h"
#include "runtime/trace/digest.h"
#include <string.h>
#include <sys/types.h>

enum { LIVE_LEAD = 1000 };      /* executions that one side may be ahead of the other in this process */

struct live_sum {
  const char *name;             /* of the side's objects, which stay */
  uint64_t elements, digest;
  bool array;                   /* of the run: one of a directive, else a variable that no clause names */
};
/* An execution of a construct. */
struct live_step {
  const char *text;             /* reduced, of the side's sites, which stay */
  uint64_t execution;           /* of this construct, from 1 */
  struct live_sum *sums;        /* owned, as the results */
  size_t nsums;
  struct dvmt_join_result *results;
  size_t nresults;
};
static inline uint64_t live_step_iterations(const struct live_step *s) {
  for (size_t i = 0; i < s->nsums; i++)
    if (!strcmp(s->sums[i].name, DVMT_EXECUTED))
      return s->sums[i].elements;
  return 0;
}
/* Steps of a side as a sink takes them from a shape (project.h); the last 'kept' that have been taken stay, for results that come late. */
struct live_steps {
  struct dvmt_sink sink;
  char **texts, **names;        /* owned */
  uint64_t *executions;         /* of the texts */
  bool *arrays;                 /* of the names; owned, too */
  size_t ntexts, nnames;
  struct live_step *row;        /* owned: [nrow], of which the first 'taken' have been compared */
  size_t nrow, taken, room;
  bool open;                    /* the last row is not whole yet */
};
void live_steps_init(struct live_steps *s);
void live_steps_fini(struct live_steps *s);
/* The first whole step that has not been taken, or NULL. */
const struct live_step *live_steps_first(const struct live_steps *s);
void live_steps_take(struct live_steps *s);
/* Number of whole ones that have not been taken. */
size_t live_steps_ahead(const struct live_steps *s);

/* The program of the reference: a process of ours launches it, and sends its steps. */
struct live_reference {
  struct live_steps steps;
  pid_t pid;                    /* of ours; its status is 0 if the program has recorded something */
  int from, go;                 /* steps; a byte lets it go on */
  char **known;                 /* owned: texts of its parallel constructs, before they are executed */
  size_t nknown;
  char *buffer;                 /* owned: what is not yet a whole message */
  size_t n, room;
  bool over;
};
struct live_programs {          /* shared with our processes */
  pid_t reference, run;         /* what they have launched; 0: not yet */
  int reference_status;         /* when it has ended */
};
int live_reference_start(struct live_reference *r, const char *command, bool step, struct live_programs *programs, struct dvm_error *err);
/* Reads what there is: 'from' can be read.  0, or -E.. with a text. */
int live_reference_read(struct live_reference *r, struct dvm_error *err);
void live_reference_fini(struct live_reference *r);

/* One rank. */
struct live_rank;
struct live_rank *live_rank_create(int fd, uint32_t rank, struct dvmt_shape *shape);
void live_rank_destroy(struct live_rank *r);
int live_rank_read(struct live_rank *r, struct dvm_error *err);
bool live_rank_over(const struct live_rank *r);
int live_rank_fd(const struct live_rank *r);
size_t live_rank_ahead(const struct live_rank *r);
/* Moves its first step to 'step', or says that there is none: construct -1. */
int live_rank_take(struct live_rank *r, struct dvmt_join_step *step);
/* A result that it waits for: text of the construct, number of the result, which one of these it is, from 1.  NULL: it does not. */
const char *live_rank_wants(const struct live_rank *r, uint64_t *number, uint64_t *execution);
void live_rank_answer(struct live_rank *r, const void *answer, size_t n);
bool live_rank_waits(const struct live_rank *r); /* behind a construct */
#endif

/* Where a rank's time goes, by interval and directive: DVM_OPTIONS=profile=FOLDER.  At every moment one entry of one table is charged.  Where
 * nothing is profiled each call here is a test of one flag. */
#ifndef DVMP_PROFILE_H
#define DVMP_PROFILE_H
#include "runtime/parallel/array.h"

/* What the program does, and what is done for it.  PART: iterations of this rank; ALL: what each rank does alike. */
enum dvmp_time {
  DVMP_TIME_PART,
  DVMP_TIME_ALL,
  DVMP_TIME_SYSTEM,
  DVMP_TIME_IO,
  DVMP_TIME_OWN,
  DVMP_TIME_WAIT = DVMP_TIME_OWN,
  DVMP_TIME_TRANSFER
};
/* What is exchanged with other ranks, and why.  OTHER: values of the sequential part that all get from one. */
enum dvmp_why {
  DVMP_WHY_OTHER,
  DVMP_WHY_SHADOW,
  DVMP_WHY_ACROSS,
  DVMP_WHY_REDUCTION,
  DVMP_WHY_REMOTE,
  DVMP_WHY_REDISTRIBUTE,
  DVMP_WHY_COPY,
  DVMP_WHY_IO,
  DVMP_WHY_END,
  DVMP_WHYS
};

struct dvmp_exchanged {
  uint64_t count, messages, bytes; /* operations; what this rank sent for them */
  uint64_t wait_ns, transfer_ns; /* until the others were there; from then on */
};
/* Of a directive, or of the sequential part behind it, in one interval. */
struct dvmp_entry {
  struct dvmp_entry *next;
  int interval;
  const struct dvmrt_directive *d; /* NULL: the beginning of the program */
  bool behind;
  uint64_t executions;
  uint64_t iterations; /* of this rank, over all executions, along the dimensions that are divided */
  uint64_t stages; /* of a pipeline, in its last execution; 0: none */
  uint64_t line; /* ranks in that pipeline */
  uint64_t time_ns[DVMP_TIME_OWN];
  struct dvmp_exchanged why[DVMP_WHYS];
  uint64_t *late_ns; /* [size]: that each was waited for, where it is known; or NULL */
  const struct dvmrt_directive *until; /* behind: the directive that came last after it */
};
struct dvmp_interval {
  int parent;
  const struct dvmrt_directive *d; /* NULL: the whole program */
  bool has_number;
  int64_t number;
  uint64_t executions;
};
struct dvmp_profiled_array {
  struct dvmp_profiled_array *next;
  const char *name;
  struct dvmrt_pos declared;
  uint64_t element_bytes;
  int ndims;
  int64_t extent[DVMRT_NDIMS_MAX], own[DVMRT_NDIMS_MAX], span[DVMRT_NDIMS_MAX]; /* elements of this rank; the shortest piece of them */
};

extern bool dvmp_profiling;

/* Once the ranks are known; 'folder' NULL: nothing is profiled. */
void dvmp_profile_begin(const char *folder);
/* Writes the rank's file. */
void dvmp_profile_end(void);

/* The slow halves of what is below. */
int dvmp_profile_charge(int time);
int dvmp_profile_operate(int why);
void dvmp_profile_open(const struct dvmrt_directive *d);
void dvmp_profile_close(void);
void dvmp_profile_add_sent(uint64_t bytes);
void dvmp_profile_note_array(const struct dvmp_array *a);

/* From now on this time is charged; what it was before. */
static inline int dvmp_profile_time(int time) { return dvmp_profiling ? dvmp_profile_charge(time) : 0; }
/* An operation begins; what was exchanged before.  To go back to that: dvmp_profile_back. */
static inline int dvmp_profile_why(int why) { return dvmp_profiling ? dvmp_profile_operate(why) : 0; }
void dvmp_profile_back(int why);
static inline void dvmp_profile_enter(const struct dvmrt_directive *d) {
  if (dvmp_profiling)
    dvmp_profile_open(d);
}
static inline void dvmp_profile_leave(void) {
  if (dvmp_profiling)
    dvmp_profile_close();
}
static inline void dvmp_profile_sent(uint64_t bytes) {
  if (dvmp_profiling)
    dvmp_profile_add_sent(bytes);
}
static inline void dvmp_profile_array(const struct dvmp_array *a) {
  if (dvmp_profiling)
    dvmp_profile_note_array(a);
}
/* Of the directive that is open: iterations that this rank has; a pipeline of so many ranks, in so many stages. */
void dvmp_profile_iterations(uint64_t n);
void dvmp_profile_pipeline(uint64_t ranks, uint64_t stages);
/* The waiting that is charged now, since 'ns' ago, was for this rank. */
void dvmp_profile_late(int rank, uint64_t ns);
/* interval, endinterval, exitinterval: true if it was one. */
bool dvmp_profile_interval(const struct dvmrt_directive *d, const int64_t *args);

/* In a function of the input and output: to its end. */
struct dvmp_profile_io {
  int time, why;
};
struct dvmp_profile_io dvmp_profile_io_begin(void);
void dvmp_profile_io_end(struct dvmp_profile_io *before);
#define DVMP_PROFILE_IO __attribute__((cleanup(dvmp_profile_io_end), unused)) struct dvmp_profile_io profiled = dvmp_profile_io_begin()

/* Inside. */
struct dvmp_profile {
  const char *folder;
  uint64_t begin_ns, end_ns, stamp; /* stamp: the same on all ranks of this run */
  int nintervals;
  struct dvmp_interval *intervals;
  struct dvmp_profiled_array *arrays;
  struct dvmp_entry *const *first; /* in order of their first execution, linked by 'next' */
};
/* 0, or -errno. */
int dvmp_profile_write(const struct dvmp_profile *p);
#endif

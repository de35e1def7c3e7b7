/* The job: its ranks, how they talk, the options.  One rank without a launcher knows no MPI at all. */
#ifndef DVMP_JOB_H
#define DVMP_JOB_H
#include "runtime/data/site.h"
#include "runtime/parallel/group.h"

struct dvmp_job {
  bool begun, over;
  bool mpi;                     /* we have a communicator */
  int rank, size;
  const struct dvmp_group *group; /* that executes a task, or NULL: all ranks execute the program */
  bool in_task;                 /* a task is being executed by its ranks, which may be all */
  int root;                     /* the first rank of those */
  bool tasks_all;               /* tasks=all: each task is executed by all ranks */
  int ngrid, grid[DVMRT_NDIMS_MAX]; /* grid=AxBx.., 0: none given */
  int inside;                   /* constructs with iterations of this rank alone that are being executed */
  bool edges;                   /* iterations of other ranks are being executed, for what the edges get of them (shadow_compute) */
  bool everywhere;              /* io=all: each rank's own output */
  double patience_s;
  bool guard, poison;           /* foreign pages are closed; accesses are checked */
  bool huge;                    /* large pages for the rank's parts */
  bool digest;
};
extern struct dvmp_job dvmp_job;

/* Once, before anything needs to know the ranks; later calls do nothing. */
void dvmp_job_begin(void);
/* Before an end of the process that calls no handlers. */
void dvmp_job_close(void);
/* The sequential part is being executed, by more than one rank. */
static inline bool dvmp_job_together(void) { return dvmp_job.size > 1 && !dvmp_job.inside; }

/* A thread of the program is running that is not the one that executes constructs. */
bool dvmp_job_beside(void);

/* Of the ranks that are together this one is the first. */
static inline bool dvmp_job_first(void) { return dvmp_job.rank == dvmp_job.root; }
/* From now on the ranks of 'group' alone are together, or all again.  All of them come through here. */
void dvmp_job_narrow(const struct dvmp_group *group);
/* All ranks of the job prepare that these talk. */
void dvmp_job_prepare(struct dvmp_group *group);

/* What follows is for the ranks that are together; ranks are numbered as in the job, in a group too. */
/* Bytes from one rank to all. */
void dvmp_job_tell(void *p, size_t n, int from);
void dvmp_job_barrier(void);
/* In place; op and type are those of 'reduction' and of a ref's kind: 's' sum, 'p' product, 'M' max, 'm' min, 'a' and, 'o' or,
 * 'x' xor; 'f' 'i' 'u' 'c' and bytes.  Started and waited for, or at once with 'handle' NULL. */
void dvmp_job_combine(void *p, int64_t count, char op, char type, int bytes, void **handle);
void dvmp_job_wait(void **handle);
/* Gathers 'n' bytes of each rank, at place rank * n, at all; of those that are not in the group nothing is changed. */
void dvmp_job_gather(const void *mine, size_t n, void *all);

/* In memory: 'to' combined with 'with'. */
void dvmp_job_fold(void *to, const void *with, int64_t count, char op, char type, int bytes);

/* Messages between two ranks: all of those started are finished by 'dvmp_job_finish'. */
void dvmp_job_receive(void *p, size_t n, int from, int tag);
void dvmp_job_send(const void *p, size_t n, int to, int tag);
void dvmp_job_finish(void);
/* While a profile is made: the one that is to receive waits until the one that is to send is there, and notes how long. */
void dvmp_job_tell_ready(int to, int tag);
void dvmp_job_expect(int from, int tag);
void dvmp_job_wait_ready(void);
/* A tag that no other operation under way has. */
int dvmp_job_tag(void);
#endif

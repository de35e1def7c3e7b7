/* A job on several hosts, between its controller, the commands and the proxies: what is asked of the proxy of a node, through its box in the controller's
   memory (mpir/mpi/segment.h). */
#ifndef MPIR_JOB_HOSTS_H
#define MPIR_JOB_HOSTS_H
#include "base/error.h"
#include "mpir/crs/protocol.h"
#include "mpir/image/job_manifest.h"
#include "mpir/mpi/segment.h"

enum hosts_what {
  HOSTS_WHERE = 1, /* 'pid', 'place': text is where that lies */
  HOSTS_READY, /* answered when the ranks of the node are restored */
  HOSTS_GO, /* and these go on */
  HOSTS_STOP, /* a checkpoint begins: the wanted ranks are stopped */
  HOSTS_SAVE, /* they are copied into the folder 'request.path' */
  HOSTS_FINISH, /* the images are whole; the ranks go on, unless they are to be killed */
  HOSTS_KILL,
  HOSTS_END, /* of the checkpoint; without HOSTS_FINISH nothing is left of it */
};

struct hosts_question {
  uint32_t what;
  int32_t pid;
  uint64_t place;
  struct crs_request request;
  uint8_t wanted[MPIR_JOB_RANKS_MAX];
};

struct hosts_answer {
  int32_t code; /* 0, or -E... with the text */
  uint32_t count; /* HOSTS_STOP: ranks that stand */
  struct crs_reply reply;
  char text[1024];
};
_Static_assert(sizeof(struct hosts_question) <= MPL_BOX_BYTES && sizeof(struct hosts_answer) <= MPL_BOX_BYTES, "they go through a box");

/* The process that leads a checkpoint on one node: serves questions from 'fd' until it is closed.  'segment': descriptor of the node's memory. */
int mpir_job_part(int fd, int segment);
/* Saves one rank, which stands, into the folder.  0, or 1 with a line on 'fd'. */
int mpir_job_part_save(int fd, int segment, uint32_t rank, const char *folder);
void mpir_job_part_remove(const char *folder); /* what that has written */

/* Asks the nodes; 'alive' tells whether there is still somebody who could answer. */
void mpir_hosts_ask(struct mpl_job *shared, uint32_t node, const struct hosts_question *q);
/* Waits for its answer.  0, or -E... with the text: of the answer, or that there is none. */
int mpir_hosts_answer(struct mpl_job *shared, uint32_t node, struct hosts_answer *a, bool (*alive)(void *), void *arg,
                      struct dvm_error *err);

/* The memory of a node in a restarted job, from what the nodes of the saved one had: 'to' has the states and rings of 'nranks' ranks and is zero.  'times':
 * of each saved node, 'start' and 'stopped' as its memory has them are used for MPI_Wtime. */
int mpir_segment_merge(struct mpl_job *to, const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err);
/* Of a job in two sets of replicas, whose snapshot is of one of them: of each rank how far it was, as its own node's memory has it. */
struct mpir_segment_rank {
  bool led; /* the other one followed it */
  uint64_t logged, step; /* entries of its log, steps */
  uint64_t printed[2]; /* bytes, by stream */
};
int mpir_segment_ranks(const struct mpir_job_manifest *m, const char *folder, unsigned *set, struct mpir_segment_rank *to,
                       struct dvm_error *err);
/* Writes what is in use of a node's memory to a file. */
int mpir_segment_write(const struct mpl_job *job, int segment, const char *path, struct dvm_error *err);

/* --- at the controller --- */
#include <signal.h>
struct job;
struct mpir_hosts;
struct mpir_hosts_what {
  const char *launcher; /* words of the command in place of "mpirun", or NULL */
  const char *library; /* folder of our libmpi.so.40 */
  char **argv; /* the program, or NULL: */
  const char *snapshot, *flags; /* as dvm-proxy takes them */
  const struct mpir_half *set; /* of replicas on different hosts, or NULL */
};
/* 'list' as '--hosts' takes it.  NULL with the reason in 'err'. */
struct mpir_hosts *mpir_hosts_create(const char *list, uint32_t nranks, struct dvm_error *err);
void mpir_hosts_destroy(struct mpir_hosts *h);
uint32_t mpir_hosts_count(const struct mpir_hosts *h);
const char *mpir_hosts_name(const struct mpir_hosts *h, uint32_t node);
/* Puts hosts and places of ranks into the controller's memory. */
void mpir_hosts_describe(const struct mpir_hosts *h, struct mpl_job *shared);
/* Starts mpirun; 'mask': signals that it has blocked. */
int mpir_hosts_start(struct mpir_hosts *h, const struct job *j, const struct mpir_hosts_what *what, const sigset_t *mask);
/* Until all ranks have their process numbers.  -ECHILD: mpirun has ended before. */
int mpir_hosts_await(struct mpir_hosts *h, struct job *j);
int mpir_hosts_await_proxies(struct mpir_hosts *h, const struct mpir_half *set); /* of a set that has no ranks yet: likewise */
/* Until all ranks are restored, and lets them go on. */
int mpir_hosts_restored(struct mpir_hosts *h, struct mpl_job *shared, struct dvm_error *err);
/* A child of ours has ended: true if it was mpirun. */
bool mpir_hosts_reaped(struct mpir_hosts *h, pid_t pid, int how);
/* The job's status when mpirun has ended just now (told on standard error unless 'quiet'), else 0. */
int mpir_hosts_lost(struct mpir_hosts *h, bool quiet);
/* As mpir_where, of a rank on another host; 'arg' is the struct job. */
void mpir_hosts_where(void *arg, uint32_t rank, pid_t pid, uint64_t place, char *text, size_t size);
void mpir_hosts_give_up(struct mpl_job *shared);
void mpir_hosts_signal(struct mpl_job *shared, int sig);
/* All ranks have ended: waits until mpirun and the proxies have. */
void mpir_hosts_finish(struct mpir_hosts *h, struct mpl_job *shared);
#endif

/* Between a job's controller ('dvm run -n', 'dvm restart') and the commands: packets over an abstract socket.  Both ends are of one build. */
#ifndef MPIR_JOB_PROTOCOL_H
#define MPIR_JOB_PROTOCOL_H
#include <stdint.h>
#include "mpir/image/job_manifest.h"

/* Names after the leading zero byte: number of the pid namespace, then the controller's number there, or the user's and the job's name. */
#define JOB_SOCKET_BY_PID "dvm-job.%lu.%d"
#define JOB_SOCKET_BY_NAME "dvm-job.%lu.%u.%s"

enum { JOB_PROTOCOL_VERSION = 4, JOB_TEXT_MAX = 2048 };

enum job_request { /* a packet of one such number, a text behind it where that is said */
                   JOB_ASK = 1, /* answer: struct job_answer */
                   JOB_BEGIN, /* a checkpoint begins, and ends with the connection; answer: struct job_answer, -EBUSY while there is another, -EAGAIN: not now */
                   JOB_STANDS, /* all ranks stand: the job's clock is noted; answer: one byte */
                   JOB_ENDS, /* the ranks are about to be killed, which is no failure; answer: one byte */
                   JOB_SAVED, /* the job is whole in the snapshot whose path follows, with a zero byte at its end; answer: one byte */
};

struct job_answer {
  uint32_t version, nranks;
  int32_t code; /* 0 or -E... */
  uint32_t eager_limit, strict;
  uint64_t device, inode; /* of the memory that the ranks share */
  uint32_t nnodes; /* 0: the ranks are on this host, else: */
  int32_t descriptor; /* of the controller's memory, in the controller */
  int32_t holder; /* in this process, where that is not 0: one set of replicas is saved, and the controller has another memory */
  char name[MPIR_JOB_NAME_MAX], command[JOB_TEXT_MAX], folder[JOB_TEXT_MAX];
  int32_t pids[MPIR_JOB_RANKS_MAX]; /* by rank, as the controller counts; 0: has ended */
  uint8_t ready[MPIR_JOB_RANKS_MAX]; /* 1: has called MPI_Init */
};
#endif

/* A running job, as the files of the controller share it. */
#ifndef MPIR_JOB_PRIVATE_H
#define MPIR_JOB_PRIVATE_H
#include <stdatomic.h>
#include <sys/types.h>
#include "mpir/commands/job.h"
#include "mpir/commands/job_replicas.h"
#include "mpir/commands/job_hosts.h"
#include "mpir/commands/job_socket.h"
#include "mpir/mpi/segment.h"

struct mpir_half;
struct job {
  char name[MPIR_JOB_NAME_MAX];  /* or "" */
  char *command, *folder;        /* for people; owned */
  bool checkpointable;
  uint32_t nranks;
  struct mpl_job *shared;
  int fd, signals;               /* fd: of the shared memory */
  pid_t *pids;                   /* by rank; 0: has ended */
  uint32_t alive;
  const _Atomic int *how;        /* ranks that are not our children: as struct mpir_restarted has it; else NULL */
  int *how_index;                /* by rank */
  pid_t init;                    /* likewise: our child, the first process of their namespace */
  int status;                    /* of the first rank that did not end well, or 0 */
  bool ending;                   /* the rest is being ended */
  bool saved;                    /* it ends with the snapshot that was just taken */
  int64_t ending_ms, saved_ms;   /* since then nobody leads a checkpoint */
  int64_t looked_ms;             /* for a deadlock */
  struct mpir_deadlock *deadlock;
  struct mpir_job_socket *socket;
  struct mpir_replicas *replicas; /* or NULL */
  char *snapshot;                 /* the last whole one, or NULL; owned */
  int kept_input;                 /* of the command whose place this one has taken: what came of standard input; or -1 */
  unsigned tries;                 /* restarts from it, one after another */
  struct mpir_hosts *hosts;      /* of a job on several hosts, or NULL */
  const struct mpir_half *set;    /* of replicas on different hosts, or NULL */
  bool leads;                    /* a checkpoint was under way at the last look */
  struct mpir_job_clock *clock;  /* checkpoints that the controller itself asks for */
};

/* job_again.c: the job is over with 'status'.  Where ranks were lost with all their replicas, and there is a snapshot, this command becomes the one that
   restarts it, and does not return. */
int mpir_job_again(struct job *j, int status);
/* That command could not restart it, since a rank was lost again or for another reason, which may pass.  Returns when it was tried often enough. */
void mpir_job_try_again(struct job *j, const mpir_replicas_printed *before, struct dvm_error *err);
/* In that command: what the one before has left, or NULL where nothing was; the caller frees it.  By rank. */
mpir_replicas_printed *mpir_job_before(struct job *j);
/* job.c: a command line, for people; the caller frees. */
char *mpir_job_words(char **argv);
/* job.c: blocks what a command that starts ranks is to read, 'clock''s signal too.  Returns the descriptor to read it from. */
int mpir_job_signals(const struct mpir_job_clock *clock, sigset_t *before);
/* job.c: catches what is to be caught, before the first rank is there; 'before' is the mask that ranks get. */
void mpir_job_catch(struct job *j, sigset_t *before);
/* Opens the socket.  Returns 0, or -E... with the text in 'err'. */
int mpir_job_open(struct job *j, struct dvm_error *err);
/* Ranks run: to the end.  Returns the job's status. */
int mpir_job_watch(struct job *j);
void mpir_job_end_all(struct job *j, int status);

/* job_table.c: the MPIR table of a debugger, of ranks that run the file 'program', or where that is NULL what they say themselves. */
void mpir_table_fill(const struct job *j, const char *program);
/* A debugger has started us, and wants the ranks held until it has attached. */
bool mpir_table_wanted(void);
/* Tells a debugger that the table is there; returns when it lets us go on. */
void mpir_table_tell(void);
void mpir_table_print(void); /* on standard error, for a debugger */
void mpir_table_abort(const char *why);

/* job_clock.c: reads, and takes out of the environment, what asks for checkpoints again and again or by a signal.  NULL: nothing does. */
struct mpir_job_clock *mpir_job_clock_create(void);
int mpir_job_clock_signal(const struct mpir_job_clock *c); /* 0: none */
/* So that a command that takes our place reads it again. */
void mpir_job_clock_hand_on(const struct mpir_job_clock *c);
/* Starts the command when it is time, or 'asked'; one at a time. */
void mpir_job_clock_look(struct mpir_job_clock *c, bool asked);
/* A child of ours has ended: true if it was the command. */
bool mpir_job_clock_ended(struct mpir_job_clock *c, pid_t pid);
#endif

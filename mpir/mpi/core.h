/* This process in its job: its ends of the rings, what it has posted and what has come unasked, and the one loop that moves it all. */
#ifndef MPL_CORE_H
#define MPL_CORE_H
#include "mpir/mpi/object.h"
#include "mpir/mpi/ring.h"
#include "mpir/replica/replica.h"
#include <pthread.h>

enum mpl_mode { MPL_STANDARD, MPL_SYNCHRONOUS, MPL_BUFFERED, MPL_READY };
enum { MPL_TAG_UB = 0x7fffffff, MPL_FRAGMENT = 32 << 10 };

/* A message that has come, or been announced, before anybody asked for it. */
struct mpl_unexpected {
  struct mpl_unexpected *next, **at;
  uint8_t kind; /* enum mpl_kind */
  int source, tag; /* source: rank in the communicator */
  uint32_t from, context; /* from: rank of the job */
  uint64_t bytes, sender, address; /* address: of an announced message, where its data lie in the sender */
  char data[]; /* of MPL_EAGER*, 'bytes' */
};

struct mpl_context {
  struct ompi_request_t *posted, **posted_end;
  struct mpl_unexpected *unexpected, **unexpected_end;
};

struct mpl_out; /* what waits for room in a ring */
struct mpl_peer {
  struct mpl_end in, out;
  struct mpl_out *first, **last;
};

struct mpl_world {
  struct mpl_job *job;
  struct mpl_rank_state *state;
  uint32_t rank, size, waiting; /* waiting: peers that something waits for room to */
  uint32_t callers;             /* threads that wait in a call */
  struct mpl_peer *peers;
  struct mpl_context **contexts;
  uint32_t ncontexts;
  struct mpl_context sends;          /* 'posted' alone: those that are not complete, for debuggers */
  struct ompi_communicator_t *comms; /* all, likewise */
  bool initialized, finalized, multiple, forked; /* forked: this is a child of the rank */
  int provided;
  pthread_t main;
  _Atomic uint32_t ticket, turn; /* the lock: the next that is given out; whose turn it is */
  _Atomic pthread_t owner;       /* 0: nobody */
  uint32_t depth;                /* how often the owner has it: functions of MPI use others */
};
extern struct mpl_world mpl;

/* The lock of MPI_THREAD_MULTIPLE: recursive and fair; a waiting thread gets it in turn, even if another thread requests it all the time. */
void mpl_lock_take(void);
void mpl_lock_leave(void);

/* Every function that touches more than its arguments begins with this. */
static inline bool mpl_lock(void) { return mpl.multiple ? mpl_lock_take(), true : false; }
static inline void mpl_unlock(bool *held) {
  if (*held)
    mpl_lock_leave();
}
#define MPL_ENTER __attribute__((cleanup(mpl_unlock), unused)) bool held_ = mpl_lock()

/* Messages.  A request is the caller's until it is complete; 'type' is held as long. */
struct ompi_request_t *mpl_request_new(enum mpl_request_kind kind, struct ompi_communicator_t *comm);
void mpl_request_free(struct ompi_request_t *q);
/* 'collective': on the hidden context.  'peer' is a rank of 'comm' (of its remote group where it has one), MPI_PROC_NULL, or MPI_ANY_SOURCE. */
void mpl_send_start(struct ompi_request_t *q, bool collective);
void mpl_recv_start(struct ompi_request_t *q, bool collective);
void mpl_recv_message(struct ompi_request_t *q, struct mpl_unexpected *u);
bool mpl_cancel_recv(struct ompi_request_t *q);
void mpl_cancel_send(struct ompi_request_t *q);
struct mpl_unexpected *mpl_find_unexpected(struct ompi_communicator_t *comm, int source, int tag);
void mpl_take_unexpected(struct mpl_unexpected *u);
struct mpl_context *mpl_context(uint32_t id);
void mpl_context_forget(uint32_t id);

/* Threads of the program: the checkpointer's is none. */
uint32_t mpl_count_threads(void);
/* Moves what can be moved; true if something did. */
bool mpl_progress(void);
/* Goes on until 'done(arg)'.  'q' (or NULL) is what the caller waits for: for the report of a deadlock. */
struct mpl_why { const char *call; const void *place; struct ompi_request_t *q; uint32_t nrequests; int peer, tag; uint32_t context; };
void mpl_wait_until(bool (*done)(void *), void *arg, const struct mpl_why *why);
void mpl_wait_for(struct ompi_request_t *q, const char *call, const void *place);

/* Job rank of a rank of the communicator that messages go to. */
static inline int mpl_job_rank(const struct ompi_communicator_t *comm, int rank) {
  return (comm->inter ? comm->remote : comm->group)->members[rank];
}

int mpl_last_code(void); /* the largest error code so far */
/* Schedules are driven from mpl_progress. */
bool mpl_schedules_progress(void);
extern uint32_t mpl_schedules_active;
/* Ranks of the job whose messages a collective operation waits for, or which do not take its own; the first 'max' of them go to 'peers'. */
uint32_t mpl_schedule_peers(const struct mpl_schedule *s, int32_t *peers, uint32_t max);

/* Ends the job with the line of a function that is not done. */
_Noreturn void mpl_refuse(const char *name, const void *place);
_Noreturn void mpl_die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct ompi_errhandler_t *mpl_errhandler_new(MPI_Comm_errhandler_function *function, enum mpl_language language);
void mpl_attrs_delete_all(struct ompi_communicator_t *c);
/* Calls the error handler of 'comm' (NULL: of MPI_COMM_WORLD) and returns 'code'. */
int mpl_error(struct ompi_communicator_t *comm, int code, const char *call);
#endif

/* Saving several processes together, as the commands for sets and for jobs share it. */
#ifndef DVM_MPIR_CLIENT_SET_PRIVATE_H
#define DVM_MPIR_CLIENT_SET_PRIVATE_H
#include "mpir/commands/client.h"
#include "mpir/image/image.h"
#include "mpir/image/image_set.h"

struct mpir_gathering;
/* What is different where the processes are ranks of a job. */
struct mpir_gather_job {
  void *arg;
  const int32_t *pids; /* by rank, as seen from here; 0: none */
  uint32_t nranks;
  struct crs_object segment; /* memory that the ranks share with their controller */
  bool singly;               /* each is restarted by itself */
  bool apart;                /* that memory is saved by itself, not in an image */
  int (*stands)(struct mpir_gathering *g);                     /* all stand, nothing is copied yet */
  int (*seal)(struct mpir_gathering *g, const char *folder);   /* all images are whole, the folder has not its name yet */
  int (*ends)(struct mpir_gathering *g);                       /* the snapshot is there, and they are about to be killed */
};

struct mpir_gathering {
  struct mpir_set *set;        /* numbers are the processes' own */
  int *pids, *connections;     /* by member: number as seen from here; -1 */
  struct crs_request request;
  char path[CRS_PATH_MAX];     /* where the first member would put its image */
  char folder[CRS_PATH_MAX + 32]; /* where the images are while they are written */
  uint64_t stop_ns, threads;
  char notices[CRS_TEXT_MAX];  /* what will not come back as it was */
  const struct mpir_gather_job *job; /* or NULL */
  struct dvm_error *err;
};

/* 0, or -ENOMEM with the text in 'err'. */
int mpir_gather_begin(struct mpir_gathering *g, const struct crs_request *request, struct dvm_error *err);
/* Stops a process and its descendants, and makes them members; a process that has ended is passed over where 'parent' is -1. */
int mpir_gather_add(struct mpir_gathering *g, pid_t pid, int parent);
/* All of a group ("NSpgid") or session ("NSsid"), again until no new one has come. */
int mpir_gather_add_all(struct mpir_gathering *g, int number, const char *label);
/* client_forward.c: those that a member has asked for. */
int mpir_gather_forwarded(struct mpir_gathering *g, pid_t member, const struct crs_forward *forwards, uint32_t count);
/* "process N", or "rank R (process N)"; valid until the next call. */
const char *mpir_gather_label(const struct mpir_gathering *g, pid_t pid);
void mpir_gather_order(struct mpir_gathering *g);
/* Saves the stopped processes into the folder g->path. */
int mpir_gather_save(struct mpir_gathering *g, struct crs_request *request, struct crs_reply *reply);
/* The parts of it, for who leads one node's share: copies them into the folder; waits until their images are whole, by when they have gone on; adds up
 * what is known of them. */
int mpir_gather_copy(struct mpir_gathering *g, const char *folder, bool ignore_files);
int mpir_gather_finish(struct mpir_gathering *g, struct crs_reply *sum);
void mpir_gather_sum(const struct mpir_gathering *g, struct crs_reply *reply);
/* What stands under the name goes when the set is there; 'temporary' becomes it. */
int mpir_gather_place(const char *temporary, const char *path, struct dvm_error *err);
/* Resumes the processes that are still stopped, and frees. */
void mpir_gather_end(struct mpir_gathering *g, struct crs_reply *reply);
/* Removes the snapshots before the last 'keep' of the line that 'path' stands in. */
void mpir_gather_retain(const char *path, unsigned keep);
#endif

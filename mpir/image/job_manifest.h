/* What a snapshot of a whole job says of itself: a set of images in whose folder the file 'job' lies.  docs/checkpoint-format.md has its
 * lines; what is not as written there is refused. */
#ifndef DVM_MPIR_JOB_MANIFEST_H
#define DVM_MPIR_JOB_MANIFEST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "mpir/image/image_set.h"

#define MPIR_JOB_FILE "job"
#define MPIR_JOB_SEGMENT "segment" /* in the folder of a node: the memory that its ranks share */
#define MPIR_JOB_NAME_MAX 64
#define MPIR_JOB_RANKS_MAX 1024

enum mpir_job_rank_state {
  MPIR_RANK_SAVED,
  MPIR_RANK_ENDED,    /* had ended well before */
  MPIR_RANK_LEFT_OUT, /* was not asked for: the snapshot is partial */
};

struct mpir_job_rank {
  enum mpir_job_rank_state state;
  int pid;                       /* its own number */
  char image[MPIR_SET_NAME_MAX]; /* file in the folder */
  uint64_t size_bytes;
  uint32_t sum;                  /* CRC32C of the file */
};

struct mpir_job_node {
  char host[256];
  uint64_t size_bytes;           /* of its MPIR_JOB_SEGMENT */
  uint32_t sum;
};

struct mpir_job_manifest {
  char name[MPIR_JOB_NAME_MAX];  /* of the job: a word, or "" */
  uint32_t nranks, eager_limit;  /* eager_limit: bytes */
  bool strict;
  int64_t taken_at_ns;           /* since 1970 */
  char *host, *kernel, *folder, *command; /* a line each, never NULL */
  struct mpir_job_rank *ranks;
  struct mpir_job_node *nodes;   /* of a job on several hosts: 'nnodes', whose folders are MPIR_JOB_NODE; else none */
  uint32_t nnodes;
  char **libraries;              /* files that the ranks have mapped */
  size_t library_count;
};

bool mpir_job_is(const char *path);
/* The node that has the image of a saved rank, -1 where the job was on one host. */
int mpir_job_node_of(const struct mpir_job_rank *rank);
/* A job's name: letters, digits, '_', '.', '-', not a number and not beginning with '-' or '.'. */
bool mpir_job_name_ok(const char *name);
/* NULL: no such file, or a bad one.  The caller frees. */
struct mpir_job_manifest *mpir_job_manifest_read(const char *folder, struct dvm_error *err);
struct mpir_job_manifest *mpir_job_manifest_parse(const char *text, size_t size, struct dvm_error *err);
void mpir_job_manifest_free(struct mpir_job_manifest *m);
/* Fills in sizes and sums of the images in 'folder', and writes the file, in place of one that is there. */
int mpir_job_manifest_write(struct mpir_job_manifest *m, const char *folder, struct dvm_error *err);
/* After images have been written anew in another form. */
int mpir_job_manifest_renew(const char *folder, struct dvm_error *err);
/* 0, or -E...: an image is missing or is not the one that was written; the text names the rank. */
int mpir_job_manifest_verify(const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err);
bool mpir_job_is_partial(const struct mpir_job_manifest *m);
#endif

/* The file that a rank of a profiled job writes (runtime/parallel/profile_write.c), decoded. */
#ifndef DVM_PROFILE_READ_H
#define DVM_PROFILE_READ_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times of the program and of what is done for it: iterations of the rank itself; what each rank does alike; the run-time library; input and
 * output. */
enum { PROF_PART, PROF_ALL, PROF_SYSTEM, PROF_IO, PROF_TIMES };
/* Why ranks exchange something, in the order of 'prof_why_word'. */
enum { PROF_OTHER, PROF_SHADOW, PROF_ACROSS, PROF_REDUCTION, PROF_REMOTE, PROF_REDISTRIBUTE, PROF_COPY, PROF_WHY_IO, PROF_END, PROF_WHYS };
enum { PROF_NDIMS_MAX = 16, PROF_RANKS_MAX = 1 << 20 };

struct prof_place {
  char *file; /* owned; "?": not known */
  unsigned line, column;
};
struct prof_exchange {
  uint64_t count, messages, bytes, wait_ns, transfer_ns;
  char *names; /* owned; NULL: none */
};
struct prof_late {
  int rank;
  uint64_t ns;
};
struct prof_entry {
  int interval;
  bool behind; /* the sequential part behind the directive */
  char *kind; /* owned; "-": the beginning of the program */
  struct prof_place at;
  unsigned until; /* behind: line of the directive that came then */
  uint64_t executions, iterations, line, stages; /* line: ranks of a pipeline */
  uint64_t time_ns[PROF_TIMES];
  struct prof_exchange why[PROF_WHYS];
  size_t nlate;
  struct prof_late *late; /* owned */
};
struct prof_interval {
  int parent; /* before it in the list; of the first: itself */
  uint64_t executions;
  bool has_number;
  int64_t number;
  struct prof_place at;
};
struct prof_array {
  char *name; /* owned */
  uint64_t element_bytes;
  int ndims;
  int64_t extent[PROF_NDIMS_MAX], own[PROF_NDIMS_MAX], span[PROF_NDIMS_MAX];
  struct prof_place at;
};
struct prof_rank {
  int rank, size;
  uint64_t stamp; /* the same in all files of a run */
  uint64_t wall_ns, cpu_ns, rss_kb, processors;
  char *host; /* owned */
  size_t nintervals, narrays, nentries;
  struct prof_interval *intervals;
  struct prof_array *arrays;
  struct prof_entry *entries;
};

/* "shadow", ..; as in the files and in JSON. */
const char *prof_why_word(int why);
/* 0, or -EPROTO with the line that is wrong, or -ENOMEM.  'r' is to be freed in any case. */
int prof_read(const char *text, size_t n, struct prof_rank *r, struct dvm_error *err);
/* As prof_read, of a file; -ENOENT: there is none. */
int prof_read_file(const char *path, struct prof_rank *r, struct dvm_error *err);
void prof_rank_fini(struct prof_rank *r);
#endif

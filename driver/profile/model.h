/* What all ranks' profiles say together: times of all ranks by interval and by directive. */
#ifndef DVM_PROFILE_MODEL_H
#define DVM_PROFILE_MODEL_H
#include "driver/profile/read.h"

/* Seconds of all ranks together, if nothing else is said. */
struct prof_sum {
  double time_s[PROF_TIMES];
  double wait_s[PROF_WHYS], transfer_s[PROF_WHYS];
  double messages[PROF_WHYS], bytes[PROF_WHYS];
  double count[PROF_WHYS];  /* operations of the rank with the most */
};
/* Of the ranks: the least and the greatest, and which they are. */
struct prof_spread {
  double least, greatest, mean;
  int least_rank, greatest_rank;
};

struct prof_interval_sum {
  int parent;               /* before it; -1: of the first, the whole program */
  const struct prof_interval *is;
  uint64_t executions;
  struct prof_sum sum;      /* with the intervals inside of it */
  double execution_s;       /* of the rank that took longest */
  double productive_s, lost_s, sequential_s, idle_s, imbalance_s;
  double efficiency;        /* of 1 */
};
struct prof_row {
  const struct prof_entry **of; /* owned; [nranks], NULL: the rank did not come there */
  const struct prof_entry *is;  /* of the first that did */
  int interval;             /* of the model */
  uint64_t executions;      /* of the rank with the most */
  struct prof_sum sum;
  double all_s;             /* in all that is in 'sum' */
  struct prof_spread compute, wait, late; /* late: how long others waited for a rank, as far as it is known */
};
struct prof_model {
  int nranks;
  struct prof_rank *ranks;  /* owned; [nranks] */
  size_t nintervals, nrows;
  struct prof_interval_sum *intervals; /* the first is the whole program */
  struct prof_row *rows;    /* those that took most time first */
};

/* The profiles of a folder.  -ENOENT: there are none; -EPROTO: some are missing, damaged or not of the same run. */
int prof_model_load(struct prof_model *m, const char *folder, struct dvm_error *err);
/* Of 'ranks' and 'nranks', which are there. */
int prof_model_build(struct prof_model *m, struct dvm_error *err);
void prof_model_fini(struct prof_model *m);

double prof_sum_wait(const struct prof_sum *s);
double prof_sum_transfer(const struct prof_sum *s);
double prof_sum_all(const struct prof_sum *s);
#endif

/* Where servers are to be started: a rank, its host, and the process that it is to take, if it runs already. */
#ifndef SDM_TARGET_H
#define SDM_TARGET_H
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sdm/tree.h"

struct sdm_target {
  sdm_id rank;
  long pid;   /* 0: none */
  char *host; /* owned; NULL: this one */
};

struct sdm_targets {
  struct sdm_target *at; /* owned */
  size_t n;
};

/* 'host' NULL, or a name or address of this host: here. */
void sdm_targets_add(struct sdm_targets *t, sdm_id rank, long pid, const char *host);
void sdm_targets_fini(struct sdm_targets *t);
/* "n1,n2:4,n3": ranks from 0 on, one a host or as many as it says. */
int sdm_targets_of_hosts(struct sdm_targets *t, const char *text, struct dvm_error *err);
/* Counts the ranks from 0 on where one occurs twice. */
void sdm_targets_renumber(struct sdm_targets *t);
/* Leaves those of 'ranks' ("0-3,7").  -ENOENT: one of them is not there. */
int sdm_targets_keep(struct sdm_targets *t, const char *ranks, struct dvm_error *err);
/* The address of this host from where the first remote one is reached.  false: all are here, or it is not known. */
bool sdm_targets_own_address(const struct sdm_targets *t, char *host, size_t size);
bool sdm_targets_remote(const struct sdm_targets *t); /* some are on other hosts */
#endif

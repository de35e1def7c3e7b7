/* Ranks among the processes of this host, as their environments tell (see rank.h). */
#ifndef SDM_BELOW_H
#define SDM_BELOW_H
#include <stdbool.h>
#include <stddef.h>

#include "sdm/set.h"

/* -1: it has none, or its environment is not ours to read. */
long sdm_rank_of(long pid);
/* Tells the descendants of 'pid' with a rank, those nearest to it: hydra has proxies between itself and its ranks, and what a rank
 * starts has its rank too. */
void sdm_below_ranks(long pid, void (*found)(void *arg, sdm_id rank, long pid), void *arg);
/* The command line of a process, word after word with a zero byte behind each.  Owned by the caller; NULL: there is none.  '*len': its bytes. */
char *sdm_below_words(long pid, size_t *len);
/* Tells the children of 'pid'; all processes. */
void sdm_below_children(long pid, void (*found)(void *arg, long pid), void *arg);
void sdm_below_all(void (*found)(void *arg, long pid), void *arg);
/* A proxy of hydra among the words of a command: the place of its program, or NULL; 'control' and 'id' are the values of its options, which
 * make it the only one of its kind.  They point into 'words'. */
const char *sdm_below_proxy(const char *words, size_t len, const char **control, const char **id);
#endif

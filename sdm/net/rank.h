/* The rank of this process, as its launcher tells it in the environment. */
#ifndef SDM_RANK_H
#define SDM_RANK_H
#include "base/error.h"
#include "sdm/set.h"

/* Looks at the variables of Open MPI, PMIx, PMI, Slurm, Flux and PALS.  Returns 0; -ENOENT if none is set; -EINVAL if
 * one is no number or two disagree. */
int sdm_rank_from_environment(sdm_id *rank, struct dvm_error *err);
/* The number of ranks, 0 if not told. */
uint32_t sdm_size_from_environment(void);
#endif

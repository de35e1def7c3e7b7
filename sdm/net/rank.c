#include "sdm/net/rank.h"

#include <errno.h>
#include <stdlib.h>

/* Open MPI sets the first and PMIx; hydra and Slurm PMI_RANK; Slurm, Flux and PALS the rest. */
static const char *const variables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",    "OMPI_MCA_orte_ess_vpid", "OMPI_MCA_ns_nds_vpid", "MP_CHILD", "SLURM_PROCID",
    "FLUX_TASK_RANK",       "PALS_RANKID", "ALPS_APP_PE",
};
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "FLUX_JOB_SIZE", "PALS_SIZE"};

int sdm_rank_from_environment(sdm_id *rank, struct dvm_error *err) {
  const char *found = NULL;
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
    const char *text = getenv(variables[i]);
    if (!text)
      continue;
    char *end;
    unsigned long v = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || v > SDM_ID_MAX)
      return dvm_error_set(err, -EINVAL, "%s=%s is not a rank", variables[i], text);
    if (found && v != *rank)
      return dvm_error_set(err, -EINVAL, "%s says rank %u, %s says rank %lu; give the rank with --rank", found, *rank, variables[i], v);
    found = variables[i];
    *rank = (sdm_id)v;
  }
  return found ? 0 : dvm_error_set(err, -ENOENT, "no launcher told this process its rank; give it with --rank");
}

uint32_t sdm_size_from_environment(void) {
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
    if (getenv(sizes[i]))
      return (uint32_t)strtoul(getenv(sizes[i]), NULL, 10);
  return 0;
}

/* The ranks of hydra's mpiexec, which has no MPIR process table that others can find. */
#ifndef SDM_HYDRA_H
#define SDM_HYDRA_H
#include "sdm/session/target.h"

/* Adds the ranks of 'launcher': those below it on this host, and those that a proxy of hydra has started on another one, which is asked by 'ssh'
 * (ssh.h; sdm-server --list-ranks answers there).  0 also where there are none; -EIO: a host does not answer. */
int sdm_hydra_read(long launcher, const char *ssh, struct sdm_targets *t, struct dvm_error *err);
#endif

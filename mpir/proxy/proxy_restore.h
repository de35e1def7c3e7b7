/* The ranks of a node from a snapshot: for each node that had some of them a process, which restores these and waits for them. */
#ifndef MPIR_PROXY_RESTORE_H
#define MPIR_PROXY_RESTORE_H
#include "mpir/commands/job_hosts.h"
#include "mpir/proxy/proxy.h"

int proxy_restore_start(struct proxy *p);
/* All are what they were, or one cannot be ('a' tells): then there is an answer. */
bool proxy_restore_ready(struct proxy *p, struct hosts_answer *a);
void proxy_restore_go(struct proxy *p);
/* A child of ours has ended. */
void proxy_restore_ended(struct proxy *p, pid_t pid);
/* The process that restores: 'words' are those that proxy_restore_start gives. */
int proxy_restore_main(char **words);
#endif

/* Whether the ranks of a job can go on: looked at from outside, in the memory that they share. */
#ifndef MPIR_DEADLOCK_H
#define MPIR_DEADLOCK_H
#include "mpir/mpi/segment.h"
#include <stdbool.h>
#include <sys/types.h>

struct mpir_deadlock *mpir_deadlock_create(struct mpl_job *job);
void mpir_deadlock_destroy(struct mpir_deadlock *d);
/* To be called every 0.1 s or so; 'pids' of the ranks, 0 where one has ended.  True when nothing has moved for several looks, every rank that
   runs waits in a call and has answered since, and no message is under way. */
bool mpir_deadlock_look(struct mpir_deadlock *d, const pid_t *pids);
/* Looks count from now on. */
void mpir_deadlock_reset(struct mpir_deadlock *d);
/* How to ask where an address of a rank lies, where that is not on this host. */
typedef void mpir_deadlock_where_f(void *arg, uint32_t rank, pid_t pid, uint64_t place, char *text, size_t size);
void mpir_deadlock_set_where(struct mpir_deadlock *d, mpir_deadlock_where_f *where, void *arg);
/* Says on standard error who waits for whom. */
void mpir_deadlock_report(const struct mpir_deadlock *d, const pid_t *pids);
#endif

/* The helper thread on demand.  As soon as there is a second thread libc takes its locks, makes its calls cancellation points and the kernel refuses
 * unshare(CLONE_NEWUSER); so a program with one thread has no helper until somebody asks for a checkpoint.  Then the handler of the stop signal
 * makes one that libc does not know: it has a copy of the thread-local data, takes no memory from malloc and no lock of libc's, and ends when there is
 * nothing to do. */
#ifndef DVM_MPIR_CRS_DEMAND_H
#define DVM_MPIR_CRS_DEMAND_H
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* Prepares.  Returns whether the helper can be made on demand; else a usual thread is needed from the beginning. */
bool mpir_crs_demand_init(void (*serve)(void));
/* In the handler of our signals.  Makes the helper if there is none.  Returns false if there is one, or it can not be made (errno is not touched). */
bool mpir_crs_demand_start(void);
/* By a helper on demand: whether it may end now.  'is_asked' tells whether somebody has come meanwhile. */
bool mpir_crs_demand_leave(bool (*is_asked)(void));
/* The calling thread is the helper on demand. */
bool mpir_crs_demand_is_self(void);
/* Waits until there is none, and none will be made again.  Returns whether it was so that one could be made: the caller makes a usual thread now. */
bool mpir_crs_demand_end(void);
/* A usual thread is to come: one on demand ends as soon as nothing is under way. */
bool mpir_crs_demand_is_ending(void);
/* In a forked child: there is none.  Returns whether one can be made. */
bool mpir_crs_demand_after_fork(void);
/* What the command says with the signal: the number of the call in which the thread waits, and the place behind it. */
long mpir_crs_demand_call(const siginfo_t *info, const ucontext_t *frame);
#endif

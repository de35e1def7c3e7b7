/* Descriptors that the library opens for a moment in the program's process: a child that is forked meanwhile would have one that nobody
 * knows.  So they are made and closed under a lock that fork(2) takes too. */
#ifndef DVM_MPIR_CRS_DESCRIPTORS_H
#define DVM_MPIR_CRS_DESCRIPTORS_H
#include <stddef.h>

/* May be taken again by the thread that has it; all its signals are blocked meanwhile, so that it cannot be stopped there.  Who waits for it can
 * be stopped.  Waits for two seconds at most: what has it may be held by a debugger, and a descriptor too many in a child is the lesser evil
 * then.  Async-signal-safe, changes no errno.
 * By the helper also while threads are stopped: if it has it before the first gets its signal, none stands that has it. */
void mpir_crs_descriptors_lock(void);
void mpir_crs_descriptors_unlock(void);
/* Nobody has it: in a forked child, by the thread that forked, and in a restarted process, while its threads stand. */
void mpir_crs_descriptors_forget(void);

/* mpir_plain_read_file under the lock. */
long mpir_crs_read_file(const char *path, char *buf, size_t size);
#endif

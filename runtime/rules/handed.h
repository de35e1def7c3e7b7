/* What code that we cannot see was handed, and may so have written.  A call looks at a bounded part of it; what lies behind that is
 * looked at whole when the memory is handed for the first time, now and then later, and when a report is due.  In doubt about what has
 * been handed unseen and is there no more, the datum counts as assigned.  All inside dvmrt_mem_enter. */
#ifndef DVMRT_HANDED_H
#define DVMRT_HANDED_H
#include <stdbool.h>
#include <stdint.h>

/* Code that we cannot see was given 'word', an address in an object of 'size' bytes from 'start' (0: not known): that object and
 * what pointers in it lead to counts as assigned. */
void dvmrt_handed_given(uintptr_t word, uintptr_t start, uint64_t size);
/* The same for a function that is known to write to the object itself and to nothing that it leads to. */
void dvmrt_handed_written(uintptr_t word, uint64_t size);
/* Have there been other threads, which may have written what a lock brings?  To be asked whenever that is of interest, and before forks. */
bool dvmrt_handed_others(void);
/* The block that begins there is about to be freed. */
void dvmrt_handed_freed(uintptr_t start);
/* A report is due that the datum at 'a' has no value: may unseen code have written it?  Then all of its object counts as
 * assigned. */
bool dvmrt_handed_wrote(uintptr_t a);
#endif

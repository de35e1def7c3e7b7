/* Contracts of regions: what reads and writes on the host and in regions may meet (held.h has the states).  Where no region has been
 * entered nothing is held, and nothing of this costs more than the look at a number. */
#ifndef DVMRT_REGION_H
#define DVMRT_REGION_H
#include "runtime/rules/check.h"
#include "runtime/rules/held.h"

enum dvmrt_stale {
  DVMRT_STALE_HOST,         /* the host reads what is newer on the device */
  DVMRT_STALE_HOST_LOST,    /* .. what 'get_actual' has put the device's older value over */
  DVMRT_STALE_DEVICE,       /* a region reads what the host has written since it was brought there */
  DVMRT_STALE_DEVICE_LOST,  /* .. what 'actual' has declared old, though the device's value was the newest */
  DVMRT_CLAUSE_WRITTEN,     /* a region writes what is under 'in' alone */
  DVMRT_CLAUSE_OUTSIDE,     /* .. touches what is outside of the sections that it names */
  DVMRT_CLAUSE_LOCAL_UNSET, /* .. reads what is 'local' before it has assigned it */
  DVMRT_CLAUSE_LOCAL_AFTER, /* what was 'local' is read later */
  DVMRT_CLAUSE_OUT_UNSET,   /* a region reads what is under 'out' before it has assigned it */
  DVMRT_CLAUSE_OUT_AFTER    /* what a region has not written, though 'out' says so, is read later */
};
enum { DVMRT_STALE_KINDS = DVMRT_CLAUSE_OUT_AFTER + 1 };

/* All inside dvmrt_mem_enter, but for the questions whether anything is held. */
/* Subscribers. */
void dvmrt_region_before(struct dvmrt_frame *f);
void dvmrt_region_over(struct dvmrt_frame *f);
/* Directives that stand alone: actual, get_actual; array_copy before it reads and after it has written. */
void dvmrt_region_actual(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_region_get_actual(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_region_copies(struct dvmrt_directive *d, const int64_t *args);

/* An access of the source; 'size' bytes. */
void dvmrt_region_touch(uintptr_t a, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags);
/* Would that say nothing and change nothing?  By one thread alone, without the lock. */
bool dvmrt_region_unchanged(uintptr_t a, uint64_t size, const struct dvmrt_site *site, uint32_t flags);
/* A function that we know reads them ('printed': to a stream, which takes the newest value wherever it is) or writes them. */
void dvmrt_region_reads(uintptr_t a, uint64_t size, struct dvmrt_site *site, bool printed);
void dvmrt_region_writes(uintptr_t a, uint64_t size, struct dvmrt_site *site);
/* Code that cannot be seen was given the address. */
void dvmrt_region_given(uintptr_t a);
/* What lies there has been looked at; it stays something that is to be looked at. */
void dvmrt_region_keep(uintptr_t a, uint64_t size);

/* Would accesses to all of [a, a + n) change nothing, and be right? */
bool dvmrt_region_quiet(uintptr_t a, uint64_t n, uint32_t flags);
/* The same of the elements [low, high] in each dimension; 'dense': all of them are accessed, so that what is written may be noted. */
bool dvmrt_region_right(const struct dvmrt_array *a, const int64_t *low, const int64_t *high, uint32_t flags, bool dense);
void dvmrt_region_wrote(const struct dvmrt_array *a, const int64_t *low, const int64_t *high, struct dvmrt_site *site);
/* Must each access of the nest to the array be looked at?  'use': r, w, ?. */
bool dvmrt_region_watches(const struct dvmrt_array *a, char use);
/* .. to ordinary data. */
bool dvmrt_region_watches_data(void);
#endif

/* Which parts of a whole carry a property that the whole has. */
#ifndef DVMT_FLAGS_SEARCH_H
#define DVMT_FLAGS_SEARCH_H
#include <stdbool.h>
#include <stddef.h>

/* Whether the parts with 'on' set have it: 1, 0, or -E... */
typedef int dvmt_search_f(void *arg, const bool *on);
/* 'on' (n parts) has the property.  Takes away what it does not need: without any one of those that are left it is lost (ddmin of
 * Zeller and Hildebrandt, 2002).  0, or -E... of 'has'. */
int dvmt_search_least(bool *on, size_t n, dvmt_search_f *has, void *arg);
#endif

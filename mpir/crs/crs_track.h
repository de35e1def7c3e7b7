/* Images that hold what has changed since the one before. */
#ifndef DVM_MPIR_CRS_TRACK_H
#define DVM_MPIR_CRS_TRACK_H
#include "mpir/crs/crs_dump.h"

#define CRS_WHOLE_EVERY 16 /* incremental images between whole ones, unless told otherwise */
#define CRS_WHOLES 64
#define CRS_FD_TOP 1000

/* With the threads stopped and the mappings known: finds what was written since the last image, and watches from now on.  Decides
 * whether the image can be incremental. */
void mpir_crs_track_begin(struct crs_dump *d, const char *path);
/* The image at 'path' is whole, or there is none: then the next is whole. */
void mpir_crs_track_end(const struct crs_dump *d, const char *path, bool whole);
/* In a restarted process or forked child: nothing is known. */
void mpir_crs_track_forget(bool close_it);
/* The oldest image that image 'number' of this process needs. */
unsigned mpir_crs_track_needed(unsigned number);
/* Our descriptor, or -1. */
int mpir_crs_track_fd(void);
#endif

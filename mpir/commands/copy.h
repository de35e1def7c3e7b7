/* Copies of images in a second place. */
#ifndef DVM_MPIR_COPY_H
#define DVM_MPIR_COPY_H
#include "base/error.h"

/* Whether 'folder' can take copies of what lies in the folder of 'path', or of the usual one where 'path' is "".  Returns 0 or -E.... */
int mpir_copy_check(const char *folder, const char *path, struct dvm_error *err);
/* Copies an image or set, and those that it needs and are not there yet, to 'folder', under their names: each appears when it is whole and on the
 * medium.  'keep' not 0: copies of earlier images of the process whose originals are gone are removed.  A failure leaves the originals and
 * earlier copies as they were. */
int mpir_copy_to(const char *path, const char *folder, unsigned keep, struct dvm_error *err);
#endif

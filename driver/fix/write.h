/* What becomes of the repaired texts. */
#ifndef DVM_FIX_WRITE_H
#define DVM_FIX_WRITE_H
#include "driver/fix/text.h"

/* Unified differences of all files that are repaired, to standard output.  'folder': for temporary files. */
int fix_write_diff(const struct fix_files *files, const char *folder, struct dvm_error *err);
/* Puts the repaired texts in place of the files, each at once: whoever reads one sees the old text or the new one.  Mode, owner and
 * links to it stay.  None is touched if one of them has been changed since it was read, or may not be written. */
int fix_write_files(const struct fix_files *files, struct dvm_error *err);
#endif

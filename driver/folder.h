/* Temporary folders and files: in TMPDIR, or /tmp. */
#ifndef CC_FOLDER_H
#define CC_FOLDER_H
#include "base/error.h"

enum { CC_TEMPORARY_MAX = 1024 }; /* bytes of a path, the zero included */

/* "TMPDIR/dvm-NAME-XXXXXX", for mkstemp.  0 or -ENAMETOOLONG. */
int cc_temporary_name(char path[CC_TEMPORARY_MAX], const char *name, struct dvm_error *err);
/* A folder of such a name, to be removed by cc_folder_remove.  0, or -E.. and 'path' is "". */
int cc_folder_create(char path[CC_TEMPORARY_MAX], const char *name, struct dvm_error *err);
/* With all that is in it; "" is none. */
void cc_folder_remove(const char *path);
#endif

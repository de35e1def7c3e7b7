/* The calls of the compiler that a compile_commands.json lists. */
#ifndef DVM_FIX_UNITS_H
#define DVM_FIX_UNITS_H
#include "base/error.h"
#include "driver/list.h"

struct fix_unit {
  char *folder, *file;     /* absolute */
  struct dvm_list options; /* without compiler, source, output and what makes lists of dependences */
};

struct fix_units {
  struct fix_unit *v;
  size_t n;
};

/* The sources in C and Fortran of the database 'path', a file or the folder that it lies in; each file once.  'only[nonly]': those alone, each of
 * which must be there.  0; -EINVAL: there is none, or it is no database; -ENOMEM; then there are none. */
int fix_units_read(struct fix_units *u, const char *path, char *const *only, size_t nonly, struct dvm_error *err);
void fix_units_fini(struct fix_units *u);
#endif

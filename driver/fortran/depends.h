/* What a Fortran source is made from, for make and ninja: '-MD', '-MMD', '-MF', '-MT', '-MQ', '-MP'. */
#ifndef DVM_DRIVER_FORTRAN_DEPENDS_H
#define DVM_DRIVER_FORTRAN_DEPENDS_H
#include "base/error.h"
#include "driver/list.h"

struct fc_depends {
  bool asked, phony;        /* -MD or one of its kin; -MP */
  bool only_object;         /* -c */
  const char *file;         /* -MF, or NULL */
  const char *output;       /* -o, or NULL */
  const char *modules;      /* where modules are written, or NULL: here */
  struct dvm_list targets;  /* -MT, -MQ */
  struct dvm_list folders;  /* -I */
};

/* The file that the rule for 'source' is written to, and its target.  Owned; NULL without memory. */
char *fc_depends_file(const struct fc_depends *d, const char *source);
char *fc_depends_target(const struct fc_depends *d, const char *source);
/* Writes the rule: included files, and files of modules that the source uses and that exist; modules that the source makes are targets
 * beside the object, as gfortran has it. */
int fc_depends_write(const struct fc_depends *d, const char *source, struct dvm_error *err);
void fc_depends_fini(struct fc_depends *d);
#endif

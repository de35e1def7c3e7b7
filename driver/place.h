/* Where the parts of the toolchain lie.  All but clang are found relative to the running program, so that a build tree and
 * an installed tree can be moved; DVM_CLANG and DVM_FLANG name other
 * compilers. */
#ifndef DVM_DRIVER_PLACE_H
#define DVM_DRIVER_PLACE_H
#include "base/error.h"

struct dvm_place {
  char *bin;             /* folder of the running program */
  const char *clang;     /* borrowed */
  const char *flang;     /* borrowed; "" where the build had none */
  char *plugin;          /* dvm-pass.so; this and the following name the installed place when the file is nowhere */
  char *fortran;         /* dvm-fortran.so */
  char *runtime;         /* libdvmrt.so */
  char *runtime_static;  /* libdvmrt.a */
  char *trace;           /* libdvmtrace.so, libdvmtrace.a: what recording programs are linked with */
  char *trace_static;
  char *parallel;        /* libdvmpar.so: what parallel programs are linked with */
  char *libexec;         /* folder of the programs dvm-COMMAND */
  char *diagnostics;     /* folder of the pages of the diagnostics */
};

int dvm_place_find(struct dvm_place *place, struct dvm_error *err);
void dvm_place_fini(struct dvm_place *place);
#endif

/* A call of dvmfc: our own options, and what flang is to get. */
#ifndef DVM_DRIVER_FORTRAN_CALL_H
#define DVM_DRIVER_FORTRAN_CALL_H
#include "driver/fortran/steps.h"

struct fc_call {
  struct fc_check check;
  bool sources, links, verbose;
  bool c;   /* among the sources: flang itself is no clang */
  bool fdv; /* likewise: flang is told the form of the source */
  const char *language; /* of '-x', or NULL: the names of the files tell */
  const char *told; /* the language of the '-x' that is in force at the end of 'args', the user's or ours, or NULL */
  struct fc_depends depends;
  struct dvm_list inputs; /* sources in Fortran */
  struct dvm_list args; /* flang's */
};

#define FC_CALL_INIT {.check = {.mode = FC_CHECK}, .args = DVM_LIST_INIT, .inputs = DVM_LIST_INIT}

/* args: the call without the program's name; borrowed, as the words that 'call' holds.  Writes the dependencies that it asks for.
 * Returns 0, -EINVAL for a wrong use of our own options, or another -E...; what it holds then is for fc_call_fini. */
int fc_call_read(struct fc_call *call, const struct dvm_list *args, struct dvm_error *err);
/* Files that are added from here on are told by their names. */
void fc_call_by_name(struct fc_call *call);
void fc_call_fini(struct fc_call *call);
#endif

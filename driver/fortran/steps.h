/* The steps of a compiler call, as 'flang -###' prints them. */
#ifndef DVM_DRIVER_FORTRAN_STEPS_H
#define DVM_DRIVER_FORTRAN_STEPS_H
#include "base/error.h"
#include "driver/fortran/depends.h"
#include "driver/list.h"
#include "driver/place.h"

enum fc_mode { FC_CHECK, FC_TRACE, FC_PARALLEL, FC_OFF };

struct fc_check {
  enum fc_mode mode;
  bool counts;      /* of parallel execution: iterations are told to comparisons */
  bool werror;      /* what is not judged is an error */
  bool absolute;    /* of 'dvm fix': files have absolute names in reports, and what the compiler warns of is reported by the program */
  const struct fc_depends *depends; /* what C files include is written too; or NULL */
  const char *fix;  /* folder of 'dvm fix', or NULL: FIX/sources has texts in place of the files', FIX/overlay.yaml tells clang so */
};

struct fc_steps {
  struct dvm_list *v; /* owned: a command each */
  size_t n;
};

/* Asks flang for the steps of the call args[n] (with what flang is to get).  Temporary files of theirs lie in 'folder'.  Returns 0, or
 * -E...; -ECANCELED: flang itself has refused the call, and has said why; 'status' is how it ended then. */
int fc_steps_ask(struct fc_steps *steps, const char *flang, char *const *args, size_t n, const char *folder, int *status,
                 struct dvm_error *err);
void fc_steps_fini(struct fc_steps *steps);

/* A file '.fdv' is in fixed form where no option says otherwise. */
int fc_step_form(struct dvm_list *step, struct dvm_error *err);

/* Makes the step one that checks: flang's own compiler gets the plug-in for Fortran, clang's the one for C; others stay. */
int fc_step_check(struct dvm_list *step, const struct dvm_place *place, const struct fc_check *how, struct dvm_error *err);
#endif

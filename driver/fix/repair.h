/* The search for the edits in the reports that make the program silent without changing what it does. */
#ifndef DVM_FIX_REPAIR_H
#define DVM_FIX_REPAIR_H
#include "driver/fix/trial.h"

/* Why a diagnostic is left. */
struct fix_refused {
  char *id, *file, *variable;
  size_t origin;
  char *why;
};

struct fix_repair {
  const struct fix_program *program;
  struct fix_files files;      /* 'good' is the result */
  struct fix_findings first;   /* of the program as it was */
  struct fix_findings left;    /* of the result */
  struct fix_refused *refused;
  size_t nrefused;
};

/* 'files' holds the sources, 'first' the findings; the search ends when nothing is left that can be repaired.  0, or -E... */
int fix_repair(struct fix_repair *r, struct dvm_error *err);
/* Why it is left: NULL, it was not tried. */
const char *fix_repair_why(const struct fix_repair *r, const struct fix_found *d);
void fix_repair_fini(struct fix_repair *r);
#endif

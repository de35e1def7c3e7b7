/* Compiling and running the program with texts in place of its files'. */
#ifndef DVM_FIX_TRIAL_H
#define DVM_FIX_TRIAL_H
#include "driver/fix/text.h"
#include "driver/folder.h"
#include "driver/fix/units.h"
#include "driver/place.h"

enum fix_kind { FIX_CHECKED, FIX_PLAIN, FIX_RANKS };

struct fix_program {
  const char *bin;             /* folder of dvmcc */
  char *const *compile;        /* what stands before '--' */
  size_t ncompile;
  char *const *run;            /* the program's arguments; of a project: the command that builds and runs it */
  size_t nrun;
  struct fix_units units;      /* of a compilation database; 'compile' is what links them */
  bool is_project;             /* the command does it all */
  bool fortran;                /* dvmfc compiles it */
  char *root, *below;          /* of a project: the folder that is copied, and where in it the command starts ("" or "/..") */
  char folder[CC_TEMPORARY_MAX];
  bool varies;                 /* the plain program prints something else each time */
  int status;                  /* of the plain program, as from waitpid */
};

enum fix_verdict { FIX_SILENT, FIX_REPORTS, FIX_COMPILE_ERROR, FIX_OTHER_OUTPUT, FIX_OTHER_EMULATED, FIX_OTHER_RANKS };

struct fix_outcome {
  enum fix_verdict verdict;
  int status;                  /* FIX_COMPILE_ERROR: the compiler's, as from waitpid */
  struct fix_findings found;   /* FIX_REPORTS */
  size_t nreports;             /* programs that ran with checks */
};

/* Makes the folder, compiles the program without directives, and runs it twice.  'root': of a project, or NULL.  'status': the
 * compiler's, or that of the project's command.  0, or -E... */
int fix_program_begin(struct fix_program *p, const char *root, int *status, struct dvm_error *err);
void fix_program_end(struct fix_program *p);
/* One trial of what 'files' holds as 'tried'; 'loud': the compiler's messages are shown. */
int fix_trial(const struct fix_program *p, const struct fix_files *files, bool loud, struct fix_outcome *o, struct dvm_error *err);
void fix_outcome_fini(struct fix_outcome *o);
#endif

/* Projects that a command of the user's builds and runs ('make check'): in a copy of their folder, by a compiler of ours. */
#ifndef DVM_FIX_PROJECT_H
#define DVM_FIX_PROJECT_H
#include "driver/fix/trial.h"

/* Finds the folder that is copied: 'root', or what fix_tree_root says. */
int fix_project_begin(struct fix_program *p, const char *root, struct dvm_error *err);
/* Copies it, with the texts that are tried in place of the files ('files', or NULL: none), and runs the command there; what it prints goes
 * to FOLDER/NAME and FOLDER/log.  'status' as from waitpid. */
int fix_project_run(const struct fix_program *p, const struct fix_files *files, enum fix_kind kind, const char *name, const char *options,
                    int *status, struct dvm_error *err);
/* Of the last run: did it call the compiler, did all programs of ranks compile and end with 0? */
bool fix_project_compiled(const struct fix_program *p);
bool fix_project_ranks_ran(const struct fix_program *p);
#endif

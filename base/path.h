/* Paths that a user gives: of outputs, of programs. */
#ifndef DVM_BASE_PATH_H
#define DVM_BASE_PATH_H
#include <stdbool.h>
#include "base/error.h"

/* Whether execvp would find a program under 'name': a path, or a word that is looked for in PATH. */
bool dvm_path_executable(const char *name);

/* Before a file that is written under another name is renamed to 'path': the rename would put it in the place of a device, a pipe
 * or a socket there, or of a link to one.  0 if there is a regular file (or a link to one, which is replaced), nothing, or what
 * cannot be looked at; -EISDIR for a folder, or a link to one; -EPERM for everything else. */
int dvm_path_replaceable(const char *path, struct dvm_error *err);
#endif

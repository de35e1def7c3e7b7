/* A copy of a project's folder in which it can be built without touching the user's. */
#ifndef DVM_FIX_TREE_H
#define DVM_FIX_TREE_H
#include "base/error.h"

/* The root of the git working tree that 'folder' lies in, or 'folder' itself; absolute.  Owned; NULL without memory. */
char *fix_tree_root(const char *folder);
/* Copies all of 'from' to 'to', which is removed before.  Links stay links; what is neither file, folder nor link is left out, as is
 * 'to' itself where it lies inside.  Times stay, but C sources and headers are new: what is made of them is made again.  0, or -E... */
int fix_tree_copy(const char *from, const char *to, struct dvm_error *err);
#endif

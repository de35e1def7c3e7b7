/* The images in a folder. */
#ifndef DVM_MPIR_LIST_H
#define DVM_MPIR_LIST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/error.h"

/* The folder that checkpoints go to when nothing else is said.  Returns 0 or -ENAMETOOLONG. */
int mpir_list_folder(char *path, size_t size);
/* Writes one line an image, oldest first, to standard output; 'handles': in the form that a debugger reads.  What is no
 * whole image is not listed.  Leftovers of writers that are gone are removed.  Returns 0 or -E.... */
int mpir_list(const char *folder, bool handles, struct dvm_error *err);
/* Writes 'path' so that a shell reads it as one word. */
void mpir_list_quote(FILE *to, const char *path);
#endif

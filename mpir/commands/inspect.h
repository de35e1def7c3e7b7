/* What is in an image, for a person. */
#ifndef DVM_MPIR_INSPECT_H
#define DVM_MPIR_INSPECT_H
#include <stdbool.h>
#include "mpir/image/image.h"

struct mpir_inspect_options {
  bool backtraces; /* through gdb */
  bool verify;     /* all data, too */
};

/* Writes to standard output.  Returns 0, or -E... when the image is damaged or gdb cannot be run. */
int mpir_inspect(const struct mpir_image *image, const char *path, const struct mpir_inspect_options *options, struct dvm_error *err);
#endif

/* The arguments of a compiler call with its response files (@FILE) read in, as clang reads them: words parted by white
 * space, ' and " quote, a backslash takes the next byte as it is, a file that cannot be read is an argument like any other. */
#ifndef DVM_DRIVER_RESPONSE_H
#define DVM_DRIVER_RESPONSE_H
#include "base/error.h"
#include "driver/list.h"

struct cc_line {
  struct dvm_list args;  /* without the program's name, response files replaced by their words */
  size_t *origin;        /* origin[args.n]: index of the argument of the call that each word came from */
  size_t ncall;          /* number of arguments of the call */
};

/* Returns 0, -ENOMEM, or -ELOOP when response files include each other more than 20 levels deep. */
int cc_line_read(struct cc_line *line, int argc, char *const *argv, struct dvm_error *err);
void cc_line_fini(struct cc_line *line);
/* Splits 'text' into words and appends them to 'out'. */
void cc_line_split(const char *text, struct dvm_list *out);
#endif

/* 'dvmfc -E': flang's own drops comments, and so directives. */
#ifndef DVM_DRIVER_FORTRAN_PREPROCESS_H
#define DVM_DRIVER_FORTRAN_PREPROCESS_H
#include "base/error.h"
#include "driver/list.h"
#include "driver/place.h"

/* Does the call only preprocess ('-E')? */
bool fc_preprocesses(const struct dvm_list *args);
/* Writes each source of the call preprocessed, to '-o' or standard output, with line markers.  Returns 0 with 'status', or -E... */
int fc_preprocess(const struct dvm_list *args, const struct dvm_place *place, int *status, struct dvm_error *err);
#endif

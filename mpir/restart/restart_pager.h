/* The process that gives a lazily restarted one its memory, piece by piece, each verified before it is seen. */
#ifndef DVM_MPIR_RESTART_PAGER_H
#define DVM_MPIR_RESTART_PAGER_H
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "mpir/image/image.h"
#include "mpir/restart/restorer.h"

#define PAGER_FILL 'F' /* from the process: all is to be given now; answered as is due */
#define PAGER_DAMAGED "E" /* to the process: some of it cannot be given, since it is damaged */
#define PAGER_DONE "D" /* sent to the process when all memory has been provided; it closes its descriptor and answers with one byte */

struct pager_list { /* to the pager, with the descriptor of userfaultfd(2); then 'count' pairs of addresses */
  uint64_t count;
};

/* Starts it.  Returns the socket by which the process is to be told, or -E... with the reason: the kernel or missing privilege. */
int mpir_pager_start(const struct mpir_image *image, struct dvm_error *err);
/* A descriptor of userfaultfd(2) for the calling process's memory, or -E.... */
int mpir_pager_open(void);
/* By the process: hands 'fd' over and says which memory is to come. */
int mpir_pager_tell(int socket, int fd, const struct restorer_region *regions, size_t count);
#endif

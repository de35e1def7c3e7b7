/* Sockets of one or several images, made before the processes that have them. */
#ifndef DVM_MPIR_RESTART_SOCKETS_H
#define DVM_MPIR_RESTART_SOCKETS_H
#include "mpir/restart/restart_private.h"

struct restart_sockets;

/* Makes all sockets of 'count' images (entries may be NULL), connected with each other, with what waits in them.  They stand at
 * fds->base or above.  NULL on failure. */
struct restart_sockets *mpir_sockets_make(const struct mpir_image *const *images, size_t count, struct restart_fds *fds,
                                          struct dvm_error *err);
/* The socket of an entry, or -1. */
int mpir_sockets_find(const struct restart_sockets *s, const struct mpir_image_file *f);
/* Closes all. */
void mpir_sockets_close(const struct restart_sockets *s);
#endif

#ifndef DVM_MPIR_RESTART_PRIVATE_H
#define DVM_MPIR_RESTART_PRIVATE_H
#include "mpir/image/image.h"
#include "mpir/restart/restart.h"
#include "mpir/restart/restorer.h"

/* Descriptors of the restart itself stand from here on, above all of the image's; they are closed at the end. */
struct restart_fds {
  int base;
  int image, status, standard[3]; /* standard: the restarting command's own streams, -1 if closed */
  int *file_fds;                  /* by index of the image's file table, while they are made */
};

/* restart_check.c: whether this host can take the image.  Changes nothing. */
int mpir_restart_check(const struct mpir_image *image, const struct mpir_restart_options *options, struct dvm_error *err);
/* The mapped file is as it was. */
bool mpir_restart_file_same(const struct mpir_image *image, const struct mpir_image_map *map);
/* A free-standing parse of one line of /proc/PID/maps; name may be NULL.  Returns false at the end. */
struct restart_area { uint64_t start, end; char name[64]; };
/* The present process's mappings; the caller frees.  NULL on failure. */
struct restart_area *mpir_restart_areas(size_t *count, struct dvm_error *err);

/* restart_files.c: makes the image's descriptors in the calling process.  After it all descriptors below fds->base are the
 * image's. */
int mpir_restart_files(const struct mpir_image *image, const struct mpir_restart_options *options,
                       struct restart_fds *fds, struct dvm_error *err);
/* Moves a descriptor to fds->base or above and closes the old one.  Returns it, or -E.... */
int mpir_restart_raise(const struct restart_fds *fds, int fd);

/* restart_plan.c: builds the plan and leaves for the restorer; returns only on failure. */
int mpir_restart_enter(const struct mpir_image *image, const char *path, const struct mpir_restart_options *options,
                       struct restart_fds *fds, int outer_pid, bool drop_capabilities, struct dvm_error *err);
#endif

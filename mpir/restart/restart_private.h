#ifndef DVM_MPIR_RESTART_PRIVATE_H
#define DVM_MPIR_RESTART_PRIVATE_H
#include "mpir/image/image.h"
#include "mpir/restart/restart.h"
#include "mpir/restart/restorer.h"

/* Descriptors of the restart itself stand from here on, above all of the image's; they are closed at the end. */
struct restart_fds {
  int base;
  const struct restart_group *group; /* the set that the process is a member of, or NULL */
  int image, status, standard[3]; /* standard: the restarting command's own streams, -1 if closed */
  struct restart_sockets *sockets; /* made before, or NULL */
  int pager;                      /* socket of the process that gives memory when it is touched, or -1: all is read */
  int go;                         /* where a member of a set waits for the others, or -1 */
  int *file_fds;                  /* by index of the image's file table, while they are made */
};

/* restart_check.c: whether this host can take the image.  Changes nothing. */
int mpir_restart_check(const struct mpir_image *image, const struct mpir_restart_options *options, struct dvm_error *err);
/* The mapped file is as it was. */
bool mpir_restart_file_same(const struct mpir_image *image, const struct mpir_image_map *map);
/* A free-standing parse of one line of /proc/PID/maps; name may be NULL.  Returns false at the end. */
struct restart_area {
  uint64_t start, end;
  char name[64];
};
/* The present process's mappings; the caller frees.  NULL on failure. */
struct restart_area *mpir_restart_areas(size_t *count, struct dvm_error *err);

/* restart_files.c: makes the image's descriptors in the calling process.  After it all descriptors below fds->base are the
 * image's. */
int mpir_restart_files(const struct mpir_image *image, const struct mpir_restart_options *options, struct restart_fds *fds,
                       struct dvm_error *err);
/* Makes entry 'index', which is no twin of another, at fds->base or above.  Returns it, or -E.... */
int mpir_restart_make(const struct mpir_image *image, size_t index, const struct mpir_restart_options *options, struct restart_fds *fds,
                      struct dvm_error *err);
/* Writes the saved content of entry 'index' to 'fd': in order, or at its offsets. */
int mpir_restart_content(const struct mpir_image *image, size_t index, int fd, bool at_offset);
/* Both ends of a new pipe for an entry, or of its FIFO, which is made where it is gone.  'packets': they are kept apart. */
int mpir_restart_pipe(const struct mpir_image *image, const struct mpir_image_file *f, bool packets, int side[2]);
/* Memory that the leader has made already. */
bool mpir_restart_is_given(const struct mpir_image *image, const struct mpir_image_map *map, const struct mpir_restart_options *options);
/* Moves a descriptor to fds->base or above and closes the old one.  Returns it, or -E.... */
int mpir_restart_raise(const struct restart_fds *fds, int fd);

/* restart_queue.c: the queue of POSIX messages of entry 'index': that of its name, or a new one; one without a name has the messages that it had.
 * Returns a descriptor, or -E.... */
int mpir_restart_queue(const struct mpir_image *image, size_t index, const struct restart_fds *fds, struct dvm_error *err);

/* restart_contents.c: regular files whose content may be in the image.  The name of entry 'index' is there again if it was gone, and its content and
 * length are put back where that is wanted; what is not as it was is said. */
int mpir_restart_regular(const struct mpir_image *image, size_t index, const struct mpir_restart_options *options, struct dvm_error *err);
/* The same of the files that are mapped shared, and have no descriptor. */
int mpir_restart_mapped(const struct mpir_image *image, const struct mpir_restart_options *options, struct dvm_error *err);

/* restart_sysv.c: in the new process: changes again what its end, or that of its first life, has undone. */
int mpir_restart_semaphores(const struct mpir_image *image, struct dvm_error *err);
/* The mapping is of a System V segment; one that is to be removed as soon as it is attached. */
bool mpir_restart_is_segment(const struct mpir_image *image, const struct mpir_image_map *map);
bool mpir_restart_segment_goes(const struct mpir_image_map *map);
/* Before any process of the image attaches it: the segment is there under its number, and nobody has it. */
int mpir_restart_segment(const struct mpir_image *image, const struct mpir_image_map *map, struct dvm_error *err);

/* restart_confine.c: whether this command can give back what confines the process; to be called before any namespace is entered. */
int mpir_restart_confine_check(const struct mpir_image *image, struct dvm_error *err);
/* What of the credentials is to be set because this command's own are others. */
void mpir_restart_confine(const struct mpir_image *image, bool *set_groups, bool *set_ids);

/* restart_plan.c: this piece of memory may be given when it is touched. */
bool mpir_restart_is_lazy(const struct mpir_image *image, const struct mpir_image_extent *e);
/* Builds the plan and leaves for the restorer; returns only on failure. */
int mpir_restart_enter(const struct mpir_image *image, const char *path, const struct mpir_restart_options *options,
                       struct restart_fds *fds, int outer_pid, bool user_namespace, struct dvm_error *err);

/* restart.c: puts the calling process's children into a pid namespace of their own, with a user namespace where that is needed. */
int mpir_restart_unshare(bool *user_namespace, struct dvm_error *err);
int mpir_restart_mount_proc(struct dvm_error *err);
/* A child with the number 'pid' in the calling process's namespace; -1 with errno. */
pid_t mpir_restart_clone(pid_t pid);
/* What a process said of itself through the status pipe instead of 'K': -E... with the text in 'err'. */
int mpir_restart_failure(const char *text, size_t size, struct dvm_error *err);
/* The image, expanded where it was compressed; NULL on failure. */
struct mpir_image *mpir_restart_open(const char *path, const struct mpir_restart_options *options, struct dvm_error *err);
/* Goes to the process's working folder.  Returns 0, or -1 with errno. */
int mpir_restart_folder(const char *path);
/* In the new process: settings that are files in /proc. */
void mpir_restart_settings(const struct mpir_image *image);
bool mpir_restart_ids_free(const struct mpir_image *image);

/* restart_set.c: a set of processes, all or none. */
int mpir_restart_set(const char *path, const struct mpir_restart_options *options, struct mpir_restarted *out, struct dvm_error *err);

/* restart_group.c: what the members of a set have in common, made before the first of them. */
struct restart_group;
struct mpir_set;
/* 'images' by member, NULL for those that have ended; all borrowed.  The descriptors stand at fds->base or above. */
struct restart_group *mpir_group_make(const struct mpir_set *set, struct mpir_image *const *images,
                                      const struct mpir_restart_options *options, struct restart_fds *fds, struct dvm_error *err);
void mpir_group_become(struct restart_group *g, int member);
/* A descriptor with the open file description of entry 'f' of the present member, or -1. */
int mpir_group_shared(const struct restart_group *g, const struct mpir_image_file *f);
/* A descriptor through which /proc/self/fd opens the pipe or file without a name, or -1. */
int mpir_group_object(const struct restart_group *g, const struct mpir_image_file *f);
/* The memory behind a shared mapping, or -1. */
int mpir_group_memory(const struct restart_group *g, uint64_t device, uint64_t inode);
/* Closes what the process has of it, which then has what it needs. */
void mpir_group_close(const struct restart_group *g);
#endif

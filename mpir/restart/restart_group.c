/* What several processes of a set have: made once, before the first of them, and inherited by all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "mpir/image/image_set.h"
#include "mpir/restart/restart_private.h"
#include "mpir/restart/restart_sockets.h"

/* A pipe (with both ends), a file without a name, or memory. */
struct group_object {
  uint64_t device, inode; /* memory: the numbers that /proc/PID/maps tells, in its form */
  uint32_t kind;          /* of a descriptor, or 0: memory */
  int fds[2];             /* to read, to write; one and the same but for pipes */
};

struct restart_group {
  const struct mpir_set *set;
  struct mpir_image *const *images;
  struct group_object *objects;
  size_t object_count;
  struct restart_sockets *sockets;
  int *share_fds;
  int member;
};

static struct group_object *find_object(const struct restart_group *g, uint32_t kind, uint64_t device, uint64_t inode) {
  for (size_t i = 0; i < g->object_count; i++)
    if (g->objects[i].kind == kind && g->objects[i].device == device && g->objects[i].inode == inode)
      return &g->objects[i];
  return NULL;
}

static const struct mpir_image_file *find_file(const struct mpir_image *image, int fd) {
  for (size_t i = 0; i < image->file_count; i++)
    if (image->files[i].fd == fd)
      return &image->files[i];
  return NULL;
}

void mpir_group_become(struct restart_group *g, int member) { g->member = member; }

int mpir_group_shared(const struct restart_group *g, const struct mpir_image_file *f) {
  for (size_t i = 0; i < g->set->share_count; i++)
    for (size_t k = 0; k < g->set->shares[i].count; k++) {
      const struct mpir_set_end *end = &g->set->ends[g->set->shares[i].first + k];

      if (end->member == g->member && end->fd == f->fd)
        return g->share_fds[i];
    }
  return -1;
}

int mpir_group_object(const struct restart_group *g, const struct mpir_image_file *f) {
  const struct group_object *o = find_object(g, f->kind, f->device, f->inode);

  return o ? o->fds[(f->open_flags & O_ACCMODE) == O_WRONLY] : -1;
}

int mpir_group_memory(const struct restart_group *g, uint64_t device, uint64_t inode) {
  const struct group_object *o = find_object(g, 0, device, inode);

  return o ? o->fds[0] : -1;
}

void mpir_group_close(const struct restart_group *g) {
  mpir_sockets_close(g->sockets);
  for (size_t i = 0; i < g->object_count; i++) {
    close(g->objects[i].fds[0]);
    if (g->objects[i].fds[1] != g->objects[i].fds[0])
      close(g->objects[i].fds[1]);
  }
  for (size_t i = 0; i < g->set->share_count; i++)
    if (g->share_fds[i] >= 0)
      close(g->share_fds[i]);
}

bool mpir_restart_is_given(const struct mpir_image *image, const struct mpir_image_map *map, const struct mpir_restart_options *options) {
  return options->given_name && strcmp(mpir_image_string(image, map->name), options->given_name) == 0;
}

static struct group_object *add_object(struct restart_group *g, uint32_t kind, uint64_t device, uint64_t inode) {
  struct group_object *more = realloc(g->objects, (g->object_count + 1) * sizeof(*more));

  if (!more)
    return NULL;
  g->objects = more;
  more[g->object_count] = (struct group_object){device, inode, kind, {-1, -1}};
  return &more[g->object_count];
}

static int fill_pipe(const struct restart_group *g, const struct group_object *o) {
  int rc = 0;

  for (size_t m = 0; m < g->set->member_count && !rc; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->file_count && !rc; i++) {
      const struct mpir_image_file *f = &g->images[m]->files[i];

      if (f->kind == o->kind && f->inode == o->inode && f->device == o->device)
        rc = mpir_restart_content(g->images[m], i, o->fds[1], o->kind == MPIR_FILE_MEMFD);
    }
  return rc;
}

/* Packets are kept apart: each piece of the content is one. */
static bool keeps_packets(const struct restart_group *g, const struct mpir_image_file *pipe) {
  for (size_t m = 0; m < g->set->member_count; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->file_count; i++) {
      const struct mpir_image_file *f = &g->images[m]->files[i];

      if (f->kind == MPIR_FILE_PIPE && f->inode == pipe->inode && (f->open_flags & O_ACCMODE) && (f->open_flags & O_DIRECT))
        return true;
    }
  return false;
}

static int make_pipe(struct restart_group *g, const struct mpir_image *image, const struct mpir_image_file *f, struct restart_fds *fds,
                     struct dvm_error *err) {
  struct group_object *o = add_object(g, f->kind, f->device, f->inode);
  int side[2], rc;

  if (!o || mpir_restart_pipe(image, f, keeps_packets(g, f), side)) /* nobody reads: what does not fit is an error */
    return dvm_error_errno(err, "cannot create a pipe between the processes");
  for (int i = 0; i < 2; i++)
    o->fds[i] = mpir_restart_raise(fds, side[i]);
  if (o->fds[0] < 0 || o->fds[1] < 0)
    return dvm_error_set(err, -EMFILE, "no descriptor is free for a pipe between the processes");
  g->object_count++;
  if (f->capacity)
    fcntl(o->fds[1], F_SETPIPE_SZ, (int)f->capacity);
  rc = fill_pipe(g, o);
  return rc ? dvm_error_set(err, rc, "cannot fill a pipe between the processes") : 0;
}

/* A memory file or deleted file: the one that has its content in the image makes it. */
static int make_nameless(struct restart_group *g, size_t member, size_t index, const struct mpir_restart_options *options,
                         struct restart_fds *fds, struct dvm_error *err) {
  const struct mpir_image_file *f = &g->images[member]->files[index];
  int fd = mpir_restart_make(g->images[member], index, options, fds, err), rc;
  struct group_object *o = fd < 0 ? NULL : add_object(g, f->kind, f->device, f->inode);

  if (!o)
    return fd < 0 ? fd : dvm_error_set(err, -ENOMEM, "out of memory");
  o->fds[0] = o->fds[1] = fd;
  g->object_count++;
  rc = fill_pipe(g, o);
  return rc ? dvm_error_set(err, rc, "cannot fill an unnamed file") : 0;
}

/* Another member has it too. */
static bool is_common(const struct restart_group *g, size_t member, const struct mpir_image_file *f) {
  for (size_t m = member + 1; m < g->set->member_count; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->file_count; i++)
      if (g->images[m]->files[i].kind == f->kind && g->images[m]->files[i].inode == f->inode && g->images[m]->files[i].device == f->device)
        return true;
  return false;
}

static int make_objects(struct restart_group *g, const struct mpir_restart_options *options, struct restart_fds *fds,
                        struct dvm_error *err) {
  int rc = 0;

  for (size_t m = 0; m < g->set->member_count; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->file_count && !rc; i++) {
      const struct mpir_image_file *f = &g->images[m]->files[i];

      if ((f->kind != MPIR_FILE_PIPE && f->kind != MPIR_FILE_MEMFD) || find_object(g, f->kind, f->device, f->inode) || !is_common(g, m, f))
        continue;
      rc = f->kind == MPIR_FILE_PIPE ? make_pipe(g, g->images[m], f, fds, err) : make_nameless(g, m, i, options, fds, err);
    }
  return rc;
}

/* Memory that is shared without a descriptor, or by a memory file that is an object already. */
static int make_memory_of(struct restart_group *g, const struct mpir_image_map *map, int given, struct restart_fds *fds,
                          struct dvm_error *err) {
  uint64_t size = 0;
  struct group_object *o;
  size_t members = 0, last = g->set->member_count;
  int fd;

  for (size_t m = 0; m < g->set->member_count; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->map_count; i++) {
      const struct mpir_image_map *other = &g->images[m]->maps[i];
      const uint64_t end = other->map_offset + (other->end - other->start);

      if (other->kind != MPIR_MAP_SHARED || other->inode != map->inode || other->device != map->device)
        continue;
      size = end > size ? end : size;
      members += last != m;
      last = m;
    }
  for (size_t i = 0; i < g->object_count; i++)
    if (g->objects[i].kind == MPIR_FILE_MEMFD && g->objects[i].inode == map->inode) /* each image has its own way to it */
      return 0;
  if (members < 2 && given < 0)
    return 0;
  o = add_object(g, 0, map->device, map->inode);
  fd = given < 0 ? memfd_create("shared-memory", MFD_CLOEXEC) : fcntl(given, F_DUPFD_CLOEXEC, 0);
  if (!o || fd < 0 || ftruncate(fd, (off_t)size) || (fd = mpir_restart_raise(fds, fd)) < 0)
    return dvm_error_errno(err, "cannot create %llu bytes of memory shared by the processes", (unsigned long long)size);
  o->fds[0] = o->fds[1] = fd;
  g->object_count++;
  return 0;
}

/* No member before, and no mapping before, has it. */
static bool is_first_of(const struct restart_group *g, size_t member, const struct mpir_image_map *map) {
  for (size_t m = 0; m <= member; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->map_count && &g->images[m]->maps[i] != map; i++)
      if (g->images[m]->maps[i].inode == map->inode && g->images[m]->maps[i].device == map->device)
        return false;
  return true;
}

static int make_memory(struct restart_group *g, const struct mpir_restart_options *options, struct restart_fds *fds,
                       struct dvm_error *err) {
  int rc = 0;

  for (size_t m = 0; m < g->set->member_count; m++)
    for (size_t i = 0; g->images[m] && i < g->images[m]->map_count && !rc; i++) {
      const struct mpir_image_map *map = &g->images[m]->maps[i];

      if (mpir_restart_is_segment(g->images[m], map))
        rc = is_first_of(g, m, map) ? mpir_restart_segment(g->images[m], map, err) : 0;
      else if (map->kind == MPIR_MAP_SHARED && mpir_group_memory(g, map->device, map->inode) < 0)
        rc = make_memory_of(g, map, mpir_restart_is_given(g->images[m], map, options) ? options->given_fd : -1, fds, err);
    }
  return rc;
}

static int make_share(struct restart_group *g, size_t share, const struct mpir_restart_options *options, struct restart_fds *fds,
                      struct dvm_error *err) {
  for (size_t k = 0; k < g->set->shares[share].count; k++) {
    const struct mpir_set_end *end = &g->set->ends[g->set->shares[share].first + k];
    const struct mpir_image *image = g->images[end->member];
    const struct mpir_image_file *f = find_file(image, end->fd);
    int fd;

    if (!f) /* left out */
      continue;
    fd = mpir_restart_make(image, (size_t)(f->same_as >= 0 ? f->same_as : f - image->files), options, fds, err);
    g->share_fds[share] = fd;
    return fd < 0 ? fd : 0;
  }
  return 0;
}

struct restart_group *mpir_group_make(const struct mpir_set *set, struct mpir_image *const *images,
                                      const struct mpir_restart_options *options, struct restart_fds *fds, struct dvm_error *err) {
  struct restart_group *g = calloc(1, sizeof(*g));
  struct rlimit limit;
  int rc;

  if (!g || !(g->share_fds = calloc(set->share_count + 1, sizeof(int)))) {
    free(g);
    dvm_error_set(err, -ENOMEM, "out of memory");
    return NULL;
  }
  if (!getrlimit(RLIMIT_NOFILE, &limit)) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  g->set = set;
  g->images = images;
  g->member = -1;
  for (size_t i = 0; i < set->share_count; i++)
    g->share_fds[i] = -1;
  g->sockets = fds->sockets = mpir_sockets_make((const struct mpir_image *const *)images, set->member_count, fds, err);
  rc = g->sockets ? make_objects(g, options, fds, err) : err->code;
  if (!rc)
    rc = make_memory(g, options, fds, err);
  fds->group = g;
  for (size_t i = 0; i < set->share_count && !rc; i++)
    rc = make_share(g, i, options, fds, err);
  if (!rc)
    return g;
  mpir_group_close(g);
  free(g->objects);
  free(g->share_fds);
  free(g);
  fds->group = NULL;
  return NULL;
}

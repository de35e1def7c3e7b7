#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "mpir/image/crc32c.h"
#include "mpir/restart/restart_private.h"

struct restart_area *mpir_restart_areas(size_t *count, struct dvm_error *err) {
  FILE *f = fopen("/proc/self/maps", "re");
  struct restart_area *areas = NULL;
  char line[8192];

  *count = 0;
  while (f && fgets(line, sizeof(line), f)) {
    struct restart_area area = {0, 0, ""}, *more = realloc(areas, (*count + 1) * sizeof(*areas));

    if (!more)
      break;
    areas = more;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %63s", &area.start, &area.end, area.name) >= 2)
      areas[(*count)++] = area;
  }
  if (!f || ferror(f) || !*count) {
    dvm_error_errno(err, "cannot read /proc/self/maps");
    free(areas);
    areas = NULL;
  }
  if (f)
    fclose(f);
  return areas;
}

static int check_owner(const struct mpir_image *image, struct dvm_error *err) {
  struct stat st;

  if (image->header->uid != geteuid())
    return dvm_error_set(err, -EPERM, "the image is of user %u, this is user %u: restart it as that user", image->header->uid, geteuid());
  if (fstat(image->fd, &st))
    return dvm_error_errno(err, "cannot look at the image");
  if (st.st_uid != geteuid() || (st.st_mode & 022))
    return dvm_error_set(err, -EPERM, "other users can write to the image (owner %u, mode %04o), and a restart trusts every byte of it",
                         st.st_uid, st.st_mode & 07777u);
  return 0;
}

static int check_kernel(const struct mpir_image *image, struct dvm_error *err) {
  const struct mpir_image_header *h = image->header;
  const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
  struct restart_area *areas;
  size_t count, found = 0;
  struct utsname here;
  uint64_t size = 0;

  uname(&here);
  areas = mpir_restart_areas(&count, err);
  if (!areas)
    return err->code;
  for (size_t i = 0; i < count; i++) {
    if (areas[i].start == (uint64_t)vdso)
      size = areas[i].end - areas[i].start;
    for (size_t k = 0; k < image->map_count; k++)
      if (image->maps[k].kind == MPIR_MAP_KERNEL && strcmp(mpir_image_string(image, image->maps[k].name), areas[i].name) == 0 &&
          image->maps[k].end - image->maps[k].start == areas[i].end - areas[i].start)
        found++;
  }
  free(areas);
  for (size_t k = 0; k < image->map_count; k++)
    found -= image->maps[k].kind == MPIR_MAP_KERNEL;
  if (found == 0 && size == h->vdso_size && (!size || mpir_crc32c(0, vdso, size) == h->vdso_hash))
    return 0;
  return dvm_error_set(err, -ENOEXEC,
                       "the image was taken on kernel %s and holds addresses inside its vdso; this is kernel %s "
                       "with another vdso: restart it on the kernel that it was taken on",
                       mpir_image_string(image, h->kernel), here.release);
}

bool mpir_restart_file_same(const struct mpir_image *image, const struct mpir_image_map *map) {
  struct stat st;

  if (stat(mpir_image_string(image, map->name), &st) || !S_ISREG(st.st_mode))
    return false;
  if (map->kind == MPIR_MAP_FILE_SHARED) /* a data file: its content may have moved on */
    return (uint64_t)st.st_size >= map->file_size;
  return (uint64_t)st.st_size == map->file_size && st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec == map->file_mtime_ns;
}

/* A file that is mapped shared, and is made again or gets its length back. */
static bool comes_back(const struct mpir_image *image, const struct mpir_image_map *map, const struct mpir_restart_options *options) {
  const bool gone = access(mpir_image_string(image, map->name), F_OK) != 0;
  bool kept = map->flags & MPIR_MAP_KEPT;

  for (size_t i = 0; i < image->file_count && !kept; i++)
    kept = image->files[i].kind == MPIR_FILE_REGULAR && image->files[i].inode == map->inode && image->files[i].capacity == MPIR_FILE_KEPT;
  return map->kind == MPIR_MAP_FILE_SHARED && kept && (gone || options->restore_files);
}

static int check_mapped_files(const struct mpir_image *image, const struct mpir_restart_options *options, struct dvm_error *err) {
  for (size_t i = 0; i < image->map_count; i++) {
    const struct mpir_image_map *map = &image->maps[i];
    const char *name = mpir_image_string(image, map->name);

    if ((map->kind != MPIR_MAP_FILE && map->kind != MPIR_MAP_FILE_SHARED) || (map->flags & MPIR_MAP_COMPLETE) ||
        mpir_restart_file_same(image, map) || comes_back(image, map, options))
      continue;
    if (access(name, R_OK))
      return dvm_error_errno(err, "the process had '%s' mapped, which cannot be read now", name);
    return dvm_error_set(err, -ESTALE,
                         "the process had '%s' mapped, which has changed since the checkpoint (take the "
                         "checkpoint with --all-files to be independent of it)",
                         name);
  }
  return 0;
}

int mpir_restart_check(const struct mpir_image *image, const struct mpir_restart_options *options, struct dvm_error *err) {
  int rc = check_owner(image, err);

  if (!rc)
    rc = mpir_restart_confine_check(image, err);
  if (!rc)
    rc = check_kernel(image, err);
  if (!rc)
    rc = check_mapped_files(image, options, err);
  if (!rc && !options->lazy)
    rc = mpir_image_verify(image, err);
  return rc;
}

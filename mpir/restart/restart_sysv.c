/* System V semaphores and shared memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>
#include "mpir/restart/restart_private.h"

#define TRIES 200 /* of 10 ms: another process of the set may have to go first, or the first life may just be ending */
#define PAUSE_US 10000

int mpir_restart_semaphores(const struct mpir_image *image, struct dvm_error *err) {
  for (size_t i = 0; i < image->semaphore_count; i++) {
    const struct mpir_image_semaphore *s = &image->semaphores[i];
    struct sembuf operation = {s->number, s->value, SEM_UNDO | IPC_NOWAIT};
    int rc = -1;

    for (int try = 0; rc && try < TRIES; try++) {
      rc = semop(s->id, &operation, 1);
      if (rc && errno != EAGAIN)
        break;
      if (rc)
        usleep(PAUSE_US);
    }
    if (rc)
      return dvm_error_set(err, -errno,
                           errno == EAGAIN ? "System V semaphore %d of set %d, which the process had taken, is taken by another"
                           : errno == EINVAL || errno == EIDRM ? "System V semaphore %d of set %d, which the process had changed, is gone"
                                                               : "System V semaphore %d of set %d cannot be changed again",
                           s->number, s->id);
  }
  return 0;
}

bool mpir_restart_is_segment(const struct mpir_image *image, const struct mpir_image_map *map) {
  return map->kind == MPIR_MAP_SHARED && strncmp(mpir_image_string(image, map->name), "/SYSV", 5) == 0;
}

bool mpir_restart_segment_goes(const struct mpir_image_map *map) { return map->file_mtime_ns & SHM_DEST; }

/* Programs know a segment by its number: the kernel is told which to give next. */
static int make_numbered(int id, key_t key, size_t size, int mode) {
  FILE *f = fopen("/proc/sys/kernel/shm_next_id", "we");
  int got = -1;

  if (!f)
    return -1;
  fprintf(f, "%d", id);
  if (!fclose(f))
    got = shmget(key, size, IPC_CREAT | IPC_EXCL | mode);
  if (got < 0 || got == id)
    return got;
  shmctl(got, IPC_RMID, NULL);
  errno = EEXIST;
  return -1;
}

int mpir_restart_segment(const struct mpir_image *image, const struct mpir_image_map *map, struct dvm_error *err) {
  const int id = (int)map->inode, mode = (int)(map->file_mtime_ns & 0777);
  const bool goes = mpir_restart_segment_goes(map); /* it had no key any more */
  const key_t key = goes ? IPC_PRIVATE : (key_t)strtoul(mpir_image_string(image, map->name) + 5, NULL, 16);
  struct shmid_ds s;

  for (int try = 0; !shmctl(id, IPC_STAT, &s); try++) { /* the first life may just be ending */
    if (s.shm_segsz != map->file_size || s.shm_perm.__key != key)
      return dvm_error_set(err, -EEXIST, "the ID %d of System V shared memory now belongs to another segment", id);
    if (!s.shm_nattch && !(s.shm_perm.mode & SHM_DEST))
      return 0;
    if (try == TRIES)
      return dvm_error_set(err, -EBUSY, "System V shared memory %d is in use by another process", id);
    usleep(PAUSE_US);
  }
  if (make_numbered(id, key, map->file_size, mode) < 0)
    return dvm_error_errno(err, "System V shared memory %d is gone and cannot be recreated", id);
  if (!shmctl(id, IPC_STAT, &s) && s.shm_perm.uid != (uid_t)(map->file_mtime_ns >> 32)) {
    s.shm_perm.uid = (uid_t)(map->file_mtime_ns >> 32);
    shmctl(id, IPC_SET, &s);
  }
  return 0;
}

/* System V semaphores. */
#include <errno.h>
#include <string.h>
#include <sys/sem.h>
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

/* What the kernel would undo in System V semaphores when the process ends (SEM_UNDO) is told by nobody, so the calls are noted: those of libc's
 * functions and of syscall(2). */
#include "mpir/crs/crs_semaphores.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ipc.h>
#include "mpir/crs/sys.h"

#define EXPORT __attribute__((visibility("default")))

static struct mpir_image_semaphore held[CRS_SEMAPHORES_MAX];
static atomic_uint lock CRS_FORKED;
static unsigned count CRS_FORKED;
static bool overflown CRS_FORKED;

/* A thread that stands while it has this would keep it: noting is a critical section. */
static void lock_take(void) {
  unsigned is_free = 0;

  dvmcr_enter();
  while (!atomic_compare_exchange_weak(&lock, &is_free, 1)) {
    is_free = 0;
    sys0(SYS_sched_yield);
  }
}

static void lock_give(void) {
  atomic_store(&lock, 0);
  dvmcr_leave();
}

static void note_one(int id, const struct sembuf *operation) {
  unsigned i = 0;

  while (i < count && (held[i].id != id || held[i].number != operation->sem_num))
    i++;
  if (i == CRS_SEMAPHORES_MAX) {
    overflown = true;
    return;
  }
  if (i == count)
    held[count++] = (struct mpir_image_semaphore){id, operation->sem_num, 0};
  held[i].value = (int16_t)(held[i].value + operation->sem_op);
  if (!held[i].value)
    held[i] = held[--count];
}

static bool undoes(const struct sembuf *operations, size_t number) {
  for (size_t i = 0; i < number; i++)
    if ((operations[i].sem_flg & SEM_UNDO) && operations[i].sem_op)
      return true;
  return false;
}

static void note(int id, const struct sembuf *operations, size_t number) {
  for (size_t i = 0; i < number; i++)
    if ((operations[i].sem_flg & SEM_UNDO) && operations[i].sem_op)
      note_one(id, &operations[i]);
}

long mpir_crs_semaphores_call(long call, long *a, crs_made_f made) {
  const struct sembuf *operations = (const struct sembuf *)a[1];
  struct sembuf at_once[CRS_SEMAPHORES_AT_ONCE];
  const size_t number = (size_t)a[2];
  long rc = -EAGAIN;
  bool waits = true;

  if (!operations || !number || number > CRS_SEMAPHORES_AT_ONCE || !undoes(operations, number))
    return made(call, a);
  for (size_t i = 0; i < number; i++) {
    at_once[i] = operations[i];
    waits = waits && !(operations[i].sem_flg & IPC_NOWAIT);
    at_once[i].sem_flg |= IPC_NOWAIT;
  }
  lock_take(); /* done and noted, or neither */
  rc = sys4(SYS_semtimedop, a[0], at_once, number, NULL);
  if (!rc)
    note((int)a[0], operations, number);
  lock_give();
  if (rc != -EAGAIN || !waits)
    return rc;
  rc = made(call, a);
  if (!rc) {
    lock_take();
    note((int)a[0], operations, number);
    lock_give();
  }
  return rc;
}

/* Values that are set, and sets that are removed, are undone by nobody any more. */
static void forget(int id, int number) {
  lock_take();
  for (unsigned i = 0; i < count;)
    if (held[i].id == id && (number < 0 || held[i].number == number))
      held[i] = held[--count];
    else
      i++;
  lock_give();
}

EXPORT int semctl(int id, int number, int command, ...) {
  va_list list;
  void *argument;
  long rc;

  va_start(list, command);
  argument = va_arg(list, void *);
  va_end(list);
  rc = sys4(SYS_semctl, id, number, command, argument);
  if (rc >= 0 && (command == SETVAL || command == SETALL || command == IPC_RMID))
    forget(id, command == SETVAL ? number : -1);
  if (!sys_failed(rc))
    return (int)rc;
  errno = (int)-rc;
  return -1;
}

void mpir_crs_semaphores_after_fork(void) {
  atomic_store(&lock, 0);
  count = 0;
  overflown = false;
}

unsigned mpir_crs_semaphores_held(const struct mpir_image_semaphore **all, bool *too_many) {
  *all = held;
  *too_many = overflown;
  return count;
}

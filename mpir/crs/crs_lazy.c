/* A lazily restarted process: its memory comes from a process outside when it is touched (restart/restart_pager.c).  Before it is saved all of
 * it must be there. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define CHILD_NAPS 2000 /* of 5 ms */

static bool foreign; /* in a forked child: the descriptors are the parent's */

int mpir_crs_lazy_fd(void) { return foreign || crs.restart.pager_fd <= 0 ? -1 : crs.restart.pager_fd; }

void mpir_crs_lazy_after_fork(void) {
  if (foreign || crs.restart.pager_fd <= 0)
    return;
  foreign = true;
  sys1(SYS_close, crs.restart.fault_fd); /* of the parent's memory; ours has come to the other side by itself */
  crs.restart.fault_fd = -1;
}

static void lazy_end(void) {
  mpir_crs_descriptors_lock(); /* a forked child closes what it takes for these */
  sys1(SYS_close, crs.restart.fault_fd); /* what has not been given reads as zeros from now on: there is none */
  sys6(SYS_sendto, crs.restart.pager_fd, "K", 1, MSG_NOSIGNAL, NULL, 0);
  sys1(SYS_close, crs.restart.pager_fd);
  crs.restart.fault_fd = crs.restart.pager_fd = -1;
  mpir_crs_descriptors_unlock();
}

int mpir_crs_lazy_heard(void) {
  static const char gone[] =
      "dvm: the process that provides the memory of this lazily restarted one has ended, so this one cannot continue\n";
  char what = 0;
  long n = sys6(SYS_recvfrom, crs.restart.pager_fd, &what, 1, 0, NULL, NULL);

  if (n == -EINTR || n == -EAGAIN)
    return 0;
  if (n == 1 && what == 'E')
    return -EIO;
  if (n == 1) {
    lazy_end();
    return 0;
  }
  sys3(SYS_write, 2, gone, sizeof(gone) - 1);
  for (;;)
    sys2(SYS_kill, sys0(SYS_getpid), SIGKILL);
}

/* Mappings whose missing pages are somebody's to give have the flag "um". */
static bool is_watched(char *text, size_t size) {
  static const char label[] = "\nVmFlags:";
  bool found = false;

  if (mpir_crs_read_file("/proc/thread-self/smaps", text, size) <= 0)
    return true;
  for (const char *line = text; !found && (line = strstr(line, label));) {
    const char *last = strchr(line + 1, '\n'), *flag = strstr(line, " um");

    found = flag && (!last || flag < last);
    line++;
  }
  return found;
}

/* A forked child does not hear the answer, which is its parent's; it sees that nothing is to be given any more. */
static int child_fill(void) {
  static const struct {
    long sec, nsec;
  } nap = {0, 5000000};
  char *text = (char *)sys6(SYS_mmap, NULL, DUMP_TEXT_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool watched = true;

  if (sys_failed((long)text))
    return -EIO;
  for (int i = 0; i < CHILD_NAPS && (watched = is_watched(text, DUMP_TEXT_MAX)); i++)
    sys2(SYS_nanosleep, &nap, NULL);
  sys2(SYS_munmap, text, DUMP_TEXT_MAX);
  return watched ? -EIO : 0;
}

int mpir_crs_lazy_fill(char *why, size_t size) {
  struct plain_text text = {why, size, 0};
  int rc = 0;

  if (crs.restart.pager_fd <= 0)
    return 0;
  sys6(SYS_sendto, crs.restart.pager_fd, "F", 1, MSG_NOSIGNAL, NULL, 0);
  if (foreign)
    rc = child_fill();
  while (!rc && mpir_crs_lazy_fd() >= 0)
    rc = mpir_crs_lazy_heard();
  if (rc)
    mpir_plain_add(&text, "memory cannot be read from the image that this process was lazily restarted from\n");
  return rc;
}

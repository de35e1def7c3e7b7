/* What an epoll descriptor watches is told by the numbers of the descriptors at the time when they were added.  A number may stand for
 * another file by now, or for none, and the file that is watched be open under another: the kernel compares. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define KCMP_EPOLL_TFD 7
#define SMALL_FILE (1u << 20) /* bytes; kept where files are not meant to stay */

struct slot {
  uint32_t epoll, number, among;
}; /* struct kcmp_epoll_slot: 'among' those of the number, from 0 */

static bool is_watched(int fd, const struct slot *slot) {
  const long rc = sys5(SYS_kcmp, crs.pid, crs.pid, KCMP_EPOLL_TFD, fd, slot);

  return rc == 0 || (rc < 0 && rc != -EBADF); /* a kernel that does not compare: as it is told */
}

/* The descriptor that is watched under the number, or -1 where the process has none of that file. */
static int watched(const struct crs_dump *d, const struct slot *slot) {
  if (is_watched((int)slot->number, slot))
    return (int)slot->number;
  for (unsigned i = 0; i < d->file_count; i++)
    if (is_watched(d->files[i].fd, slot))
      return d->files[i].fd;
  return -1;
}

static uint32_t among(const char *text, const char *line, uint32_t number) {
  uint32_t count = 0;

  for (const char *s = text; (s = mpir_plain_line(s, "tfd:")) && s < line;)
    count += mpir_plain_dec(&s) == number;
  return count;
}

static int gone(struct crs_dump *d, const struct mpir_image_file *file, uint32_t number) {
  char what[128];
  struct plain_text t = PLAIN_TEXT(what);

  mpir_plain_add(&t, "watches what was descriptor ");
  mpir_plain_add_dec(&t, number);
  mpir_plain_add(&t, ", which is open in no process that is saved:");
  if (d->request->flags & CRS_IGNORE_FILES) {
    mpir_dump_notice(d, file->fd, what, d->strings + file->name);
    return 0;
  }
  mpir_plain_add(&d->why, "descriptor ");
  mpir_plain_add_dec(&d->why, file->fd);
  mpir_plain_add(&d->why, ": ");
  mpir_plain_add(&d->why, what);
  mpir_plain_add(&d->why, " it cannot be restored");
  return mpir_dump_fail(d, -EOPNOTSUPP, "");
}

/* Rewrites the text: "tfd: NUMBER events: E data: D ..." becomes "from: SOURCE NUMBER E D" where the numbers differ. */
static int settle(struct crs_dump *d, struct mpir_image_file *file) {
  const char *text = d->strings + file->info, *line = text;
  struct plain_text t = {(char *)d->copy, sizeof(d->copy), 0};
  bool differs = false;
  int rc = 0;

  for (; *line && !rc; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *s = mpir_plain_starts(line, "tfd:") ? mpir_plain_line(line, "tfd:") : NULL;
    struct slot slot = {(uint32_t)file->fd, 0, 0};
    char copy[256];
    size_t n;
    int source;

    if (s)
      slot.number = (uint32_t)mpir_plain_dec(&s);
    slot.among = s ? among(text, line, slot.number) : 0;
    source = s ? watched(d, &slot) : -1;
    n = strcspn(line, "\n") + 1;
    n = n < sizeof(copy) ? n : sizeof(copy) - 1;
    memcpy(copy, line, n);
    copy[n] = '\0';
    if (!s || source == (int)slot.number) {
      mpir_plain_add(&t, copy);
      continue;
    }
    differs = true;
    if (source < 0) {
      rc = gone(d, file, slot.number);
      continue;
    }
    mpir_plain_add(&t, "from: ");
    mpir_plain_add_dec(&t, source);
    mpir_plain_add(&t, " ");
    mpir_plain_add(&t, copy + (strcspn(copy, ":") + 1));
  }
  if (differs && !rc)
    file->info = mpir_dump_string(d, (const char *)d->copy);
  return rc;
}

int mpir_dump_epolls(struct crs_dump *d) {
  int rc = 0;

  for (unsigned i = 0; i < d->file_count && !rc; i++)
    if (d->files[i].kind == MPIR_FILE_EPOLL && d->files[i].same_as < 0)
      rc = settle(d, &d->files[i]);
  return rc;
}

bool mpir_dump_keeps_file(const struct crs_dump *d, const char *name, uint64_t size) {
  static const char *const passing[] = {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/"};

  if (d->request->flags & CRS_SAVE_FILES)
    return true;
  for (unsigned i = 0; size <= SMALL_FILE && i < sizeof(passing) / sizeof(passing[0]); i++)
    if (mpir_plain_starts(name, passing[i]))
      return true;
  return false;
}

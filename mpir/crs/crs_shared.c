/* Finds memory that is shared with other processes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define OBJECTS_MAX 256

struct shared_object {
  uint64_t device, inode;
};

struct search {
  struct shared_object objects[OBJECTS_MAX];
  unsigned count;
  char text[DUMP_TEXT_MAX];
};

static bool is_nameless_share(const struct map_line *m) { return m->perms[3] == 's' && m->inode && mpir_dump_is_deleted(m->name); }

static bool is_known(const struct search *s, const struct map_line *m) {
  for (unsigned i = 0; i < s->count; i++)
    if (s->objects[i].inode == m->inode && s->objects[i].device == m->device)
      return true;
  return false;
}

static void find_own(struct search *s) {
  struct map_line m;

  if (mpir_crs_read_file("/proc/thread-self/maps", s->text, sizeof(s->text)) <= 0)
    return;
  for (char *line = s->text; line && *line;) {
    line = mpir_dump_map_line(line, &m);
    if (line && is_nameless_share(&m) && !is_known(s, &m) && s->count < OBJECTS_MAX)
      s->objects[s->count++] = (struct shared_object){m.device, m.inode};
  }
}

/* Processes of other users are not readable, and share nothing without a name with us. */
static bool has_ours(struct search *s, int64_t pid, struct plain_text *why) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);
  struct map_line m;

  mpir_plain_add(&t, "/proc/");
  mpir_plain_add_dec(&t, pid);
  mpir_plain_add(&t, "/maps");
  if (mpir_crs_read_file(path, s->text, sizeof(s->text)) <= 0)
    return false;
  for (char *line = s->text; line && *line;) {
    line = mpir_dump_map_line(line, &m);
    if (!line || !is_nameless_share(&m) || !is_known(s, &m))
      continue;
    mpir_plain_add(why, "memory '");
    mpir_plain_add(why, m.name);
    mpir_plain_add(why, "' is shared with process ");
    mpir_plain_add_dec(why, pid);
    mpir_plain_add(why, "\n");
    return true;
  }
  return false;
}

/* Our own number as this /proc counts. */
static int64_t own_number(void) {
  char link[32];
  long n = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self", link, sizeof(link) - 1);
  const char *s = link;

  link[n > 0 ? n : 0] = '\0';
  return (int64_t)mpir_plain_dec(&s);
}

static bool find_others(struct search *s, struct plain_text *why) {
  const int64_t self = own_number();
  int dir = (int)sys4(SYS_openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  bool found = false;
  char buf[8192];
  long n;

  while (dir >= 0 && (n = sys3(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
    for (long at = 0; at < n;) {
      const char *name = buf + at + 19; /* linux_dirent64: ino 8, off 8, reclen 2, type 1, name */
      unsigned short length;
      int64_t pid;

      memcpy(&length, buf + at + 16, 2);
      at += length;
      pid = (int64_t)mpir_plain_dec(&name);
      if (pid > 0 && pid != self && has_ours(s, pid, why))
        found = true;
    }
  if (dir >= 0)
    sys1(SYS_close, dir);
  return found;
}

int mpir_crs_shared_check(char *why, size_t size) {
  struct plain_text text = {why, size, 0};
  struct search *s =
      (struct search *)sys6(SYS_mmap, NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool found = false;

  if (sys_failed((long)s))
    return 0; /* the stop itself will need far more, and tell */
  find_own(s);
  mpir_crs_descriptors_lock();
  if (s->count)
    found = find_others(s, &text);
  mpir_crs_descriptors_unlock();
  sys2(SYS_munmap, s, sizeof(*s));
  return found ? -EOPNOTSUPP : 0;
}

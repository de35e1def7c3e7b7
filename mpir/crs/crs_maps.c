/* Which memory there is, and which of its pages have content that no file has. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define HINTS_LIMIT_NS 2000000000 /* then the copy reads them itself */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_FILE (1ull << 61)
#define PAGEMAP_GUARD (1ull << 58) /* Linux 6.15 */

char *mpir_dump_map_line(char *line, struct map_line *m) {
  const char *s = line;
  uint64_t major, minor;
  char *end;

  m->start = mpir_plain_hex(&s);
  s++;
  m->end = mpir_plain_hex(&s);
  s++;
  memcpy(m->perms, s, 4);
  m->perms[4] = '\0';
  s += 5;
  m->offset = mpir_plain_hex(&s);
  s++;
  major = mpir_plain_hex(&s);
  s++;
  minor = mpir_plain_hex(&s);
  s++;
  m->device = major << 32 | minor;
  m->inode = mpir_plain_dec(&s);
  while (*s == ' ')
    s++;
  m->name = line + (s - line);
  end = strchr(m->name, '\n');
  if (!end)
    return NULL;
  *end = '\0';
  return end + 1;
}

bool mpir_dump_is_deleted(const char *name) {
  static const char mark[] = " (deleted)";
  size_t len = strlen(name);

  return len >= sizeof(mark) - 1 && strcmp(name + len - (sizeof(mark) - 1), mark) == 0;
}

static bool is_kernel_area(const char *name) { return strcmp(name, "[vdso]") == 0 || mpir_plain_starts(name, "[vvar"); }

/* The file behind a mapping, if it is still the one under that name. */
static bool file_matches(struct mpir_image_map *map, const char *name, struct stat *st) {
  if (sys2(SYS_stat, name, st) || st->st_ino != map->inode)
    return false;
  map->file_size = (uint64_t)st->st_size;
  map->file_mtime_ns = st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec;
  return true;
}

static int refuse_map(struct crs_dump *d, const char *what, const struct map_line *m) {
  mpir_plain_add(&d->why, what);
  mpir_plain_add(&d->why, " '");
  mpir_plain_add(&d->why, m->name);
  return mpir_dump_fail(d, -EOPNOTSUPP, "'");
}

/* Events that nobody has collected would be gone with the kernel's own count of them. */
static bool ring_is_empty(const struct map_line *m) {
  const uint32_t *ring = (const uint32_t *)m->start; /* id, number, head, tail */

  return ring[2] == ring[3];
}

static bool has_kept_descriptor(const struct crs_dump *d, const struct mpir_image_map *map) {
  for (unsigned i = 0; i < d->file_count; i++)
    if (d->files[i].kind == MPIR_FILE_REGULAR && d->files[i].capacity == MPIR_FILE_KEPT && d->files[i].inode == map->inode)
      return true;
  return false;
}

/* A System V segment, whose number is the mapping's inode.  Attached as a whole it is made again. */
static int segment_classify(struct crs_dump *d, struct mpir_image_map *map, const struct map_line *m) {
  struct shmid_ds segment;

  if (sys3(SYS_shmctl, m->inode, IPC_STAT, &segment))
    return refuse_map(d, "System V shared memory that may not be inspected", m);
  if (m->offset || ((segment.shm_segsz + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1)) != m->end - m->start)
    return refuse_map(d, "a part of System V shared memory", m);
  map->kind = MPIR_MAP_SHARED;
  map->flags |= MPIR_MAP_COMPLETE;
  map->file_size = segment.shm_segsz;
  map->file_mtime_ns = (int64_t)segment.shm_perm.uid << 32 | segment.shm_perm.mode;
  return 0;
}

static int map_classify(struct crs_dump *d, struct mpir_image_map *map, const struct map_line *m) {
  bool shared = m->perms[3] == 's';
  bool of_image = m->inode && m->inode == crs.restart.image_inode && m->device == crs.restart.image_device;
  struct stat st;

  if (is_kernel_area(m->name)) {
    map->kind = MPIR_MAP_KERNEL;
  } else if (of_image || !m->inode) {
    /* Pages of an image that this process was restarted from are data, not a file's. */
    map->kind = MPIR_MAP_ANON;
    map->flags |= of_image ? MPIR_MAP_COMPLETE : 0;
    if (strcmp(m->name, "[stack]") == 0)
      map->flags |= MPIR_MAP_GROWSDOWN;
  } else if (mpir_plain_starts(m->name, MPIR_RING_NAME) && !ring_is_empty(m)) {
    return refuse_map(d, "asynchronous I/O whose events have not been collected", m);
  } else if (mpir_plain_starts(m->name, "/secretmem")) {
    return refuse_map(d, "memory that no other process may read", m);
  } else if (mpir_plain_starts(m->name, "/SYSV")) {
    return segment_classify(d, map, m);
  } else if (mpir_dump_is_deleted(m->name) || !file_matches(map, m->name, &st)) {
    map->kind = shared ? MPIR_MAP_SHARED : MPIR_MAP_ANON;
    map->flags |= MPIR_MAP_COMPLETE;
  } else if (!shared && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 5)) { /* /dev/zero: private memory */
    map->kind = MPIR_MAP_ANON;
  } else if (!S_ISREG(st.st_mode)) {
    return refuse_map(d, "a mapping of the device", m);
  } else if (shared) {
    map->kind = MPIR_MAP_FILE_SHARED;
    map->flags |= !has_kept_descriptor(d, map) && mpir_dump_keeps_file(d, m->name, map->file_size) ? MPIR_MAP_KEPT : 0;
  } else {
    map->kind = MPIR_MAP_FILE;
    map->flags |= d->request->flags & CRS_ALL_FILES ? MPIR_MAP_COMPLETE : 0;
  }
  return 0;
}

static int add_map(struct crs_dump *d, const struct map_line *m) {
  struct mpir_image_map *map = &d->maps[d->map_count];

  if (d->map_count == DUMP_MAPS_MAX)
    return mpir_dump_fail(d, -E2BIG, "too many mappings");
  memset(map, 0, sizeof(*map));
  map->start = m->start;
  map->end = m->end;
  map->map_offset = m->offset;
  map->device = m->device;
  map->inode = m->inode;
  map->prot = (m->perms[0] == 'r' ? PROT_READ : 0) | (m->perms[1] == 'w' ? PROT_WRITE : 0) | (m->perms[2] == 'x' ? PROT_EXEC : 0);
  if (map->prot & PROT_EXEC)
    map->flags |= MPIR_MAP_HOLDS_TEXT;
  map->name = mpir_dump_string(d, m->name);
  d->map_count++;
  return map_classify(d, map, m);
}

/* Leaves out our own work area and result page.  The kernel may have joined the work area with its neighbours, so what
 * lies beside it in one line of the list is kept. */
static int add_without_ours(struct crs_dump *d, const struct map_line *m) {
  uint64_t from = (uint64_t)d, to = from + ((sizeof(*d) + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1));
  struct map_line part = *m;
  int rc = 0;

  if (d->result && m->start == (uint64_t)d->result)
    return 0;
  if (m->end <= from || m->start >= to)
    return add_map(d, m);
  part.end = from;
  if (part.start < part.end)
    rc = add_map(d, &part);
  part = *m;
  part.start = to;
  return rc || part.start >= part.end ? rc : add_map(d, &part);
}

int mpir_dump_maps(struct crs_dump *d) {
  long len = mpir_crs_read_file("/proc/thread-self/maps", d->text, sizeof(d->text));
  char *line = d->text;

  if (len < 0 || len + 1 == (long)sizeof(d->text))
    return mpir_dump_fail(d, -EIO, "cannot read /proc/thread-self/maps");
  while (*line) {
    struct map_line m;
    char *next = mpir_dump_map_line(line, &m);
    int rc;

    if (!next)
      return mpir_dump_fail(d, -EIO, "/proc/thread-self/maps is truncated");
    if (strcmp(m.name, "[vsyscall]") != 0 && (rc = add_without_ours(d, &m)))
      return rc;
    line = next;
  }
  return 0;
}

static uint32_t hints_of(const char *flags) {
  static const struct {
    char name[3];
    uint32_t flag;
  } known[] = {
      {"lo", MPIR_MAP_LOCKED},  {"lf", MPIR_MAP_LOCKED_ON_FAULT}, {"hg", MPIR_MAP_HUGE},         {"nh", MPIR_MAP_NO_HUGE},
      {"sl", MPIR_MAP_SEALED},  {"mg", MPIR_MAP_MERGEABLE},       {"sr", MPIR_MAP_SEQUENTIAL},   {"rr", MPIR_MAP_RANDOM},
      {"dd", MPIR_MAP_NO_DUMP}, {"dc", MPIR_MAP_NO_FORK},         {"wf", MPIR_MAP_WIPE_ON_FORK},
  };
  uint32_t found = 0;

  for (; *flags && *flags != '\n'; flags++)
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
      if (flags[0] == known[i].name[0] && flags[1] == known[i].name[1] && flags[-1] == ' ')
        found |= known[i].flag;
  return found;
}

/* Memory that can only be executed has a key that the kernel looks after. */
static uint32_t key_of(const struct mpir_image_map *map, const char *value) {
  while (*value == ' ')
    value++;
  return map->prot == PROT_EXEC ? 0 : ((uint32_t)mpir_plain_dec(&value) & 15) << MPIR_MAP_KEY_SHIFT;
}

/* Lines of smaps: "start-end perms ...", then "Label: value", among them "VmFlags: rd wr mr" and, where the processor has keys, "ProtectionKey: 0". */
static bool read_hints(struct crs_dump *d, const char *path) {
  static const char label[] = "VmFlags:", key[] = "ProtectionKey:";
  uint64_t start = 0, end = 0;
  const char *line = d->text;
  unsigned i = 0;

  if (mpir_crs_read_file(path, d->text, sizeof(d->text)) <= 0)
    return false;
  for (; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    if ((*line >= '0' && *line <= '9') || (*line >= 'a' && *line <= 'f')) {
      start = mpir_plain_hex(&line);
      line++;
      end = mpir_plain_hex(&line);
    } else if (mpir_plain_starts(line, label) || mpir_plain_starts(line, key)) {
      while (i < d->map_count && d->maps[i].end <= start)
        i++;
      for (unsigned k = i; k < d->map_count && d->maps[k].start < end; k++)
        if (d->maps[k].kind != MPIR_MAP_KERNEL)
          d->maps[k].flags |= *line == *label ? hints_of(line + sizeof(label) - 1) : key_of(&d->maps[k], line + sizeof(key) - 1);
    }
  }
  return true;
}

void mpir_dump_hints(struct crs_dump *d) {
  d->hinted = true;
  read_hints(d, "/proc/thread-self/smaps");
}

void mpir_dump_hints_for(struct crs_dump *d, pid_t writer) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);
  bool known;

  if (d->hinted)
    return;
  mpir_plain_add(&t, "/proc/");
  mpir_plain_add_dec(&t, writer);
  mpir_plain_add(&t, "/smaps");
  known = read_hints(d, path);
  for (unsigned i = 0; i < d->map_count; i++)
    d->result->hints[i] = d->maps[i].flags;
  atomic_store(&d->result->hinted, known ? 1 : 2);
  sys_futex_wake(&d->result->hinted);
}

void mpir_dump_hints_await(struct crs_dump *d) {
  const int64_t deadline = sys_monotonic_ns() + HINTS_LIMIT_NS;

  if (d->hinted)
    return;
  while (d->result && !atomic_load(&d->result->hinted) && sys_monotonic_ns() < deadline)
    sys_futex_wait(&d->result->hinted, 0, 50000000);
  if (!d->result || atomic_load(&d->result->hinted) != 1) {
    mpir_dump_hints(d);
    return;
  }
  d->hinted = true;
  for (unsigned i = 0; i < d->map_count; i++)
    d->maps[i].flags |= d->result->hints[i];
}

static int add_run(struct crs_dump *d, unsigned map, uint64_t start, uint64_t end) {
  struct dump_run *last = d->run_count ? &d->runs[d->run_count - 1] : NULL;

  if (last && last->map == map && last->end == start) {
    last->end = end;
    return 0;
  }
  if (d->run_count == DUMP_RUNS_MAX)
    return mpir_dump_fail(d, -E2BIG, "memory is too fragmented");
  d->runs[d->run_count++] = (struct dump_run){start, end, map, !(d->maps[map].prot & PROT_READ)};
  return 0;
}

static bool page_counts(const struct mpir_image_map *map, uint64_t entry) {
  if (entry & PAGEMAP_GUARD) /* looks swapped, and must not be touched */
    return false;
  if (entry & PAGEMAP_SWAPPED)
    return !(entry & PAGEMAP_FILE);
  return (entry & PAGEMAP_PRESENT) && (map->kind == MPIR_MAP_ANON || !(entry & PAGEMAP_FILE));
}

/* A page under MADV_GUARD_INSTALL, which ends whoever touches it. */
static int add_guard(struct crs_dump *d, const struct mpir_image_map *map, uint64_t page) {
  struct mpir_image_kept *last = d->guard_count ? &d->guards[d->guard_count - 1] : NULL;

  if (last && last->address + last->length == page && page != map->start) {
    last->length += MPIR_PAGE;
    return 0;
  }
  if (d->guard_count == DUMP_MAPS_MAX)
    return mpir_dump_fail(d, -E2BIG, "too many guard pages");
  d->guards[d->guard_count++] = (struct mpir_image_kept){page, MPIR_PAGE};
  return 0;
}

static int runs_from_pagemap(struct crs_dump *d, unsigned index, int pagemap) {
  const struct mpir_image_map *map = &d->maps[index];
  uint64_t *entries = (uint64_t *)d->copy;
  const size_t batch = sizeof(d->copy) / 8;

  for (uint64_t at = map->start; at < map->end;) {
    size_t pages = (map->end - at) / MPIR_PAGE;
    long n = sys4(SYS_pread64, pagemap, entries, (pages < batch ? pages : batch) * 8, at / MPIR_PAGE * 8);
    size_t got = n > 0 ? (size_t)n / 8 : 0;

    if (!got)
      return mpir_dump_fail(d, -EIO, "cannot read /proc/thread-self/pagemap");
    for (size_t i = 0; i < got; i++) {
      uint64_t page = at + i * MPIR_PAGE;
      int rc = page_counts(map, entries[i]) ? add_run(d, index, page, page + MPIR_PAGE) : 0;

      if (!rc && (entries[i] & PAGEMAP_GUARD))
        rc = add_guard(d, map, page);

      if (rc)
        return rc;
    }
    at += got * MPIR_PAGE;
  }
  return 0;
}

/* A mapping with a file behind it whose whole content is to be kept: up to the file's end, beyond which reads fault. */
static int run_complete(struct crs_dump *d, unsigned index, int mem) {
  struct mpir_image_map *map = &d->maps[index];
  uint64_t low = 0, high = (map->end - map->start) / MPIR_PAGE;

  while (low < high) { /* the number of leading pages that can be read */
    uint64_t middle = low + (high - low) / 2;

    if (sys4(SYS_pread64, mem, d->compare, 1, map->start + middle * MPIR_PAGE) == 1)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? add_run(d, index, map->start, map->start + low * MPIR_PAGE) : 0;
}

static bool has_descriptor(const struct crs_dump *d, const struct mpir_image_map *map) {
  for (unsigned i = 0; i < d->file_count; i++)
    if (d->files[i].kind == MPIR_FILE_MEMFD && d->files[i].inode == map->inode)
      return true;
  return false;
}

int mpir_dump_runs(struct crs_dump *d) {
  int pagemap = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC, 0);
  int mem = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/mem", O_RDONLY | O_CLOEXEC, 0);
  int rc = pagemap < 0 || mem < 0 ? mpir_dump_fail(d, -EIO, "cannot open /proc/thread-self/pagemap or mem") : 0;

  for (unsigned i = 0; i < d->map_count && !rc; i++) {
    const struct mpir_image_map *map = &d->maps[i];

    if (map->kind == MPIR_MAP_KERNEL)
      rc = mpir_plain_starts(d->strings + map->name, "[vdso]") ? add_run(d, i, map->start, map->end) : 0;
    else if (map->kind == MPIR_MAP_SHARED)
      rc = has_descriptor(d, map) || mpir_dump_is_others(d, makedev(map->device >> 32, map->device & 0xffffffff), map->inode)
               ? 0
               : run_complete(d, i, mem);
    else if (map->flags & (MPIR_MAP_COMPLETE | MPIR_MAP_KEPT))
      rc = run_complete(d, i, mem);
    else if (map->kind != MPIR_MAP_FILE_SHARED)
      rc = runs_from_pagemap(d, i, pagemap);
  }
  sys1(SYS_close, pagemap);
  sys1(SYS_close, mem);
  return rc;
}

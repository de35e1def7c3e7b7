/* Which memory has changed since the last image: pages are write-protected with userfaultfd(2) in its asynchronous form, in which the
 * kernel takes the protection off by itself at the first write, and /proc/PID/pagemap tells which pages have none (Linux 6.7). */
#include "mpir/crs/crs_track.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include "mpir/crs/sys.h"

#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif

struct region {
  uint64_t start, end, categories;
};
struct scan { /* struct pm_scan_arg of linux/fs.h, which older headers lack */
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, mask, anyof, shown;
};
#define PAGEMAP_SCAN_IOCTL _IOWR('f', 16, struct scan)
#define SCAN_PROTECT 1    /* what is found is write-protected again */
#define SCAN_CHECK 2      /* fails where the protection is not ours */
#define CATEGORY_WRITTEN 2
#define OWN_STACK (128u << 10)
#define OWN_STACK_MAX (4u << 20)

static struct {
  int fd;                     /* userfaultfd, -1 if none */
  bool valid;                 /* all changes since 'last_image' are known */
  int64_t taken_at_ns;
  uint64_t sequence;
  unsigned depth;             /* images since the last whole one */
  uint64_t wholes[CRS_WHOLES]; /* numbers of whole images, a ring */
  unsigned whole_count;
} track = {.fd = -1};

static struct {
  char folder[CRS_PATH_MAX], name[CRS_PATH_MAX];
} last_image;

static bool is_ours(int fd) {
  char path[64], link[64];
  struct plain_text t = PLAIN_TEXT(path);
  long n;

  mpir_plain_add(&t, "/proc/thread-self/fd/");
  mpir_plain_add_dec(&t, fd);
  n = fd < 0 ? -1 : sys4(SYS_readlinkat, AT_FDCWD, path, link, sizeof(link) - 1);
  if (n < 0)
    return false;
  link[n] = '\0';
  return strcmp(link, "anon_inode:[userfaultfd]") == 0;
}

int mpir_crs_track_fd(void) { return is_ours(track.fd) ? track.fd : -1; }

void mpir_crs_track_forget(bool close_it) {
  if (close_it && is_ours(track.fd))
    sys1(SYS_close, track.fd);
  track.fd = -1;
  track.valid = false;
}

static bool open_tracker(void) {
  struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED};
  long fd, high;

  if (is_ours(track.fd))
    return true;
  track.valid = false;
  fd = sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | 1 /* UFFD_USER_MODE_ONLY */);
  track.fd = -1;
  if (fd < 0)
    return false;
  high = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, CRS_FD_TOP);
  if (high >= 0) {
    sys1(SYS_close, fd);
    fd = high;
  }
  if (sys3(SYS_ioctl, fd, UFFDIO_API, &api)) {
    sys1(SYS_close, fd);
    return false;
  }
  track.fd = (int)fd;
  return true;
}

static void split_path(const char *path, char *folder, char *name) {
  const char *slash = strrchr(path, '/');
  size_t len = slash ? (size_t)(slash - path) + 1 : 0;

  memcpy(folder, path, len);
  folder[len] = '\0';
  strcpy(name, path + len);
}

static int add_dirty(struct crs_dump *d, uint64_t start, uint64_t end) {
  if (d->dirty_count && d->dirty[d->dirty_count - 1].end == start) {
    d->dirty[d->dirty_count - 1].end = end;
    return 0;
  }
  if (d->dirty_count == DUMP_RUNS_MAX)
    return -E2BIG;
  d->dirty[d->dirty_count++] = (struct dump_range){start, end};
  return 0;
}

/* What was written in the mapping.  -EPERM where it is not, or only in part, watched. */
static int scan_map(struct crs_dump *d, int pagemap, const struct mpir_image_map *map, uint64_t flags) {
  struct region *found = (struct region *)d->copy;
  struct scan scan = {.size = sizeof(scan),
                      .flags = flags,
                      .start = map->start,
                      .end = map->end,
                      .vec = (uint64_t)found,
                      .vec_len = sizeof(d->copy) / sizeof(*found),
                      .mask = CATEGORY_WRITTEN,
                      .shown = CATEGORY_WRITTEN};

  while (scan.start < map->end) {
    long n = sys3(SYS_ioctl, pagemap, PAGEMAP_SCAN_IOCTL, &scan);

    if (n < 0)
      return (int)n;
    for (long i = 0; i < n; i++)
      if (add_dirty(d, found[i].start, found[i].end))
        return -E2BIG;
    if (scan.walk_end <= scan.start)
      break;
    scan.start = scan.walk_end;
  }
  return 0;
}

static void watch(const struct mpir_image_map *map) {
  struct uffdio_register r = {.range = {map->start, map->end - map->start}, .mode = UFFDIO_REGISTER_MODE_WP};
  struct uffdio_writeprotect w = {.range = {map->start, map->end - map->start}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};

  if (!sys3(SYS_ioctl, track.fd, UFFDIO_REGISTER, &r))
    sys3(SYS_ioctl, track.fd, UFFDIO_WRITEPROTECT, &w);
}

static bool is_watchable(const struct mpir_image_map *map) { return map->kind == MPIR_MAP_ANON && !(map->flags & MPIR_MAP_COMPLETE); }

/* What this thread itself changes while it saves: its stack, and the thread's data above it. */
static void own_range(uint64_t *start, uint64_t *end) {
  const uint64_t here = (uint64_t)__builtin_frame_address(0), data = (uint64_t)__builtin_thread_pointer();

  *start = (here - OWN_STACK) & ~(uint64_t)(MPIR_PAGE - 1);
  *end = ((data > here && data - here < OWN_STACK_MAX ? data : here) + OWN_STACK) & ~(uint64_t)(MPIR_PAGE - 1);
}

/* The image before as it is named from an image in 'folder': a neighbour, or for sets, whose images are in folders of their own beside each
 * other, "../SET/FILE".  False where it is neither. */
static bool name_base(const char *folder, bool of_set, char *to, size_t size) {
  struct plain_text t = {to, size, 0};
  size_t common = 0;

  to[0] = '\0';
  if (!of_set)
    mpir_plain_add(&t, last_image.name);
  if (!of_set || strcmp(folder, last_image.folder) == 0)
    return !of_set && strcmp(folder, last_image.folder) == 0;
  for (size_t i = 0; folder[i] && folder[i] == last_image.folder[i]; i++)
    common = folder[i] == '/' ? i + 1 : common;
  if (strcspn(folder + common, "/") + 1 != strlen(folder + common) ||
      strcspn(last_image.folder + common, "/") + 1 != strlen(last_image.folder + common))
    return false;
  mpir_plain_add(&t, "../");
  mpir_plain_add(&t, last_image.folder + common);
  mpir_plain_add(&t, last_image.name);
  return true;
}

static bool base_exists(void) {
  char path[2 * CRS_PATH_MAX];
  struct plain_text t = PLAIN_TEXT(path);
  struct stat st;

  mpir_plain_add(&t, last_image.folder);
  mpir_plain_add(&t, last_image.name);
  return sys2(SYS_stat, path, &st) == 0;
}

static void sort_dirty(struct crs_dump *d) {
  unsigned kept = 0;

  for (unsigned i = 1; i < d->dirty_count; i++) { /* nearly sorted: what the second look found comes last, and is little */
    struct dump_range r = d->dirty[i];
    unsigned k = i;

    for (; k && d->dirty[k - 1].start > r.start; k--)
      d->dirty[k] = d->dirty[k - 1];
    d->dirty[k] = r;
  }
  for (unsigned i = 0; i < d->dirty_count; i++)
    if (kept && d->dirty[kept - 1].end >= d->dirty[i].start) {
      if (d->dirty[i].end > d->dirty[kept - 1].end)
        d->dirty[kept - 1].end = d->dirty[i].end;
    } else {
      d->dirty[kept++] = d->dirty[i];
    }
  d->dirty_count = kept;
}

void mpir_crs_track_begin(struct crs_dump *d, const char *path) {
  static char base[2 * CRS_PATH_MAX];
  const bool of_set = d->request->flags & CRS_MEMBER;
  char folder[CRS_PATH_MAX], name[CRS_PATH_MAX];
  int pagemap, rc = 0;
  uint64_t from, to;

  if (!(d->request->flags & CRS_INCREMENTAL) || !open_tracker())
    return;
  pagemap = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC, 0);
  split_path(mpir_crs_group_name(d->request, path), folder, name);
  d->incremental = track.valid && name_base(folder, of_set, base, sizeof(base)) && (of_set || strcmp(name, last_image.name) != 0) &&
                   base_exists() && track.depth < (d->request->whole_every ? d->request->whole_every : CRS_WHOLE_EVERY);
  for (unsigned i = 0; i < d->map_count && pagemap >= 0; i++) {
    if (!is_watchable(&d->maps[i]))
      continue;
    rc = scan_map(d, pagemap, &d->maps[i], SCAN_PROTECT | SCAN_CHECK);
    if (rc) { /* not watched until now */
      watch(&d->maps[i]);
      rc = add_dirty(d, d->maps[i].start, d->maps[i].end);
    }
    if (rc)
      d->incremental = false;
  }
  for (unsigned i = 0; i < d->map_count && pagemap >= 0; i++) /* what we have ourselves written since */
    if (is_watchable(&d->maps[i]) && scan_map(d, pagemap, &d->maps[i], 0))
      d->incremental = false;
  own_range(&from, &to);
  if (add_dirty(d, from, to) || pagemap < 0)
    d->incremental = false;
  sys1(SYS_close, pagemap);
  sort_dirty(d);
  track.valid = false; /* until the image is whole */
  if (d->incremental) {
    d->chain = (struct mpir_image_chain){.base_taken_at_ns = track.taken_at_ns,
                                         .base_sequence = track.sequence,
                                         .base_name = mpir_dump_string(d, base),
                                         .depth = track.depth + 1};
  }
}

void mpir_crs_track_end(const struct crs_dump *d, const char *path, bool whole) {
  if (!(d->request->flags & CRS_INCREMENTAL) || !whole)
    return;
  track.valid = track.fd >= 0;
  split_path(mpir_crs_group_name(d->request, path), last_image.folder, last_image.name);
  track.taken_at_ns = d->header.taken_at_ns;
  track.sequence = d->header.sequence;
  track.depth = d->incremental ? track.depth + 1 : 0;
  if (!d->incremental)
    track.wholes[track.whole_count++ % CRS_WHOLES] = d->header.sequence;
}

unsigned mpir_crs_track_needed(unsigned number) {
  uint64_t found = track.whole_count ? 0 : number;

  for (unsigned i = 0; i < CRS_WHOLES && i < track.whole_count; i++)
    if (track.wholes[i] <= number && track.wholes[i] > found)
      found = track.wholes[i];
  return (unsigned)found;
}

bool mpir_dump_is_dirty(const struct crs_dump *d, const struct mpir_image_map *map, uint64_t start, uint64_t *end) {
  unsigned low = 0, high = d->dirty_count;

  if (!d->incremental || !is_watchable(map))
    return true;
  while (low < high) { /* the first range that ends behind 'start' */
    unsigned middle = low + (high - low) / 2;

    if (d->dirty[middle].end <= start)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == d->dirty_count)
    return false;
  if (d->dirty[low].start > start) {
    if (d->dirty[low].start < *end)
      *end = d->dirty[low].start;
    return false;
  }
  if (d->dirty[low].end < *end)
    *end = d->dirty[low].end;
  return true;
}

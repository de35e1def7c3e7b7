#include "mpir/commands/client_objects.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "mpir/crs/socket_peer.h"

#define KCMP_FILE 0
#define PATH_SIZE 300

struct descriptor {
  uint64_t device, inode;
  mode_t mode;
  nlink_t links;
  int member, fd, access; /* O_RDONLY ... */
  bool shared;            /* stands in a share already */
};

struct mapping {
  uint64_t device, inode;
  int member;
};

struct search {
  struct mpir_set *set;
  const int *pids;
  struct descriptor *fds;
  struct mapping *maps;
  size_t fd_count, map_count;
  const struct crs_object *segment; /* memory that may be shared with others, or NULL */
  struct mpir_objects *o;
};

/* Room for one more of a table that grows by doubling.  Returns false for want of memory. */
static bool grow(void **table, size_t count, size_t element) {
  void *more = count & (count - 1) ? *table : realloc(*table, (count ? 2 * count : 1) * element);

  if (more)
    *table = more;
  return more != NULL;
}

static int access_of(int pid, int fd) {
  char path[PATH_SIZE], line[128];
  unsigned flags = 0;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
  f = fopen(path, "re");
  while (f && fgets(line, sizeof(line), f))
    if (sscanf(line, "flags: %o", &flags) == 1)
      break;
  if (f)
    fclose(f);
  return (int)flags & O_ACCMODE;
}

static int find_descriptors(struct search *s, int member) {
  char path[PATH_SIZE];
  struct dirent *d;
  DIR *dir;
  int rc = 0;

  snprintf(path, sizeof(path), "/proc/%d/fd", s->pids[member]);
  dir = opendir(path);
  if (!dir)
    return -errno;
  while (!rc && (d = readdir(dir))) {
    struct stat st;

    snprintf(path, sizeof(path), "/proc/%d/fd/%s", s->pids[member], d->d_name);
    if (*d->d_name == '.' || stat(path, &st))
      continue;
    if (!grow((void **)&s->fds, s->fd_count, sizeof(*s->fds))) {
      rc = -ENOMEM;
      break;
    }
    s->fds[s->fd_count++] = (struct descriptor){
        st.st_dev, st.st_ino, st.st_mode, st.st_nlink, member, atoi(d->d_name), access_of(s->pids[member], atoi(d->d_name)), false};
  }
  closedir(dir);
  return rc;
}

/* "start-end perms offset major:minor inode name": memory that is shared and has no name. */
static bool nameless(const char *line, struct mapping *m) {
  unsigned major, minor;
  char perms[8];
  unsigned long long inode;

  if (sscanf(line, "%*s %7s %*s %x:%x %llu", perms, &major, &minor, &inode) != 4 || perms[3] != 's' || !inode ||
      !strstr(line, " (deleted)"))
    return false;
  m->device = makedev(major, minor);
  m->inode = inode;
  return true;
}

static FILE *open_maps(int pid) {
  char path[PATH_SIZE];

  snprintf(path, sizeof(path), "/proc/%d/maps", pid);
  return fopen(path, "re");
}

static int find_mappings(struct search *s, int member) {
  FILE *f = open_maps(s->pids[member]);
  char line[4096];
  int rc = f ? 0 : -errno;

  while (f && !rc && fgets(line, sizeof(line), f)) {
    struct mapping m = {.member = member};

    if (!nameless(line, &m))
      continue;
    rc = grow((void **)&s->maps, s->map_count, sizeof(*s->maps)) ? 0 : -ENOMEM;
    if (!rc)
      s->maps[s->map_count++] = m;
  }
  if (f)
    fclose(f);
  return rc;
}

static int by_object(const void *a, const void *b) {
  const struct descriptor *x = a, *y = b;

  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  return x->member != y->member ? x->member - y->member : x->fd - y->fd;
}

static int add_object(struct mpir_objects *o, uint64_t device, uint64_t inode, uint32_t flags, int saver) {
  for (size_t i = 0; i < o->count; i++)
    if (o->all[i].device == device && o->all[i].inode == inode)
      return 0;
  if (o->count == CRS_OBJECTS_MAX)
    return -E2BIG;
  if (!grow((void **)&o->all, o->count, sizeof(*o->all)) || !grow((void **)&o->savers, o->count, sizeof(*o->savers)))
    return -ENOMEM;
  o->all[o->count] = (struct crs_object){device, inode, flags, 0};
  o->savers[o->count++] = saver;
  return 0;
}

static bool is_same_file(const struct search *s, const struct descriptor *a, const struct descriptor *b) {
  return syscall(SYS_kcmp, s->pids[a->member], s->pids[b->member], KCMP_FILE, a->fd, b->fd) == 0;
}

static int add_end(struct mpir_set *set, const struct descriptor *d) {
  if (!grow((void **)&set->ends, set->end_count, sizeof(*set->ends)) || set->end_count == MPIR_SET_ENDS_MAX)
    return -ENOMEM;
  set->ends[set->end_count++] = (struct mpir_set_end){d->member, d->fd};
  return 0;
}

/* Descriptors of several members that are one open file description. */
static int find_shares(struct search *s, struct descriptor *first, struct descriptor *end) {
  struct mpir_set *set = s->set;
  int rc = 0;

  for (struct descriptor *a = first; a < end && !rc; a++) {
    bool others = false;

    for (struct descriptor *b = a + 1; b < end && !a->shared; b++)
      others = others || (b->member != a->member && !b->shared && is_same_file(s, a, b));
    if (a->shared || !others)
      continue;
    if (!grow((void **)&set->shares, set->share_count, sizeof(*set->shares)))
      return -ENOMEM;
    set->shares[set->share_count] = (struct mpir_set_share){set->end_count, 0};
    for (struct descriptor *b = a; b < end && !rc; b++)
      if (b == a || (!b->shared && is_same_file(s, a, b))) {
        b->shared = true;
        rc = add_end(set, b);
      }
    set->shares[set->share_count].count = set->end_count - set->shares[set->share_count].first;
    set->share_count++;
  }
  return rc;
}

static bool has_socket(const struct search *s, uint64_t inode) {
  for (size_t i = 0; i < s->fd_count; i++)
    if (S_ISSOCK(s->fds[i].mode) && s->fds[i].inode == inode)
      return true;
  return false;
}

static bool is_connected_inside(const struct search *s, uint64_t inode) {
  static char space[16 << 20];
  struct socket_facts facts;

  if (mpir_socket_unix(inode, &facts) && mpir_socket_tcp(inode, space, sizeof(space), &facts))
    return false;
  return facts.peer && has_socket(s, facts.peer);
}

/* One pipe, socket or file that several members have open. */
static int settle_object(struct search *s, struct descriptor *first, struct descriptor *end) {
  bool reads = false, writes = false, standard = false, several = false;
  int saver = first->member;

  for (struct descriptor *d = first; d < end; d++) {
    if (d->access != O_WRONLY && !reads)
      saver = d->member;
    reads = reads || d->access != O_WRONLY;
    writes = writes || d->access != O_RDONLY;
    standard = standard || d->fd <= 2;
    several = several || d->member != first->member;
  }
  if (S_ISSOCK(first->mode) && is_connected_inside(s, first->inode))
    return add_object(s->o, 0, first->inode, CRS_OBJECT_INSIDE, first->member);
  if (!several)
    return 0;
  if (S_ISFIFO(first->mode) && reads && writes)
    return add_object(s->o, first->device, first->inode, CRS_OBJECT_INSIDE, saver);
  if (S_ISREG(first->mode) && !first->links)
    return add_object(s->o, first->device, first->inode, CRS_OBJECT_INSIDE, first->member);
  if (S_ISSOCK(first->mode))
    return add_object(s->o, 0, first->inode, standard ? CRS_OBJECT_STANDARD : CRS_OBJECT_COMMON, first->member);
  if (standard && (S_ISFIFO(first->mode) || S_ISCHR(first->mode)))
    return add_object(s->o, first->device, first->inode, CRS_OBJECT_STANDARD, saver); /* unless nobody has its other end */
  return 0;
}

static int settle_descriptors(struct search *s) {
  int rc = 0;

  if (s->fd_count)
    qsort(s->fds, s->fd_count, sizeof(*s->fds), by_object);
  for (size_t i = 0, next; i < s->fd_count && !rc; i = next) {
    for (next = i + 1; next < s->fd_count && s->fds[next].device == s->fds[i].device && s->fds[next].inode == s->fds[i].inode;)
      next++;
    rc = find_shares(s, s->fds + i, s->fds + next);
    if (!rc)
      rc = settle_object(s, s->fds + i, s->fds + next);
  }
  return rc;
}

static bool is_segment(const struct search *s, const struct mapping *m) {
  return s->segment && m->inode == s->segment->inode && m->device == s->segment->device;
}

static int settle_mappings(struct search *s) {
  int rc = 0;

  for (size_t i = 0; i < s->map_count && !rc; i++)
    if (is_segment(s, &s->maps[i]))
      rc = add_object(s->o, s->maps[i].device, s->maps[i].inode, CRS_OBJECT_INSIDE, s->maps[i].member);
  for (size_t i = 0; i < s->map_count && !rc; i++)
    for (size_t k = i + 1; k < s->map_count; k++)
      if (s->maps[k].inode == s->maps[i].inode && s->maps[k].device == s->maps[i].device && s->maps[k].member != s->maps[i].member) {
        rc = add_object(s->o, s->maps[i].device, s->maps[i].inode, CRS_OBJECT_INSIDE, s->maps[i].member);
        break;
      }
  return rc;
}

static bool is_member(const struct search *s, int pid) {
  for (size_t i = 0; i < s->set->member_count; i++)
    if (s->pids[i] == pid)
      return true;
  return false;
}

static int check_outsider(const struct search *s, int pid, struct dvm_error *err) {
  FILE *f = open_maps(pid);
  char line[4096];
  struct mapping m;
  int rc = 0;

  while (f && !rc && fgets(line, sizeof(line), f)) {
    if (!nameless(line, &m) || is_segment(s, &m))
      continue;
    for (size_t i = 0; i < s->map_count && !rc; i++)
      if (s->maps[i].inode == m.inode && s->maps[i].device == m.device)
        rc = dvm_error_set(err, -EOPNOTSUPP, "memory of process %d is shared with process %d, which is not being saved",
                           s->pids[s->maps[i].member], pid);
  }
  if (f)
    fclose(f);
  return rc;
}

static int check_outside(const struct search *s, struct dvm_error *err) {
  DIR *dir = s->map_count ? opendir("/proc") : NULL;
  struct dirent *d;
  int rc = 0;

  while (dir && !rc && (d = readdir(dir)))
    if (atoi(d->d_name) > 0 && !is_member(s, atoi(d->d_name)))
      rc = check_outsider(s, atoi(d->d_name), err);
  if (dir)
    closedir(dir);
  return rc;
}

int mpir_objects_find(struct mpir_objects *o, struct mpir_set *set, const int *pids, const struct crs_object *segment, bool ignore,
                      struct dvm_error *err) {
  struct search s = {.set = set, .pids = pids, .segment = segment, .o = o};
  int rc = 0;

  for (size_t i = 0; i < set->member_count && !rc; i++) {
    if (set->members[i].ended)
      continue;
    rc = find_descriptors(&s, (int)i);
    if (!rc)
      rc = find_mappings(&s, (int)i);
    if (rc)
      dvm_error_set(err, rc, "cannot look at process %d: %s", pids[i], strerror(-rc));
  }
  if (!rc && !ignore)
    rc = check_outside(&s, err);
  if (!rc && ((rc = settle_descriptors(&s)) || (rc = settle_mappings(&s))))
    dvm_error_set(err, rc, "too much is shared by the processes: %s", strerror(-rc));
  free(s.fds);
  free(s.maps);
  if (rc)
    mpir_objects_free(o);
  return rc;
}

const struct crs_object *mpir_objects_of(const struct mpir_objects *o, size_t member) {
  for (size_t i = 0; i < o->count; i++)
    o->all[i].flags = (o->all[i].flags & ~(uint32_t)CRS_OBJECT_MINE) | (o->savers[i] == (int)member ? CRS_OBJECT_MINE : 0u);
  return o->all;
}

void mpir_objects_free(struct mpir_objects *o) {
  free(o->all);
  free(o->savers);
  memset(o, 0, sizeof(*o));
}

/* Saving several processes together: all are stopped before the first is copied, and none goes on before the last is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/process.h"
#include "mpir/commands/client.h"
#include "mpir/commands/client_objects.h"
#include "mpir/commands/client_wake.h"
#include "mpir/crs/crs_fault.h"
#include "mpir/commands/client_set_private.h"

#define CONNECT_LIMIT_MS 10000
#define CONNECT_HOPE_MS 500      /* for a process in which the library is not, or not yet, to be seen */
#define CONNECT_PAUSE_NS 2000000
#define ROUNDS_MAX 64

const char *mpir_gather_label(const struct mpir_gathering *g, pid_t pid) {
  static char text[64];
  const struct mpir_gather_job *job = g->job;

  snprintf(text, sizeof(text), "process %d", pid);
  for (uint32_t i = 0; job && i < job->nranks; i++)
    if (job->pids[i] == pid)
      snprintf(text, sizeof(text), "rank %u (process %d)", i, pid);
  return text;
}

/* With all its threads: while one of them is still on its way out, the descriptors of all are open. */
static bool has_ended(pid_t pid) {
  const char state = dvm_process_state(pid);

  return !state || state == 'X' || (state == 'Z' && dvm_process_stat(pid, DVM_STAT_THREADS) <= 1);
}

/* Stops the process.  Returns its connection, -ESRCH if it has ended meanwhile, or another -E... with the text set. */
static int stop(struct mpir_gathering *g, pid_t pid, struct crs_reply *reply) {
  const int64_t until = dvm_clock_ms() + CONNECT_LIMIT_MS, unlikely = dvm_clock_ms() + CONNECT_HOPE_MS;
  char name[32], state;
  int fd = -1;

  for (;;) { /* a process that begins another program drops the connection, and takes it up again */
    struct dvm_error err = DVM_ERROR_INIT;

    fd = mpir_client_connect(pid, true, &err);
    const bool sent = fd >= 0 && send(fd, &g->request, sizeof(g->request), MSG_NOSIGNAL) == (ssize_t)sizeof(g->request);
    const int held = sent ? mpir_client_await(pid, fd, g->request.stop_timeout_ms, g->err) : 0;

    if (sent && !held && !mpir_client_receive(fd, reply))
      break;
    if (fd >= 0)
      close(fd);
    if (held)
      return held;
    state = dvm_process_state(pid);
    if (has_ended(pid))
      return -ESRCH;
    if (state == 'T')
      return dvm_error_set(g->err, -EBUSY, "%s%s%s", g->job ? mpir_gather_label(g, pid) : "", g->job ? ": " : "", err.text);
    if (dvm_clock_ms() > until || (dvm_clock_ms() > unlikely && !mpir_client_holds_library(pid))) {
      dvm_process_name(pid, name, sizeof(name));
      return dvm_error_set(g->err, -EOPNOTSUPP, "%s '%s' is not checkpointable: it does not contain the checkpointer",
                           mpir_gather_label(g, pid), name);
    }
    if (dvm_clock_ms() > unlikely) /* it may have closed the socket */
      mpir_client_wake(pid);
    nanosleep(&(struct timespec){0, CONNECT_PAUSE_NS}, NULL);
  }
  if (reply->version == CRS_PROTOCOL_VERSION && !reply->code && reply->phase == CRS_STOPPED)
    return fd;
  close(fd);
  dvm_process_name(pid, name, sizeof(name));
  reply->text[strcspn(reply->text, "\n")] = '\0';
  return dvm_error_set(g->err, reply->code ? reply->code : -EPROTO, "%s '%s': %s", mpir_gather_label(g, pid), name,
                       reply->text[0] ? reply->text : strerror(reply->code ? -reply->code : EPROTO));
}

struct family {
  struct mpir_gathering *g;
  int parent;
};

static int add_child(void *arg, pid_t pid) {
  const struct family *f = arg;

  return mpir_gather_add(f->g, pid, f->parent);
}

static int add_children(struct mpir_gathering *g, int parent) {
  return mpir_client_each_child(g->pids[parent], add_child, &(struct family){g, parent});
}

static bool is_known(const struct mpir_gathering *g, pid_t pid) {
  for (size_t i = 0; i < g->set->member_count; i++)
    if (g->pids[i] == pid)
      return true;
  return false;
}

static void name_image(const struct mpir_gathering *g, pid_t pid, struct mpir_set_member *m) {
  snprintf(m->image, sizeof(m->image), "%d.ckpt", m->pid);
  for (uint32_t i = 0; g->job && i < g->job->nranks; i++)
    if (g->job->pids[i] == pid)
      snprintf(m->image, sizeof(m->image), "rank-%u.ckpt", i);
}

/* Stops a process and its descendants.  This command itself, where it is among them, has ended well when the set is restarted. */
int mpir_gather_add(struct mpir_gathering *g, pid_t pid, int parent) {
  static struct crs_reply reply;
  const int inner = (int)dvm_process_last(pid, "NSpid:", -ESRCH);
  struct mpir_set_member *m = &g->set->members[g->set->member_count];
  struct crs_forward forwards[CRS_FORWARDS_MAX];
  uint32_t forward_count;
  int fd = -1, index = (int)g->set->member_count, rc;

  if (inner < 0 || is_known(g, pid))
    return 0;
  if (g->set->member_count == MPIR_SET_MEMBERS_MAX)
    return dvm_error_set(g->err, -E2BIG, "there are more than %d processes", MPIR_SET_MEMBERS_MAX);
  if (!has_ended(pid) && pid != getpid()) {
    fd = stop(g, pid, &reply);
    if (fd < 0 && fd != -ESRCH)
      return fd;
  }
  if (fd < 0 && parent < 0)
    return 0;
  *m = (struct mpir_set_member){.pid = inner,
                                .ppid = parent < 0 ? 0 : g->set->members[parent].pid,
                                .ended = fd < 0,
                                .pgid = (int)dvm_process_last(pid, "NSpgid:", -ESRCH),
                                .sid = (int)dvm_process_last(pid, "NSsid:", -ESRCH)};
  if (m->pgid < 0 || m->sid < 0) /* it was not to be waited for, and is gone */
    return 0;
  if (fd < 0 && pid != getpid())
    m->status = (int)dvm_process_stat(pid, DVM_STAT_EXIT_CODE);
  name_image(g, pid, m);
  g->pids[index] = pid;
  g->connections[index] = fd;
  g->set->member_count++;
  if (fd < 0)
    return 0;
  if (!g->path[0])
    memcpy(g->path, reply.path, sizeof(g->path));
  g->stop_ns = reply.stop_ns > g->stop_ns ? reply.stop_ns : g->stop_ns;
  g->threads += reply.threads;
  memcpy(forwards, reply.forwards, sizeof(forwards)); /* the next reply comes to the same place */
  forward_count = reply.forward_count < CRS_FORWARDS_MAX ? reply.forward_count : CRS_FORWARDS_MAX;
  rc = add_children(g, index);
  return rc ? rc : mpir_gather_forwarded(g, pid, forwards, forward_count);
}

int mpir_gather_add_all(struct mpir_gathering *g, int number, const char *label) {
  size_t before = 1;
  int rc = 0;

  for (int round = 0; round < ROUNDS_MAX && !rc && before != g->set->member_count; round++) {
    DIR *dir = opendir("/proc");
    struct dirent *d;

    before = round ? g->set->member_count : 0;
    while (dir && !rc && (d = readdir(dir))) {
      const int pid = atoi(d->d_name);
      char line[64];

      snprintf(line, sizeof(line), "%s:", label);
      if (pid > 0 && pid != getpid() && !is_known(g, pid) && dvm_process_last(pid, line, -ESRCH) == number)
        rc = mpir_gather_add(g, pid, -1);
    }
    if (dir)
      closedir(dir);
    if (before == g->set->member_count)
      break;
    before = 0;
  }
  return rc;
}

/* A member found before its parent was: put the tree right. */
static void find_parents(struct mpir_gathering *g) {
  for (size_t i = 0; i < g->set->member_count; i++) {
    const int parent = (int)dvm_process_stat(g->pids[i], DVM_STAT_PARENT);

    for (size_t k = 0; k < g->set->member_count && !g->set->members[i].ppid; k++)
      if (g->pids[k] == parent && k != i)
        g->set->members[i].ppid = g->set->members[k].pid;
  }
}

static void swap_members(struct mpir_gathering *g, size_t a, size_t b) {
  struct mpir_set_member m = g->set->members[a];
  int pid = g->pids[a], connection = g->connections[a];

  g->set->members[a] = g->set->members[b];
  g->pids[a] = g->pids[b];
  g->connections[a] = g->connections[b];
  g->set->members[b] = m;
  g->pids[b] = pid;
  g->connections[b] = connection;
}

/* Parents before children: those whose parent stands already come next. */
static void sort_members(struct mpir_gathering *g) {
  const size_t count = g->set->member_count;

  for (size_t at = 0; at < count; at++)
    for (size_t i = at; i < count; i++) {
      const int ppid = g->set->members[i].ppid, parent = ppid ? mpir_set_find(g->set, ppid) : -1;

      if (parent < (int)at) {
        for (size_t k = i; k > at; k--)
          swap_members(g, k, k - 1);
        break;
      }
    }
}

/* The first process of those with which it is restarted. */
static size_t root_of(const struct mpir_gathering *g, size_t member) {
  const struct mpir_set *set = g->set;
  if (!g->job || !g->job->singly)
    return 0;
  for (int parent; set->members[member].ppid && (parent = mpir_set_find(set, set->members[member].ppid)) >= 0;)
    member = (size_t)parent;
  return member;
}

/* Ranks may have come from several hosts, or be in namespaces of their own. */
static int check_numbers(const struct mpir_gathering *g) {
  const struct mpir_set *set = g->set;
  for (size_t i = 0; i < set->member_count; i++)
    if (mpir_set_find(set, set->members[i].pid) != (int)i)
      return dvm_error_set(g->err, -EOPNOTSUPP, "two processes have the number %d, one of them in a namespace of its own",
                           set->members[i].pid);
  return 0;
}

/* Groups and sessions whose leader is outside are those of the restarting command; where the leader has ended, the number could
 * not be given again. */
static int settle_groups(struct mpir_gathering *g) {
  struct mpir_set *set = g->set;
  const int wrong = check_numbers(g);

  for (size_t i = 0; i < set->member_count && !wrong; i++) {
    struct mpir_set_member *m = &set->members[i];
    const struct mpir_set_member *root = &set->members[root_of(g, i)];
    const int sid = mpir_set_find(set, m->sid), pgid = mpir_set_find(set, m->pgid), root_sid = root->sid, root_pgid = root->pgid;

    if (sid < 0 && m->sid != root_sid)
      return dvm_error_set(g->err, -EOPNOTSUPP,
                           "process %d is in session %d, which is not that of process %d, and whose leader is not "
                           "to be saved",
                           m->pid, m->sid, root->pid);
    if (sid >= 0 && set->members[sid].ended && sid != (int)i)
      return dvm_error_set(g->err, -EOPNOTSUPP, "process %d is in session %d, whose leader has ended", m->pid, m->sid);
    if (pgid < 0 && (m->pgid != root_pgid || m->sid != root_sid || sid >= 0))
      return dvm_error_set(g->err, -EOPNOTSUPP, "process %d is in process group %d, whose leader has ended or is not to be saved", m->pid,
                           m->pgid);
  }
  for (size_t i = 0; i < set->member_count && !wrong; i++) {
    struct mpir_set_member *m = &set->members[i];

    m->sid = mpir_set_find(set, m->sid) < 0 ? 0 : m->sid;
    m->pgid = mpir_set_find(set, m->pgid) < 0 ? 0 : m->pgid;
  }
  return wrong;
}

static void find_foreground(struct mpir_gathering *g) {
  const long group = dvm_process_stat(g->pids[0], DVM_STAT_FOREGROUND); /* tpgid; -1 without a terminal */

  for (size_t i = 0; i < g->set->member_count; i++)
    if (group > 0 && g->pids[i] == group && g->set->members[i].pgid == g->set->members[i].pid)
      g->set->foreground = g->set->members[i].pid;
}

static int send_order(int fd, const char *path, const char *name, const struct crs_object *objects, size_t count) {
  static struct crs_order order;
  const char *p = (const char *)objects;
  size_t left = count * sizeof(*objects);

  order.version = CRS_PROTOCOL_VERSION;
  order.count = (uint32_t)count;
  snprintf(order.path, sizeof(order.path), "%s", path);
  snprintf(order.name, sizeof(order.name), "%s", name);
  if (send(fd, &order, sizeof(order), MSG_NOSIGNAL) != (ssize_t)sizeof(order))
    return -EIO;
  while (left) {
    ssize_t n = send(fd, p, left, MSG_NOSIGNAL);

    if (n <= 0)
      return -EIO;
    p += n;
    left -= (size_t)n;
  }
  return 0;
}

/* The next answer of a member: of that phase, or why there is none. */
static int await(struct mpir_gathering *g, size_t index, enum crs_phase phase, struct crs_reply *reply) {
  const char *who = mpir_gather_label(g, g->pids[index]);

  reply->code = 0;
  if (mpir_client_receive(g->connections[index], reply))
    return dvm_error_set(g->err, -EIO, "%s ended before it was saved", who);
  if (!reply->code && reply->phase == phase)
    return 0;
  reply->text[strcspn(reply->text, "\n") == strlen(reply->text) ? strlen(reply->text) : strlen(reply->text) - 1] = '\0';
  return dvm_error_set(g->err, reply->code ? reply->code : -EPROTO, "%s: %s", who,
                       reply->text[0] ? reply->text : strerror(reply->code ? -reply->code : EPROTO));
}

static void add_notices(struct mpir_gathering *g, size_t index, const char *text) {
  size_t len = strlen(g->notices);

  for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
    if (len + 1 < sizeof(g->notices))
      len += (size_t)snprintf(g->notices + len, sizeof(g->notices) - len, "%s: %.*s\n", mpir_gather_label(g, g->pids[index]),
                              (int)strcspn(text, "\n"), text);
}

static int save_members(struct mpir_gathering *g, const char *folder, const struct mpir_objects *objects) {
  static struct crs_reply reply;
  char path[PATH_MAX + MPIR_SET_NAME_MAX], name[PATH_MAX + MPIR_SET_NAME_MAX];
  int rc = 0;

  snprintf(g->folder, sizeof(g->folder), "%s", folder);
  for (size_t i = 0; i < g->set->member_count && !rc; i++) {
    if (g->connections[i] < 0)
      continue;
    snprintf(path, sizeof(path), "%s/%s", folder, g->set->members[i].image);
    snprintf(name, sizeof(name), "%s%s%s", g->job ? "" : g->path, g->job ? "" : "/",
             g->job ? "" : g->set->members[i].image); /* jobs: whole */
    rc = send_order(g->connections[i], path, name, mpir_objects_of(objects, i), objects->count);
    if (rc)
      dvm_error_set(g->err, rc, "%s ended before it was saved", mpir_gather_label(g, g->pids[i]));
  }
  for (size_t i = 0; i < g->set->member_count && !rc; i++) {
    rc = g->connections[i] < 0 ? 0 : await(g, i, CRS_COPIED, &reply);
    if (!rc && g->connections[i] >= 0)
      add_notices(g, i, reply.text);
  }
  return rc;
}

/* A member that goes on may end before its image is whole.  Who writes that has the connection too: when it is closed, there is an image, or will be
 * none. */
static int await_whole(struct mpir_gathering *g, size_t index, struct crs_reply *reply) {
  char path[PATH_MAX + MPIR_SET_NAME_MAX];
  struct dvm_error *err = g->err, ignored = DVM_ERROR_INIT;
  struct stat st;
  int rc;

  g->err = &ignored;
  rc = await(g, index, CRS_DONE, reply);
  g->err = err;
  if (!rc)
    return 0;
  snprintf(path, sizeof(path), "%s/%s", g->folder, g->set->members[index].image);
  if (rc != -EIO || reply->code || stat(path, &st)) {
    *err = ignored;
    return rc;
  }
  memset(reply, 0, sizeof(*reply));
  reply->image_size = reply->data_size = (uint64_t)st.st_size;
  return 0;
}

int mpir_gather_finish(struct mpir_gathering *g, struct crs_reply *sum) {
  static struct crs_reply reply;
  int rc = 0;

  for (size_t i = 0; i < g->set->member_count; i++)
    if (g->connections[i] >= 0 && send(g->connections[i], "G", 1, MSG_NOSIGNAL) != 1)
      rc = dvm_error_set(g->err, -EIO, "%s ended before its image was complete", mpir_gather_label(g, g->pids[i]));
  for (size_t i = 0; i < g->set->member_count && !rc; i++) {
    if (g->connections[i] < 0)
      continue;
    rc = await_whole(g, i, &reply);
    sum->image_size += reply.image_size;
    sum->data_size += reply.data_size;
    sum->held_ns = reply.held_ns > sum->held_ns ? reply.held_ns : sum->held_ns;
    sum->total_ns = reply.total_ns > sum->total_ns ? reply.total_ns : sum->total_ns;
  }
  return rc;
}

/* With a signal that ends them nothing may run on: the members are whole before they go on, and are never let go. */
static bool is_end(const struct crs_request *request) { return request->signal == SIGKILL; }

int mpir_gather_place(const char *temporary, const char *path, struct dvm_error *err) {
  struct stat st;

  if (lstat(path, &st)) {
    if (rename(temporary, path))
      return dvm_error_errno(err, "cannot rename '%s'", temporary);
    return 0;
  }
  if (!S_ISREG(st.st_mode) && !mpir_set_is(path))
    return dvm_error_set(err, -EINVAL, "'%s' is neither an image nor a set, and would be replaced by one", path);
  if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE))
    return dvm_error_errno(err, "cannot rename '%s'", temporary);
  if (S_ISREG(st.st_mode))
    unlink(temporary);
  else
    mpir_set_remove(temporary);
  return 0;
}

int mpir_gather_copy(struct mpir_gathering *g, const char *folder, bool ignore_files) {
  struct mpir_objects objects = {0};
  int rc = settle_groups(g);

  if (!rc)
    rc = mpir_objects_find(&objects, g->set, g->pids, g->job ? &g->job->segment : NULL, ignore_files, g->err);
  if (rc)
    return rc;
  for (size_t i = 0; g->job && g->job->apart && i < objects.count; i++)
    if (objects.all[i].inode == g->job->segment.inode && objects.all[i].device == g->job->segment.device)
      objects.savers[i] = -1;
  rc = save_members(g, folder, &objects);
  mpir_objects_free(&objects);
  return rc;
}

void mpir_gather_sum(const struct mpir_gathering *g, struct crs_reply *reply) {
  memcpy(reply->text, g->notices, sizeof(reply->text));
  reply->threads = (uint32_t)(g->threads - (g->set ? g->set->member_count : 0) + 1);
  reply->stop_ns = g->stop_ns;
  memcpy(reply->path, g->path, sizeof(reply->path));
}

int mpir_gather_save(struct mpir_gathering *g, struct crs_request *request, struct crs_reply *reply) {
  char temporary[CRS_PATH_MAX + 32];
  struct mpir_objects objects = {0};
  int rc = settle_groups(g), folder;
  const struct mpir_gather_job *job = g->job;

  snprintf(temporary, sizeof(temporary), "%s.tmp%d", g->path, (int)getpid());
  if (!rc && job)
    rc = job->stands(g);
  mpir_crs_fault("job-stands");
  if (!rc)
    rc = mpir_objects_find(&objects, g->set, g->pids, job ? &job->segment : NULL, request->flags & CRS_IGNORE_FILES, g->err);
  if (rc)
    return rc;
  if (mkdir(temporary, 0700))
    return dvm_error_errno(g->err, "cannot create the folder '%s'", temporary);
  find_foreground(g);
  rc = save_members(g, temporary, &objects);
  mpir_crs_fault("job-copied");
  if (!rc && !is_end(request))
    rc = mpir_gather_finish(g, reply);
  if (!rc)
    rc = mpir_set_write(g->set, temporary, g->err);
  if (!rc && job)
    rc = job->seal(g, temporary);
  mpir_crs_fault("job-sealed");
  folder = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  if (!rc)
    rc = mpir_gather_place(temporary, g->path, g->err);
  if (rc)
    mpir_set_remove(temporary);
  else if (job && is_end(request))
    rc = job->ends(g);
  for (size_t i = 0; i < g->set->member_count && !rc && request->signal; i++)
    if (g->connections[i] >= 0)
      kill(g->pids[i], request->signal);
  mpir_objects_free(&objects);
  return rc;
}

/* The set that holds what the one at 'path' holds changes of: its path goes to 'base'.  False where it is whole, or cannot be read. */
static bool base_of(const char *path, char *base, size_t size) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct mpir_set *set = mpir_set_read(path, &ignored);
  const char *slash = strrchr(path, '/');
  char file[CRS_PATH_MAX + MPIR_SET_NAME_MAX + 64];
  bool found = false;

  for (size_t i = 0; set && i < set->member_count && !found; i++) {
    struct mpir_image *image;
    const char *name;

    snprintf(file, sizeof(file), "%s/%s", path, set->members[i].image);
    image = set->members[i].ended ? NULL : mpir_image_open(file, &ignored);
    name = image && image->chain ? mpir_image_string(image, image->chain->base_name) : "";
    if ((found = strncmp(name, "../", 3) == 0))
      snprintf(base, size, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)strcspn(name + 3, "/"), name + 3);
    mpir_image_close(image);
  }
  mpir_set_free(set);
  return found;
}

/* The number of the oldest set that the one at 'path', number 'number', needs. */
static long oldest_needed(const char *path, long number) {
  char at[CRS_PATH_MAX + 32], base[CRS_PATH_MAX + 32];

  snprintf(at, sizeof(at), "%s", path);
  while (base_of(at, base, sizeof(base))) {
    const char *dash = strrchr(base, '-');
    const long before = dash ? strtol(dash + 1, NULL, 10) : 0;

    if (before <= 0 || before >= number)
      break;
    number = before;
    memcpy(at, base, sizeof(at));
  }
  return number;
}

void mpir_gather_retain(const char *path, unsigned keep) {
  const char *dash = strrchr(path, '-');
  long number = dash ? strtol(dash + 1, NULL, 10) : 0;
  char old[CRS_PATH_MAX + 32];

  if (!keep || number <= (long)keep)
    return;
  number -= (long)keep - 1;
  snprintf(old, sizeof(old), "%.*s%ld.ckpt", (int)(dash + 1 - path), path, number);
  for (number = oldest_needed(old, number) - 1; number > 0; number--) {
    snprintf(old, sizeof(old), "%.*s%ld.ckpt", (int)(dash + 1 - path), path, number);
    if (mpir_set_is(old))
      mpir_set_remove(old);
    else if (unlink(old))
      return;
  }
}

void mpir_gather_order(struct mpir_gathering *g) {
  find_parents(g);
  sort_members(g);
}

int mpir_gather_begin(struct mpir_gathering *g, const struct crs_request *request, struct dvm_error *err) {
  *g = (struct mpir_gathering){.set = calloc(1, sizeof(*g->set)),
                               .pids = calloc(MPIR_SET_MEMBERS_MAX, sizeof(int)),
                               .connections = calloc(MPIR_SET_MEMBERS_MAX, sizeof(int)),
                               .err = err,
                               .request = *request};
  if (g->set)
    g->set->members = calloc(MPIR_SET_MEMBERS_MAX, sizeof(*g->set->members));
  if (!g->set || !g->set->members || !g->pids || !g->connections)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  g->request.version = CRS_PROTOCOL_VERSION;
  g->request.flags |= CRS_MEMBER | (is_end(request) ? CRS_NO_FORK : 0u);
  g->request.signal = 0;
  return 0;
}

void mpir_gather_end(struct mpir_gathering *g, struct crs_reply *reply) {
  for (size_t i = 0; g->set && i < g->set->member_count; i++)
    if (g->connections[i] >= 0)
      close(g->connections[i]);
  mpir_gather_sum(g, reply);
  mpir_set_free(g->set);
  free(g->pids);
  free(g->connections);
}

static int gather(struct mpir_gathering *g, pid_t pid, enum mpir_scope scope) {
  int rc =
      scope == MPIR_SCOPE_TREE ? mpir_gather_add(g, pid, -1) : mpir_gather_add_all(g, pid, scope == MPIR_SCOPE_GROUP ? "NSpgid" : "NSsid");

  if (!rc && !g->set->member_count)
    rc = dvm_error_set(g->err, -ESRCH,
                       scope == MPIR_SCOPE_TREE    ? "there is no process %d"
                       : scope == MPIR_SCOPE_GROUP ? "there is no process group %d"
                                                   : "there is no session %d",
                       pid);
  if (!rc)
    mpir_gather_order(g);
  return rc;
}

static int save_set(pid_t pid, enum mpir_scope scope, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err) {
  struct mpir_gathering g;
  int rc = mpir_gather_begin(&g, request, err);

  memset(reply, 0, sizeof(*reply));
  if (!rc)
    rc = gather(&g, pid, scope);
  if (!rc)
    rc = mpir_gather_save(&g, request, reply);
  if (rc)
    dvm_error_wrap(err,
                   scope == MPIR_SCOPE_TREE    ? "no checkpoint of process %d and its children"
                   : scope == MPIR_SCOPE_GROUP ? "no checkpoint of process group %d"
                                               : "no checkpoint of session %d",
                   pid);
  else if (!request->path[0] || request->path[strlen(request->path) - 1] == '/')
    mpir_gather_retain(g.path, request->keep);
  mpir_gather_end(&g, reply);
  return rc;
}

int mpir_client_set(pid_t pid, enum mpir_scope scope, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err) {
  int tries = CRS_TRIES, rc;

  do {
    *err = (struct dvm_error)DVM_ERROR_INIT;
    rc = save_set(pid, scope, request, reply, err);
  } while (rc == CRS_CAME_BACK && --tries > 0);
  return rc;
}

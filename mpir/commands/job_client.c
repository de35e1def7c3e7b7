#include "mpir/commands/job_client.h"
#include "base/process.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "mpir/commands/client_set_private.h"
#include "mpir/commands/job_client_private.h"
#include "mpir/image/image.h"

enum { ANCESTORS = 8, BEGIN_US = 50000, BEGIN_TRIES = 600 };

socklen_t mpir_job_address(struct sockaddr_un *address, pid_t pid, const char *name) {
  struct stat st = {0};
  char *to = address->sun_path + 1;
  const size_t size = sizeof(address->sun_path) - 1;
  int n;

  memset(address, 0, sizeof(*address));
  address->sun_family = AF_UNIX;
  stat("/proc/self/ns/pid", &st);
  n = name ? snprintf(to, size, JOB_SOCKET_BY_NAME, (unsigned long)st.st_ino, geteuid(), name)
           : snprintf(to, size, JOB_SOCKET_BY_PID, (unsigned long)st.st_ino, pid);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int ask(int fd, uint32_t what, void *to, size_t size) {
  if (send(fd, &what, sizeof(what), MSG_NOSIGNAL) != (ssize_t)sizeof(what))
    return -EIO;
  return recv(fd, to, size, 0) == (ssize_t)size ? 0 : -EIO;
}

/* -ENOENT: nobody listens there. */
static int connect_to(pid_t pid, const char *name, struct job_answer *answer) {
  struct sockaddr_un address;
  const socklen_t size = mpir_job_address(&address, pid, name);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return -errno;
  if (!connect(fd, (struct sockaddr *)&address, size) && !ask(fd, JOB_ASK, answer, sizeof(*answer)))
    return fd;
  close(fd);
  return -ENOENT;
}

static pid_t parent_of(pid_t pid) { return (pid_t)dvm_process_stat(pid, DVM_STAT_PARENT); }

static bool has_rank(const struct job_answer *answer, pid_t pid) {
  for (uint32_t i = 0; i < answer->nranks; i++)
    if (answer->pids[i] == pid)
      return true;
  return false;
}

/* The job that a rank belongs to: its controller is above it, perhaps with the first process of a namespace between them. */
static int connect_above(pid_t rank, struct job_answer *answer) {
  pid_t pid = rank;

  for (int i = 0; i < ANCESTORS && (pid = parent_of(pid)) > 1; i++) {
    int fd = connect_to(pid, NULL, answer);

    if (fd >= 0 && has_rank(answer, rank))
      return fd;
    if (fd >= 0)
      close(fd);
  }
  return -ENOENT;
}

int mpir_job_connect(const char *word, struct job_answer *answer, struct dvm_error *err) {
  const bool is_number = word[strspn(word, "0123456789")] == '\0' && *word;
  int fd = is_number ? connect_to(atoi(word), NULL, answer) : mpir_job_name_ok(word) ? connect_to(0, word, answer) : -ENOENT;

  if (fd == -ENOENT && is_number)
    fd = connect_above(atoi(word), answer);
  if (fd < 0)
    return fd;
  if (answer->version != JOB_PROTOCOL_VERSION || answer->nranks > MPIR_JOB_RANKS_MAX) {
    close(fd);
    return dvm_error_set(err, -EPROTO, "the job speaks version %u of the protocol, but this program speaks version %d", answer->version,
                         JOB_PROTOCOL_VERSION);
  }
  return fd;
}

/* --- saving --- */

struct saving {
  const struct crs_request *request;
  int connection;
  struct job_answer answer;
  uint8_t wanted[MPIR_JOB_RANKS_MAX];
  enum mpir_codec codec;
};

/* "0,2-3" */
static int choose(struct saving *s, const char *ranks, struct dvm_error *err) {
  for (uint32_t i = 0; i < s->answer.nranks; i++)
    s->wanted[i] = !ranks;
  while (ranks && *ranks) {
    unsigned low, high;
    int n = 0;

    if (sscanf(ranks, "%u%n", &low, &n) != 1)
      break;
    ranks += n;
    high = low;
    if (*ranks == '-' && sscanf(ranks, "-%u%n", &high, &n) == 1)
      ranks += n;
    if (high < low || high >= s->answer.nranks)
      return dvm_error_set(err, -EINVAL, "the job has ranks 0 to %u, but '--ranks' asks for %u", s->answer.nranks - 1, high);
    for (; low <= high; low++)
      s->wanted[low] = true;
    if (*ranks == ',' && ranks[1])
      ranks++;
    else
      break;
  }
  return ranks && *ranks ? dvm_error_set(err, -EINVAL, "'--ranks' takes numbers and ranges separated by commas, not '%s'", ranks) : 0;
}

static int check_ready(const struct saving *s, struct dvm_error *err) {
  unsigned count = 0;

  for (uint32_t i = 0; i < s->answer.nranks; i++) {
    if (!s->wanted[i] || !s->answer.pids[i])
      continue;
    if (!s->answer.nnodes && !s->answer.ready[i]) /* on hosts what is told of ranks may be old: their own host looks at them */
      return dvm_error_set(err, -EAGAIN, "rank %u (process %d) has not called MPI_Init yet", i, s->answer.pids[i]);
    count++;
  }
  return count ? 0 : dvm_error_set(err, -ESRCH, "all ranks to be saved have ended");
}

static int tell(const struct mpir_gathering *g, uint32_t what) {
  struct saving *s = g->job->arg;
  char done;

  return ask(s->connection, what, &done, 1) ? dvm_error_set(g->err, -EIO, "the job has ended") : 0;
}

static int on_stands(struct mpir_gathering *g) { return tell(g, JOB_STANDS); }
static int on_ends(struct mpir_gathering *g) { return tell(g, JOB_ENDS); }

/* What ends a rank that was not asked for is not known here; one that is in no table has ended. */
static void fill_rank(const struct mpir_gathering *g, const struct saving *s, uint32_t rank, struct mpir_job_rank *to) {
  to->state = !s->answer.pids[rank] ? MPIR_RANK_ENDED : MPIR_RANK_LEFT_OUT;
  for (size_t i = 0; s->wanted[rank] && s->answer.pids[rank] && i < g->set->member_count; i++)
    if (g->pids[i] == s->answer.pids[rank]) {
      to->state = MPIR_RANK_SAVED;
      to->pid = g->set->members[i].pid;
      snprintf(to->image, sizeof(to->image), "%s", g->set->members[i].image);
    }
}

static bool has_library(const struct mpir_job_manifest *m, const char *name) {
  for (size_t i = 0; i < m->library_count; i++)
    if (!strcmp(m->libraries[i], name))
      return true;
  return false;
}

static void add_libraries(struct mpir_job_manifest *m, const struct mpir_image *image) {
  for (size_t i = 0; i < image->map_count; i++) {
    const char *name = mpir_image_string(image, image->maps[i].name);
    char **more;

    if (image->maps[i].kind != MPIR_MAP_FILE || *name != '/' || has_library(m, name))
      continue;
    more = realloc(m->libraries, (m->library_count + 1) * sizeof(*more));
    if (!more)
      return;
    m->libraries = more;
    if ((more[m->library_count] = strdup(name)))
      m->library_count++;
  }
}

/* Looks into each image, which also shows that it can be read. */
static int look_at_images(struct mpir_job_manifest *m, const struct saving *s, const char *folder, struct dvm_error *err) {
  char path[PATH_MAX + MPIR_SET_NAME_MAX];
  int rc = 0;

  for (uint32_t i = 0; i < m->nranks && !rc; i++) {
    struct mpir_image *image;

    if (m->ranks[i].state != MPIR_RANK_SAVED)
      continue;
    snprintf(path, sizeof(path), "%s/%s", folder, m->ranks[i].image);
    image = mpir_image_open(path, err);
    if (!image)
      return dvm_error_wrap(err, "rank %u", i);
    add_libraries(m, image);
    if (s->codec && !(image->header->flags & MPIR_IMAGE_COMPRESSED) && (rc = mpir_image_compress(image, path, s->codec, err)))
      dvm_error_wrap(err, "rank %u", i);
    mpir_image_close(image);
  }
  return rc;
}

static struct mpir_job_manifest *describe(const struct saving *s) {
  struct mpir_job_manifest *m = calloc(1, sizeof(*m));
  struct timespec now;
  struct utsname host;

  if (!m || !(m->ranks = calloc(s->answer.nranks, sizeof(*m->ranks)))) {
    free(m);
    return NULL;
  }
  uname(&host);
  clock_gettime(CLOCK_REALTIME, &now);
  m->nranks = s->answer.nranks;
  m->eager_limit = s->answer.eager_limit;
  m->strict = s->answer.strict;
  m->taken_at_ns = now.tv_sec * 1000000000 + now.tv_nsec;
  snprintf(m->name, sizeof(m->name), "%s", s->answer.name);
  m->host = strdup(host.nodename);
  m->kernel = strdup(host.release);
  m->folder = strdup(s->answer.folder);
  m->command = strdup(s->answer.command);
  return m;
}

static int seal(struct mpir_gathering *g, const char *folder) {
  struct saving *s = g->job->arg;
  struct mpir_job_manifest *m = describe(s);
  int rc;

  if (!m)
    return dvm_error_set(g->err, -ENOMEM, "out of memory");
  for (uint32_t i = 0; i < m->nranks; i++)
    fill_rank(g, s, i, &m->ranks[i]);
  rc = look_at_images(m, s, folder, g->err);
  if (!rc)
    rc = mpir_job_manifest_write(m, folder, g->err);
  mpir_job_manifest_free(m);
  return rc;
}

static int stop_ranks(struct mpir_gathering *g, const struct saving *s) {
  int rc = 0;

  for (uint32_t i = 0; i < s->answer.nranks && !rc; i++) {
    const size_t before = g->set->member_count;

    if (!s->wanted[i] || !s->answer.pids[i])
      continue;
    rc = mpir_gather_add(g, s->answer.pids[i], -1);
    if (!rc && g->set->member_count == before)
      rc = dvm_error_set(g->err, -ESRCH, "rank %u (process %d) has just ended", i, s->answer.pids[i]);
  }
  return rc;
}

static pid_t controller_of(int connection) {
  struct ucred who = {0};
  socklen_t size = sizeof(who);

  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) ? 0 : who.pid;
}

/* The number behind the last one of the snapshots STEMn.ckpt in the folder. */
static unsigned next_number(const char *folder, const char *stem) {
  const size_t length = strlen(stem);
  DIR *dir = opendir(folder);
  unsigned last = 0;
  struct dirent *d;

  while (dir && (d = readdir(dir))) {
    unsigned number;
    int end = 0;

    if (!strncmp(d->d_name, stem, length) && sscanf(d->d_name + length, "%u.ckpt%n", &number, &end) == 1 && end && number > last)
      last = number;
  }
  if (dir)
    closedir(dir);
  return last + 1;
}

/* In the folder where the first rank would have put its image, which is at 'path'. */
static int name_snapshot(const char *wish, const struct job_answer *a, pid_t controller, char *path, struct dvm_error *err) {
  char folder[CRS_PATH_MAX], stem[MPIR_JOB_NAME_MAX + 16];
  const char *slash = strrchr(path, '/');

  if (wish[0] && wish[strlen(wish) - 1] != '/')
    return 0;
  snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
  if (a->name[0])
    snprintf(stem, sizeof(stem), "%s-", a->name);
  else
    snprintf(stem, sizeof(stem), "job-%d-", (int)controller);
  if (snprintf(path, CRS_PATH_MAX, "%s%s%u.ckpt", folder, stem, next_number(folder, stem)) >= CRS_PATH_MAX)
    return dvm_error_set(err, -ENAMETOOLONG, "the path of the snapshot would be too long");
  return 0;
}

/* --- on several hosts --- */

static int lead_name(const struct mpir_job_lead *l, char *path, size_t size, struct dvm_error *err) {
  const struct crs_request *request = ((struct saving *)l->arg)->request;

  (void)size;
  return name_snapshot(request->path, l->answer, l->controller, path, err);
}

static struct mpir_job_manifest *lead_describe(const struct mpir_job_lead *l) { return describe(l->arg); }

static int lead_seal(const struct mpir_job_lead *l, struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  const int rc = look_at_images(m, l->arg, folder, err);

  return rc ? rc : mpir_job_manifest_write(m, folder, err);
}

static int lead_ends(const struct mpir_job_lead *l, struct dvm_error *err) {
  char done;

  return ask(((struct saving *)l->arg)->connection, JOB_ENDS, &done, 1) ? dvm_error_set(err, -EIO, "the job has ended") : 0;
}

static int save_on_hosts(struct saving *s, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err) {
  const struct mpir_job_lead lead = {.arg = s,
                                     .controller = controller_of(s->connection),
                                     .answer = &s->answer,
                                     .wanted = s->wanted,
                                     .name = lead_name,
                                     .describe = lead_describe,
                                     .seal = lead_seal,
                                     .ends = lead_ends};

  s->request = request;
  return mpir_job_checkpoint_hosts(s->connection, &lead, request, reply, err);
}

/* The controller may have to go back to it.  One that does not answer has ended. */
static void tell_saved(const struct saving *s, const char *path) {
  struct {
    uint32_t what;
    char text[PATH_MAX];
  } word = {.what = JOB_SAVED};
  char done;

  if (!realpath(path, word.text))
    return;
  if (send(s->connection, &word, sizeof(word.what) + strlen(word.text) + 1, MSG_NOSIGNAL) > 0 && recv(s->connection, &done, 1, 0) < 0)
    return;
}

/* One that makes a replica on another host has done so in some seconds. */
static int ask_to_begin(struct saving *s, struct dvm_error *err) {
  for (int tries = 0;; tries++) {
    if (ask(s->connection, JOB_BEGIN, &s->answer, sizeof(s->answer)))
      return dvm_error_set(err, -EIO, "the job has ended");
    if (s->answer.code != -EAGAIN || !s->answer.holder || tries == BEGIN_TRIES)
      return s->answer.code;
    usleep(BEGIN_US);
  }
}

static int save(struct saving *s, const struct mpir_job_save *options, struct mpir_gathering *g, struct crs_request *request,
                struct crs_reply *reply, struct dvm_error *err) {
  int rc = ask_to_begin(s, err);

  if (rc == -EBUSY)
    return dvm_error_set(err, rc, "another checkpoint of it is in progress");
  if (rc == -EAGAIN)
    return dvm_error_set(err, rc, "a rank is making its shadow, or lacks one; try again");
  if (!rc && !(rc = choose(s, options->ranks, err)))
    rc = check_ready(s, err);
  if (!rc && s->answer.nnodes) {
    rc = save_on_hosts(s, request, reply, err);
    memcpy(g->path, reply->path, sizeof(g->path));
  } else if (!rc && !(rc = stop_ranks(g, s))) {
    mpir_gather_order(g);
    rc = name_snapshot(g->request.path, &s->answer, controller_of(s->connection), g->path, g->err);
    if (!rc)
      rc = mpir_gather_save(g, request, reply);
  }
  if (!rc && !options->ranks)
    tell_saved(s, g->path);
  if (!rc && request->keep && (!request->path[0] || request->path[strlen(request->path) - 1] == '/'))
    mpir_gather_retain(g->path, request->keep);
  return rc;
}

int mpir_job_checkpoint(int connection, const struct mpir_job_save *options, struct crs_request *request, struct crs_reply *reply,
                        struct dvm_error *err) {
  static struct saving s;
  struct mpir_gather_job job = {.arg = &s, .pids = s.answer.pids, .stands = on_stands, .seal = seal, .ends = on_ends};
  struct mpir_gathering g;
  int rc = mpir_gather_begin(&g, request, err);

  memset(reply, 0, sizeof(*reply));
  s.connection = connection;
  s.codec = options->codec;
  if (!rc) {
    struct job_answer *a = &s.answer;

    rc = ask(connection, JOB_ASK, a, sizeof(*a)) ? dvm_error_set(err, -EIO, "the job has ended") : 0;
    job.nranks = a->nranks;
    job.segment = (struct crs_object){.device = a->device, .inode = a->inode};
    g.job = &job;
  }
  if (!rc)
    rc = save(&s, options, &g, request, reply, err);
  if (rc)
    dvm_error_wrap(err, "no checkpoint of the job%s%s", s.answer.name[0] ? " " : "", s.answer.name);
  if (s.answer.nnodes) { /* what its nodes have told stands in 'reply' */
    static struct crs_reply none;
    mpir_gather_end(&g, &none);
  } else {
    mpir_gather_end(&g, reply);
  }
  close(connection);
  return rc;
}

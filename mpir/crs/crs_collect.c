/* What belongs to the process as a whole and must be read while it stands. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include "mpir/image/crc32c.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define CORE_FILTER_USUAL 0x33 /* of the kernel */
#define TIMER_ROUNDS 16 /* repeating timers may never come to rest, and need not */

uint32_t mpir_dump_string(struct crs_dump *d, const char *s) {
  size_t len = strlen(s) + 1;
  uint32_t at;

  if (!d->strings_len)
    d->strings_len = 1; /* offset 0 is "" */
  at = d->strings_len;
  if (len == 1 || at + len + 8 > sizeof(d->strings))
    return 0;
  memcpy(d->strings + at, s, len);
  d->strings_len += (uint32_t)len;
  return at;
}

int mpir_dump_fail(struct crs_dump *d, int code, const char *what) {
  mpir_plain_add(&d->why, what);
  mpir_plain_add(&d->why, "\n");
  return code;
}

void mpir_dump_notice(struct crs_dump *d, int fd, const char *what, const char *name) {
  struct plain_text *t = &d->notices;

  if (fd >= 0) {
    mpir_plain_add(t, "descriptor ");
    mpir_plain_add_dec(t, fd);
    mpir_plain_add(t, ": ");
  }
  mpir_plain_add(t, what);
  if (name) {
    mpir_plain_add(t, " '");
    mpir_plain_add(t, name);
    mpir_plain_add(t, "'");
  }
  mpir_plain_add(t, "\n");
}

bool mpir_dump_owns_fd(const struct crs_dump *d, int fd) {
  for (unsigned i = 0; i < sizeof(d->own_fds) / sizeof(d->own_fds[0]); i++)
    if (d->own_fds[i] == fd && fd >= 0)
      return true;
  return false;
}

uint32_t mpir_dump_object(const struct crs_dump *d, uint64_t device, uint64_t inode) {
  return d->request->flags & CRS_MEMBER ? mpir_crs_group_object(device, inode) : 0;
}

bool mpir_dump_is_others(const struct crs_dump *d, uint64_t device, uint64_t inode) {
  const uint32_t object = mpir_dump_object(d, device, inode);

  return object && !(object & CRS_OBJECT_MINE);
}

static void add_thread(struct crs_dump *d, const struct crs_record *record) {
  d->threads[d->thread_count] = record->image;
  d->thread_count++;
}

static void read_name(pid_t tid, char *name, size_t size) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);

  mpir_plain_add(&t, "/proc/self/task/");
  mpir_plain_add_dec(&t, tid);
  mpir_plain_add(&t, "/comm");
  mpir_crs_read_file(path, name, size);
  name[strcspn(name, "\n")] = '\0';
}

/* The main thread that has ended: nowhere to go on, and no settings but those that all have. */
static void add_ended(struct crs_dump *d) {
  struct mpir_image_thread *main = &d->threads[d->thread_count++];

  *main = crs.records[mpir_crs_stopped_threads()].image; /* the helper's */
  main->tid = crs.pid;
  memset(&main->context, 0, sizeof(main->context));
  main->robust_list = main->robust_length = main->clear_tid = main->rseq = main->signal_frame = 0;
  read_name(main->tid, main->name, sizeof(main->name));
}

int mpir_dump_threads(struct crs_dump *d) {
  unsigned n = mpir_crs_stopped_threads();
  bool main_seen = false;

  for (unsigned i = 0; i < n; i++)
    if (crs.records[i].image.tid == crs.pid) {
      add_thread(d, &crs.records[i]);
      main_seen = true;
    }
  if (!main_seen)
    add_ended(d);
  for (unsigned i = 0; i <= n; i++) /* the helper's record stands behind the last */
    if (crs.records[i].image.tid != crs.pid)
      add_thread(d, &crs.records[i]);
  return 0;
}

/* Field 'n' (from 1) of /proc/self/stat; names may hold blanks, so counting starts behind the last ')'. */
static uint64_t stat_field(const char *stat, unsigned n) {
  const char *s = strrchr(stat, ')');

  for (unsigned field = 2; s && field < n; field++) {
    s = strchr(s, ' ');
    if (s)
      s++;
  }
  return s ? mpir_plain_dec(&s) : 0;
}

static void header_addresses(struct mpir_image_header *h) {
  char stat[2048];

  mpir_crs_read_file("/proc/thread-self/stat", stat, sizeof(stat));
  h->start_code = stat_field(stat, 26);
  h->end_code = stat_field(stat, 27);
  h->start_stack = stat_field(stat, 28);
  h->start_data = stat_field(stat, 45);
  h->end_data = stat_field(stat, 46);
  h->start_brk = stat_field(stat, 47);
  h->arg_start = stat_field(stat, 48);
  h->arg_end = stat_field(stat, 49);
  h->env_start = stat_field(stat, 50);
  h->env_end = stat_field(stat, 51);
  h->brk = (uint64_t)sys1(SYS_brk, 0);
}

static uint32_t link_string(struct crs_dump *d, const char *path) {
  char target[CRS_PATH_MAX];
  long n = sys4(SYS_readlinkat, AT_FDCWD, path, target, sizeof(target) - 1);

  if (n < 0)
    return 0;
  target[n] = '\0';
  return mpir_dump_string(d, target);
}

static void header_names(struct crs_dump *d) {
  struct mpir_image_header *h = &d->header;
  struct {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domain[65];
  } names;
  char text[4096];
  long n;

  h->exe = link_string(d, "/proc/thread-self/exe");
  h->cwd = link_string(d, "/proc/thread-self/cwd");
  h->comm = mpir_dump_string(d, d->threads[0].name);
  n = mpir_crs_read_file("/proc/thread-self/cmdline", text, sizeof(text));
  for (long i = 0; i + 1 < n; i++)
    if (!text[i])
      text[i] = ' ';
  h->command_line = mpir_dump_string(d, text);
  memset(&names, 0, sizeof(names));
  sys1(SYS_uname, &names);
  h->kernel = mpir_dump_string(d, names.release);
  h->host = mpir_dump_string(d, names.nodename);
}

static void header_limits(struct mpir_image_header *h) {
  for (int i = 0; i < 16; i++)
    sys4(SYS_prlimit64, 0, i, NULL, h->rlimits[i]);
}

static void header_settings(struct mpir_image_header *h) {
  long rc = sys5(SYS_prctl, PR_GET_THP_DISABLE, 0, 0, 0, 0);

  h->no_huge_pages = rc == 1;
  sys2(SYS_prctl, PR_GET_CHILD_SUBREAPER, &h->subreaper);
  h->lock_future = (uint32_t)atomic_load(&crs.lock_future);
}

static int header_umask(struct crs_dump *d) {
  char status[4096];
  const char *line;
  int value = 0;

  if (mpir_crs_read_file("/proc/thread-self/status", status, sizeof(status)) < 0 || !(line = mpir_plain_line(status, "Umask:")))
    return mpir_dump_fail(d, -EIO, "cannot read /proc/thread-self/status");
  for (; *line >= '0' && *line <= '7'; line++)
    value = value * 8 + (*line - '0');
  d->header.umask = value;
  line = mpir_plain_line(status, "VmLck:");
  d->locks = line && mpir_plain_dec(&line);
  if (mpir_crs_hooks_traced() && !(d->request->flags & CRS_ALLOW_TRACED))
    return mpir_dump_fail(d, mpir_crs_hooks_traced_by_ours() ? CRS_CAME_BACK : -EBUSY,
                          "a debugger is attached (detach it, or allow it with --allow-traced)");
  return 0;
}

static int64_t read_number(const char *path, bool hex) {
  char text[64];
  const char *s = text;
  bool negative;

  if (mpir_crs_read_file(path, text, sizeof(text)) <= 0)
    return 0;
  negative = *s == '-';
  s += negative;
  return hex ? (int64_t)mpir_plain_hex(&s) : negative ? -(int64_t)mpir_plain_dec(&s) : (int64_t)mpir_plain_dec(&s);
}

uint32_t mpir_dump_core_filter(void) { return (uint32_t)read_number("/proc/self/coredump_filter", true); }

static void read_process(struct mpir_image_process *p) {
  char stat[2048];
  long rc;

  mpir_crs_read_file("/proc/thread-self/stat", stat, sizeof(stat));
  p->group = (int32_t)stat_field(stat, 5);
  p->session = (int32_t)stat_field(stat, 6);
  p->terminal = (int32_t)stat_field(stat, 7);
  p->oom_score_adjust = (int32_t)read_number("/proc/thread-self/oom_score_adj", false);
  p->core_filter = crs.main_ended ? CORE_FILTER_USUAL : mpir_dump_core_filter();
  rc = sys5(SYS_prctl, 66 /* PR_GET_MDWE */, 0, 0, 0, 0);
  p->no_exec_gain = rc > 0 ? (uint32_t)rc : 0;
  rc = sys3(SYS_membarrier, 1 << 9 /* MEMBARRIER_CMD_GET_REGISTRATIONS */, 0, 0);
  p->barriers = rc > 0 ? (uint32_t)rc : 0;
}

/* Namespaces that the program was started in, by their inodes; a restart begins in those of its command. */
static const char *const namespaces[] = {"uts", "ipc", "net", "user", "cgroup", "time", NULL};
static uint64_t first_namespaces[sizeof(namespaces) / sizeof(namespaces[0])];

static uint64_t namespace_of(const char *kind) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);
  struct stat st;

  mpir_plain_add(&t, "/proc/thread-self/ns/");
  mpir_plain_add(&t, kind);
  return sys2(SYS_stat, path, &st) ? 0 : st.st_ino;
}

void mpir_crs_namespaces_note(void) {
  for (unsigned i = 0; namespaces[i]; i++)
    first_namespaces[i] = namespace_of(namespaces[i]);
}

static void check_namespaces(struct crs_dump *d) {
  for (unsigned i = 0; namespaces[i]; i++)
    if (first_namespaces[i] && namespace_of(namespaces[i]) != first_namespaces[i])
      mpir_dump_notice(d, -1, "the namespace that the process has entered since it was started is not restored:", namespaces[i]);
}

int mpir_dump_header(struct crs_dump *d) {
  struct mpir_image_header *h = &d->header;
  struct timespec now = {0, 0};
  int fd;
  long n;

  h->version = MPIR_IMAGE_VERSION;
  h->size = sizeof(*h);
  h->pid = crs.pid;
  h->uid = (uint32_t)sys0(SYS_geteuid);
  h->gid = (uint32_t)sys0(SYS_getegid);
  sys2(SYS_clock_gettime, CLOCK_REALTIME, &now);
  h->taken_at_ns = now.tv_sec * 1000000000ll + now.tv_nsec;
  h->restart_info = (uint64_t)&crs.restart;
  h->rseq_length = __rseq_size ? (__rseq_size < 32 ? 32 : __rseq_size) : 0;
  h->rseq_signature = 0x53053053; /* RSEQ_SIG of x86 */
  h->personality = crs.personality;
  h->sequence = crs.sequence;
  if (d->request->flags & CRS_ALL_FILES)
    h->flags |= MPIR_IMAGE_ALL_FILES;
  header_addresses(h);
  check_namespaces(d);
  read_process(&d->process);
  header_names(d);
  header_limits(h);
  header_settings(h);
  for (int sig = 1; sig <= MPIR_SIGNALS; sig++)
    sys4(SYS_rt_sigaction, sig, NULL, &d->actions[sig - 1], 8);
  fd = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/auxv", O_RDONLY | O_CLOEXEC, 0);
  n = fd < 0 ? fd : sys3(SYS_read, fd, d->auxv, sizeof(d->auxv));
  if (fd >= 0)
    sys1(SYS_close, fd);
  if (n <= 0)
    return mpir_dump_fail(d, -EIO, "cannot read /proc/thread-self/auxv");
  d->auxv_bytes = (unsigned)n;
  return header_umask(d);
}

/* One timer's lines of /proc/self/timers: "ID: 1", "signal: 10/55", "notify: signal/pid.4711", "ClockID: 1". */
static const char *timer_parse(const char *s, struct mpir_image_timer *timer) {
  const char *line = mpir_plain_line(s, "ID:");

  memset(timer, 0, sizeof(*timer));
  timer->id = (int32_t)mpir_plain_dec(&line);
  if ((line = mpir_plain_line(s, "signal:"))) {
    timer->signo = (int32_t)mpir_plain_dec(&line);
    line++;
    timer->value = mpir_plain_hex(&line);
  }
  if ((line = mpir_plain_line(s, "notify:"))) {
    bool to_thread;

    timer->notify = mpir_plain_starts(line, "signal") ? 0 : mpir_plain_starts(line, "none") ? 1 : 2; /* SIGEV_SIGNAL, NONE, THREAD */
    line = strchr(line, '/');
    to_thread = line && mpir_plain_starts(line + 1, "tid.");
    if (to_thread) {
      timer->notify |= 4; /* SIGEV_THREAD_ID */
      line += 5;
      timer->tid = (int32_t)mpir_plain_dec(&line);
    }
  }
  if ((line = mpir_plain_line(s, "ClockID:")))
    timer->clock = *line == '-' ? (line++, -(int32_t)mpir_plain_dec(&line)) : (int32_t)mpir_plain_dec(&line);
  return line;
}

static void read_interval_timers(struct mpir_image_header *h) {
  for (int i = 0; i < 3; i++) {
    uint64_t *t = h->itimers[i];

    sys2(SYS_getitimer, i, t);
    if ((t[0] || t[1]) && !t[2] && !t[3]) { /* expired, to be armed again when its signal is taken; disarmed has no interval */
      t[2] = t[0];
      t[3] = t[1];
    }
  }
}

static int read_timers(struct crs_dump *d) {
  const char *s = d->text;
  long n = mpir_crs_read_file("/proc/self/timers", d->text, sizeof(d->text));

  d->timer_count = 0;
  if (n == -ENOENT)
    return 0;
  if (n < 0)
    return mpir_dump_fail(d, (int)n, "cannot read /proc/self/timers");
  while (s && (mpir_plain_starts(s, "ID:") || (s = strstr(s, "\nID:")))) {
    struct mpir_image_timer *timer = &d->timers[d->timer_count];
    int64_t left[4] = {0};

    s += *s == '\n';
    if (d->timer_count == CRS_TIMERS_MAX)
      return mpir_dump_fail(d, -E2BIG, "too many timers");
    s = timer_parse(s, timer);
    sys2(SYS_timer_gettime, timer->id, left);
    timer->interval_ns = left[0] * 1000000000 + left[1];
    timer->left_ns = left[2] * 1000000000 + left[3];
    if (!timer->left_ns) /* as with interval timers: expired, its signal not yet taken */
      timer->left_ns = timer->interval_ns;
    d->timer_count++;
  }
  return 0;
}

/* Timers go on while the threads stand.  The signal of one that has expired before it was read is in the image, and a time that is still
 * to run is told by the timer: read anew as long as new signals have come in between. */
int mpir_dump_timers(struct crs_dump *d) {
  int rc, round = 0;

  do {
    read_interval_timers(&d->header);
    rc = read_timers(d);
  } while (!rc && mpir_crs_pending_take(d->timers, d->timer_count) && ++round < TIMER_ROUNDS);
  if (!rc && atomic_load(&crs.pending_lost))
    rc = mpir_dump_fail(d, -EOPNOTSUPP, "more signals are pending than an image can hold (256)");
  return rc;
}

int mpir_dump_children(struct crs_dump *d) {
  if (d->request->flags & CRS_MEMBER) /* they are members too */
    return 0;
  for (unsigned i = 0; i < d->thread_count; i++) {
    char path[64], text[512];
    struct plain_text t = PLAIN_TEXT(path);

    mpir_plain_add(&t, "/proc/self/task/");
    mpir_plain_add_dec(&t, d->threads[i].tid);
    mpir_plain_add(&t, "/children");
    if (mpir_crs_read_file(path, text, sizeof(text)) > 0) {
      mpir_plain_add(&d->why, "it has child processes: ");
      return mpir_dump_fail(d, -ECHILD, text);
    }
  }
  return 0;
}

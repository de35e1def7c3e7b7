/* What confines the process: credentials, capabilities and seccomp filters of each thread.  Filters cannot be read back without privilege, so
 * they are noted as they are installed; and since a filter may end a thread that makes a call of ours, they are asked before the stop. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/sys.h"

#define FILTERS_MAX 64
#define POOL 32768 /* instructions of all filters */

/* All are one chain: each was installed by a thread that had all before, so a thread with n filters has the first n. */
static struct {
  struct crs_filter {
    uint32_t flags, length, at;
  } list[FILTERS_MAX];
  struct sock_filter pool[POOL];
  unsigned count, used;
  unsigned inherited; /* that the program was started with, and nobody can read */
  unsigned everybodys; /* installed for all threads */
  bool unknown; /* some were installed that are not noted */
  atomic_flag lock;
} filters = {.lock = ATOMIC_FLAG_INIT};

/* A line of /proc/PID/task/TID/status. */
static const char *thread_status(pid_t tid, char *status, size_t size) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);

  mpir_plain_add(&t, "/proc/self/task/");
  mpir_plain_add_dec(&t, tid);
  mpir_plain_add(&t, "/status");
  return mpir_crs_read_file(path, status, size) < 0 ? NULL : status;
}

static uint64_t number_of(const char *status, const char *label) {
  const char *line = mpir_plain_line(status, label);

  return line ? mpir_plain_dec(&line) : 0;
}

void mpir_crs_confine_init(void) {
  char status[4096];

  if (thread_status((pid_t)sys0(SYS_gettid), status, sizeof(status)))
    filters.inherited = (unsigned)number_of(status, "Seccomp_filters:");
}

/* Copies the program of a filter behind the others.  NULL: there is no room. */
static struct crs_filter *filter_copy(const struct sock_fprog *program, uint32_t flags) {
  struct crs_filter *f = &filters.list[filters.count];

  if (filters.count == FILTERS_MAX || !program || program->len > POOL - filters.used)
    return NULL;
  *f = (struct crs_filter){flags, program->len, filters.used};
  memcpy(filters.pool + filters.used, program->filter, program->len * sizeof(*program->filter));
  return f;
}

static void filter_installed(const struct crs_filter *f, uint32_t flags) {
  const unsigned have = mpir_crs_self.filters > filters.everybodys ? mpir_crs_self.filters : filters.everybodys;

  if (!f || have != filters.count || (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)) {
    filters.unknown = true;
    return;
  }
  filters.count++;
  filters.used += f->length;
  mpir_crs_self.filters = filters.count;
  if (flags & SECCOMP_FILTER_FLAG_TSYNC)
    filters.everybodys = filters.count;
}

long mpir_crs_confine_call(long number, const long *a) {
  const bool by_prctl = number == SYS_prctl && a[0] == PR_SET_SECCOMP && a[1] == SECCOMP_MODE_FILTER;
  const bool by_seccomp = number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER;
  const uint32_t flags = by_seccomp ? (uint32_t)a[1] : 0;
  struct crs_filter *f;
  long rc;

  if (number == SYS_seccomp || (number == SYS_prctl && a[0] == PR_SET_SECCOMP))
    mpir_crs_helper_require();
  if (number == SYS_prctl && (a[0] == PR_SET_TIMERSLACK || a[0] == PR_SET_PDEATHSIG || a[0] == PR_SET_NO_NEW_PRIVS))
    atomic_store(&crs.settings_changed, 1);
  if (!by_prctl && !by_seccomp)
    return sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  while (atomic_flag_test_and_set(&filters.lock))
    ;
  f = filter_copy((const struct sock_fprog *)a[2], flags);
  if (f && by_prctl)
    f->flags = MPIR_FILTER_BY_PRCTL;
  rc = sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (rc == 0 || (rc > 0 && (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)))
    filter_installed(f, flags);
  atomic_flag_clear(&filters.lock);
  return rc;
}

/* Another thread may have been in the middle of installing one: whether this process has it cannot be known. */
void mpir_crs_confine_after_fork(void) {
  if (atomic_flag_test_and_set(&filters.lock))
    filters.unknown = true;
  atomic_flag_clear(&filters.lock);
}

static uint32_t data_word(const struct seccomp_data *data, uint32_t at) {
  uint32_t value = 0;

  if (at <= sizeof(*data) - sizeof(value))
    memcpy(&value, (const char *)data + at, sizeof(value));
  return value;
}

static uint32_t compute(uint16_t operation, uint32_t a, uint32_t b) {
  switch (operation) {
  case BPF_ADD: return a + b;
  case BPF_SUB: return a - b;
  case BPF_MUL: return a * b;
  case BPF_DIV: return b ? a / b : 0;
  case BPF_OR: return a | b;
  case BPF_AND: return a & b;
  case BPF_XOR: return a ^ b;
  case BPF_LSH: return b < 32 ? a << b : 0;
  case BPF_RSH: return b < 32 ? a >> b : 0;
  default: return -a; /* BPF_NEG */
  }
}

static bool compare(uint16_t operation, uint32_t a, uint32_t b) {
  return operation == BPF_JEQ ? a == b : operation == BPF_JGT ? a > b : operation == BPF_JGE ? a >= b : (a & b) != 0;
}

/* What a filter, which the kernel has accepted, says of a call. */
static uint32_t filter_run(const struct sock_filter *code, uint32_t length, const struct seccomp_data *data) {
  uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};

  for (uint32_t pc = 0; pc < length; pc++) {
    const struct sock_filter *i = &code[pc];
    const uint32_t operand = BPF_SRC(i->code) == BPF_X ? x : i->k;

    switch (BPF_CLASS(i->code)) {
    case BPF_LD:
    case BPF_LDX: {
      const uint16_t mode = BPF_MODE(i->code);
      const uint32_t value = mode == BPF_IMM   ? i->k
                             : mode == BPF_MEM ? memory[i->k % BPF_MEMWORDS]
                             : mode == BPF_LEN ? (uint32_t)sizeof(*data)
                                               : data_word(data, i->k);

      *(BPF_CLASS(i->code) == BPF_LD ? &a : &x) = value;
      break;
    }
    case BPF_ST: memory[i->k % BPF_MEMWORDS] = a; break;
    case BPF_STX: memory[i->k % BPF_MEMWORDS] = x; break;
    case BPF_ALU: a = compute(BPF_OP(i->code), a, operand); break;
    case BPF_JMP: pc += BPF_OP(i->code) == BPF_JA ? i->k : compare(BPF_OP(i->code), a, operand) ? i->jt : i->jf; break;
    case BPF_RET: return BPF_RVAL(i->code) == BPF_A ? a : i->k;
    default:
      if (BPF_MISCOP(i->code) == BPF_TAX)
        x = a;
      else
        a = x;
    }
  }
  return SECCOMP_RET_KILL_PROCESS;
}

/* Calls of ours.  Threads make those of the first list in their handlers, the helper all. */
static const struct need {
  short number;
  bool must;
  const char *name;
} thread_needs[] =
    {
        {SYS_futex, true, "futex"},
        {SYS_rt_sigreturn, true, "rt_sigreturn"},
        {SYS_rt_sigprocmask, true, "rt_sigprocmask"},
        {SYS_gettid, true, "gettid"},
        {SYS_rt_sigpending, true, "rt_sigpending"},
        {SYS_prctl, false, "prctl"},
        {SYS_get_robust_list, false, "get_robust_list"},
        {SYS_sched_getaffinity, false, "sched_getaffinity"},
        {SYS_sched_getattr, false, "sched_getattr"},
        {SYS_getpriority, false, "getpriority"},
        {SYS_ioprio_get, false, "ioprio_get"},
},
  helper_needs[] = {
      {SYS_openat, true, "openat"},
      {SYS_read, true, "read"},
      {SYS_write, true, "write"},
      {SYS_close, true, "close"},
      {SYS_mmap, true, "mmap"},
      {SYS_munmap, true, "munmap"},
      {SYS_clone3, true, "clone3"},
      {SYS_wait4, true, "wait4"},
      {SYS_getdents64, true, "getdents64"},
      {SYS_readlinkat, true, "readlinkat"},
      {SYS_newfstatat, true, "newfstatat"},
      {SYS_fstat, true, "fstat"},
      {SYS_stat, true, "stat"},
      {SYS_lseek, true, "lseek"},
      {SYS_pread64, true, "pread64"},
      {SYS_pwrite64, true, "pwrite64"},
      {SYS_fcntl, true, "fcntl"},
      {SYS_kcmp, true, "kcmp"},
      {SYS_tgkill, true, "tgkill"},
      {SYS_rt_sigaction, true, "rt_sigaction"},
      {SYS_brk, true, "brk"},
      {SYS_uname, true, "uname"},
      {SYS_prlimit64, true, "prlimit64"},
      {SYS_getitimer, true, "getitimer"},
      {SYS_personality, true, "personality"},
      {SYS_unlink, true, "unlink"},
      {SYS_rename, true, "rename"},
      {SYS_fdatasync, true, "fdatasync"},
      {SYS_exit_group, true, "exit_group"},
      {SYS_socket, true, "socket"},
      {SYS_bind, true, "bind"},
      {SYS_listen, true, "listen"},
      {SYS_accept4, true, "accept4"},
      {SYS_ppoll, true, "ppoll"},
      {SYS_recvfrom, true, "recvfrom"},
      {SYS_sendto, true, "sendto"},
};

static const char *forbidden_one(unsigned count, const struct need *need) {
  const struct seccomp_data data = {.nr = need->number, .arch = AUDIT_ARCH_X86_64};

  for (unsigned i = 0; i < count; i++) {
    const uint32_t action = filter_run(filters.pool + filters.list[i].at, filters.list[i].length, &data) & SECCOMP_RET_ACTION_FULL;

    if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG && (need->must || action != SECCOMP_RET_ERRNO))
      return need->name;
  }
  return NULL;
}

/* The first call of ours that a thread with the first 'count' filters may not make, or NULL. */
static const char *forbidden(unsigned count, bool helper) {
  const char *name = NULL;

  for (size_t i = 0; i < sizeof(thread_needs) / sizeof(thread_needs[0]) && !name; i++)
    name = forbidden_one(count, &thread_needs[i]);
  for (size_t i = 0; helper && i < sizeof(helper_needs) / sizeof(helper_needs[0]) && !name; i++)
    name = forbidden_one(count, &helper_needs[i]);
  return name;
}

static int refuse_thread(struct plain_text *why, pid_t tid, const char *what, const char *name, const char *end) {
  mpir_plain_add(why, "thread ");
  mpir_plain_add_dec(why, tid);
  mpir_plain_add(why, what);
  mpir_plain_add(why, name);
  mpir_plain_add(why, end);
  return -EOPNOTSUPP;
}

static int check_thread(pid_t tid, struct plain_text *why) {
  char status[4096];
  const char *name;
  unsigned have;
  uint64_t mode;

  if (!thread_status(tid, status, sizeof(status)))
    return 0; /* it has ended */
  mode = number_of(status, "Seccomp:");
  if (mode == SECCOMP_MODE_STRICT)
    return refuse_thread(why, tid, " is in the strict mode of seccomp, which does not even allow it to stop", "", "\n");
  have = (unsigned)number_of(status, "Seccomp_filters:");
  if (mode != SECCOMP_MODE_FILTER || have == filters.inherited)
    return 0;
  if (filters.unknown || have < filters.inherited || have - filters.inherited > filters.count)
    return refuse_thread(why, tid, " has a seccomp filter that was not installed through libc, or for some threads only, so that it ", "",
                         "cannot be restored\n");
  name = forbidden(have - filters.inherited, tid == crs.helper_tid);
  return name ? refuse_thread(why, tid, " has a seccomp filter that does not permit '", name, "', which a checkpoint needs\n") : 0;
}

static int check_threads(struct plain_text *why) {
  int dir = (int)sys4(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), rc = 0;
  char buf[8192];
  long n;

  if (dir < 0)
    return 0; /* the stop will say so */
  while ((n = sys3(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
    for (long at = 0; at < n;) {
      const char *name = buf + at + 19; /* linux_dirent64: ino 8, off 8, reclen 2, type 1, name */
      unsigned short length;
      pid_t tid;

      memcpy(&length, buf + at + 16, 2);
      at += length;
      tid = (pid_t)mpir_plain_dec(&name);
      if (tid > 0 && check_thread(tid, why))
        rc = -EOPNOTSUPP;
    }
  sys1(SYS_close, dir);
  return rc;
}

int mpir_crs_confine_check(char *why, size_t size) {
  struct plain_text text = {why, size, 0};
  int rc;

  mpir_crs_descriptors_lock();
  rc = check_threads(&text);
  mpir_crs_descriptors_unlock();
  return rc;
}

static void read_four(const char *status, const char *label, uint32_t *to) {
  const char *line = mpir_plain_line(status, label);

  for (int i = 0; line && i < 4; i++) {
    to[i] = (uint32_t)mpir_plain_dec(&line);
    while (*line == '\t' || *line == ' ')
      line++;
  }
}

static uint64_t read_set(const char *status, const char *label) {
  const char *line = mpir_plain_line(status, label);

  return line ? mpir_plain_hex(&line) : 0;
}

/* The group list of a thread; most have that of the main thread. */
static int read_groups(struct crs_dump *d, const char *status, struct mpir_image_credentials *c) {
  const char *line = mpir_plain_line(status, "Groups:");
  const uint32_t first = d->credentials[0].group_count;

  c->groups_at = d->group_count;
  while (line && *line >= '0' && *line <= '9') {
    if (d->group_count == DUMP_GROUPS_MAX)
      return mpir_dump_fail(d, -E2BIG, "too many groups");
    d->groups[d->group_count++] = (uint32_t)mpir_plain_dec(&line);
    while (*line == ' ')
      line++;
  }
  c->group_count = d->group_count - c->groups_at;
  if (c != d->credentials && c->group_count == first && memcmp(d->groups, d->groups + c->groups_at, first * sizeof(d->groups[0])) == 0) {
    d->group_count = c->groups_at;
    c->groups_at = 0;
  }
  return 0;
}

static void copy_filters(struct crs_dump *d) {
  for (unsigned i = 0; i < filters.count; i++) {
    const struct crs_filter *f = &filters.list[i];
    const uint32_t head[2] = {f->flags, f->length};

    memcpy(d->filters + d->filters_len, head, sizeof(head));
    memcpy(d->filters + d->filters_len + sizeof(head), filters.pool + f->at, f->length * sizeof(filters.pool[0]));
    d->filters_len += sizeof(head) + f->length * (uint32_t)sizeof(filters.pool[0]);
  }
}

int mpir_dump_credentials(struct crs_dump *d) {
  int rc = 0;

  for (unsigned i = 0; i < d->thread_count && !rc; i++) {
    struct mpir_image_credentials *c = &d->credentials[i];
    char *status = (char *)d->copy;

    if (!thread_status(d->threads[i].tid, status, sizeof(d->copy)))
      return mpir_dump_fail(d, -EIO, "cannot read the credentials of a thread in /proc");
    read_four(status, "Uid:", c->uids);
    read_four(status, "Gid:", c->gids);
    c->inheritable = read_set(status, "CapInh:");
    c->permitted = read_set(status, "CapPrm:");
    c->effective = read_set(status, "CapEff:");
    c->bounding = read_set(status, "CapBnd:");
    c->ambient = read_set(status, "CapAmb:");
    c->securebits = d->threads[i].securebits;
    c->no_new_privileges = (uint32_t)number_of(status, "NoNewPrivs:");
    c->filters = (uint32_t)number_of(status, "Seccomp_filters:");
    if (c->filters < filters.inherited || c->filters - filters.inherited > filters.count)
      return mpir_dump_fail(d, -EOPNOTSUPP, "a thread has a seccomp filter that cannot be restored");
    c->filters -= filters.inherited;
    rc = read_groups(d, status, c);
  }
  d->process.inherited_filters = filters.inherited;
  if (d->group_count % 2) /* the notes behind begin at a multiple of 8 */
    d->groups[d->group_count++] = 0;
  copy_filters(d);
  return rc;
}

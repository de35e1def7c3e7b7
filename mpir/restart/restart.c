#include "mpir/restart/restart.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/process.h"
#include "mpir/image/chain.h"
#include "mpir/image/compress.h"
#include "mpir/image/image_set.h"
#include "mpir/restart/restart_pager.h"
#include "mpir/restart/restart_private.h"

#define STATUS_TEXT 'X'
#define SPAWN_TRIES 3
#define SPAWN_PAUSE_US 20000

static const char *const stages[RESTORER_STAGES] = {
    [RESTORER_MOVE_VDSO] = "move the vdso away",
    [RESTORER_UNMAP] = "unmap the restart command",
    [RESTORER_MAP] = "map the memory",
    [RESTORER_READ] = "read the memory",
    [RESTORER_PROTECT] = "protect the memory",
    [RESTORER_KEY] = "get the memory's protection keys, which this processor may not have",
    [RESTORER_PLACE_VDSO] = "place the vdso",
    [RESTORER_MEMORY_LAYOUT] = "restore the memory layout, with the heap's end",
    [RESTORER_THREAD] = "create the thread with the number",
    [RESTORER_TIMER] = "create the timer with the number",
    [RESTORER_RSEQ] = "register restartable sequences",
    [RESTORER_SCHEDULING] = "restore the scheduling policy (which needs CAP_SYS_NICE) of thread",
    [RESTORER_REGISTER] = "set up lazy loading of the memory,",
    [RESTORER_CREDENTIALS] = "restore the credentials of thread",
    [RESTORER_FILTER] = "install the seccomp filters of thread",
    [RESTORER_SEAL] = "seal the memory",
    [RESTORER_GUARD] = "guard the memory (which needs Linux 6.13)",
    [RESTORER_LOCK] = "lock the memory (which needs CAP_IPC_LOCK or a higher 'ulimit -l')",
};

struct spawn {
  const struct mpir_image *image;
  const char *path;
  const struct mpir_restart_options *options;
  struct dvm_error *err;
  int status[2], go[2]; /* pipes: what became of it, from the process; its number as seen from outside, to it */
  bool namespace, user_namespace, session_begun;
  int pager;            /* lazily: who gives the memory, or -1 */
};

static void write_setting(const char *path, int base, long long value) {
  FILE *f = fopen(path, "r+e");
  char text[64] = "";

  if (f && fgets(text, sizeof(text), f) && strtoll(text, NULL, base) == value) {
    fclose(f);
    return;
  }
  if (f) {
    rewind(f);
    fprintf(f, base == 16 ? "%#llx" : "%lld", value);
  }
  if (!f || fclose(f))
    fprintf(stderr, "dvm restart: note: %s cannot be set to %lld again: %s\n", path, value, strerror(errno));
}

void mpir_restart_settings(const struct mpir_image *image) {
  const struct mpir_image_process *p = image->process;

  write_setting("/proc/self/coredump_filter", 16, p->core_filter);
  write_setting("/proc/self/oom_score_adj", 10, p->oom_score_adjust);
}

/* A folder that had been removed is made for the moment. */
int mpir_restart_folder(const char *path) {
  static const char mark[] = " (deleted)";
  const size_t length = strlen(path);
  char name[4096];
  int rc;

  if (!chdir(path))
    return 0;
  if (length < sizeof(mark) || length >= sizeof(name) || strcmp(path + length - (sizeof(mark) - 1), mark) != 0)
    return -1;
  snprintf(name, sizeof(name), "%.*s", (int)(length - (sizeof(mark) - 1)), path);
  if (mkdir(name, 0700)) /* its name is taken, or the folder above is gone, too */
    snprintf(name, sizeof(name), "/tmp/dvm-removed.XXXXXX");
  if (strstr(name, "/dvm-removed.XXXXXX") && !mkdtemp(name))
    return -1;
  rc = chdir(name);
  rmdir(name);
  return rc;
}

/* A leader of a session or process group becomes one again. */
static bool is_apart(const struct mpir_image *image) {
  return image->process->session == image->header->pid || image->process->group == image->header->pid;
}

/* The session was led by a process that has ended, as daemons' are: its number is free, and who has it for a moment can begin it. */
static bool is_orphan(const struct mpir_image *image) {
  const struct mpir_image_process *p = image->process;
  char path[64];

  snprintf(path, sizeof(path), "/proc/%d", p->session);
  return !is_apart(image) && p->session > 0 && p->session == p->group && !p->terminal && p->session != getsid(0) && access(path, F_OK);
}

/* With the terminal, if the command has it: signals of the terminal are the process's. */
static void take_group(const struct mpir_image *image) {
  const bool foreground = image->process->terminal && tcgetpgrp(0) == getpgrp();

  setpgid(0, 0);
  if (foreground) {
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(0, getpgrp());
  }
}

/* Who leads from outside of the pid namespace has the number 0 in it. */
static void tell_moved(const char *what, int number) {
  if (number)
    fprintf(stderr, "dvm restart: note: the process was in %s %d, and is now in that of this command\n", what, number);
  else
    fprintf(stderr, "dvm restart: note: the process was in a %s begun outside its pid namespace, and is now in that of this command\n",
            what);
}

/* What was led by others is as before where it is still there, else the restarting command's. */
static void take_session(const struct mpir_image *image, bool begun) {
  const struct mpir_image_process *p = image->process;

  if (p->session == image->header->pid)
    setsid();
  else if (is_apart(image))
    take_group(image);
  else if (!begun && p->group > 0 && p->group != getpgrp() && p->session == getsid(0) && !p->terminal)
    setpgid(0, p->group);
  if (p->session != getsid(0))
    tell_moved("session", p->session);
  if (p->group != getpgrp())
    tell_moved("process group", p->group);
}

/* In the new process, under the old number. */
static _Noreturn void become_process(struct spawn *s) {
  struct restart_fds fds = {.base = 64, .standard = {-1, -1, -1}, .go = -1, .pager = -1};
  struct dvm_error err = DVM_ERROR_INIT;
  const struct mpir_image *image = s->image;
  int outer_pid = 0;

  close(s->go[1]);
  if (read(s->go[0], &outer_pid, sizeof(outer_pid)) != sizeof(outer_pid))
    _exit(127);
  close(s->go[0]);
  take_session(image, s->session_begun);
  mpir_restart_settings(image); /* while what is to be said goes to the command's own standard error */
  if (image->file_count && image->files[image->file_count - 1].fd >= fds.base)
    fds.base = image->files[image->file_count - 1].fd + 1;
  for (int i = 0; i < 3; i++)
    fds.standard[i] = fcntl(i, F_DUPFD_CLOEXEC, fds.base);
  fds.status = mpir_restart_raise(&fds, s->status[1]);
  fds.pager = s->pager < 0 ? -1 : mpir_restart_raise(&fds, s->pager);
  fds.image = fcntl(image->fd, F_DUPFD_CLOEXEC, fds.base);
  if (fds.status < 0 || fds.image < 0) {
    dvm_error_set(&err, -EMFILE, "the limit of open files (ulimit -n) is too low for the image's descriptors");
    fds.status = fds.status < 0 ? s->status[1] : fds.status;
  } else if (mpir_restart_folder(mpir_image_string(image, image->header->cwd))) {
    dvm_error_errno(&err, "cannot change to the process's folder '%s'", mpir_image_string(image, image->header->cwd));
  } else if (!mpir_restart_files(image, s->options, &fds, &err)) {
    for (int i = 0; i < 3; i++)
      close(fds.standard[i]);
    personality((unsigned)image->header->personality);
    mpir_restart_enter(image, s->path, s->options, &fds, outer_pid, s->user_namespace, &err);
  }
  if (write(fds.status, "X", 1) == 1 && write(fds.status, err.text, strlen(err.text)) < 0)
    _exit(126);
  _exit(127);
}

static pid_t clone_as(pid_t pid, uint64_t flags) {
  struct clone_args args;

  memset(&args, 0, sizeof(args));
  args.flags = flags;
  args.exit_signal = flags & CLONE_PARENT ? 0 : SIGCHLD; /* a sibling has that of its maker */
  args.set_tid = (uint64_t)&pid;
  args.set_tid_size = 1;
  return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

pid_t mpir_restart_clone(pid_t pid) { return clone_as(pid, 0); }

/* A process with the session's number begins it, makes the process as its sibling, and ends. */
static pid_t clone_in_session(struct spawn *s) {
  const pid_t leader = mpir_restart_clone(s->image->process->session);
  int status = 0;
  pid_t pid;

  if (leader == 0) {
    setsid();
    s->session_begun = true;
    pid = clone_as(s->image->header->pid, CLONE_PARENT);
    if (pid == 0)
      become_process(s);
    _exit(pid < 0 ? errno : 0);
  }
  if (leader < 0 || waitpid(leader, &status, 0) != leader)
    return -1;
  errno = WEXITSTATUS(status);
  return errno ? -1 : s->image->header->pid;
}

static pid_t clone_process(struct spawn *s) {
  pid_t pid;

  if (is_orphan(s->image))
    return clone_in_session(s);
  pid = mpir_restart_clone(s->image->header->pid);
  if (pid == 0)
    become_process(s);
  return pid;
}

/* Ends as the awaited process ended. */
static _Noreturn void end_as(int status) {
  if (WIFSIGNALED(status))
    _exit(128 + WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

int mpir_restart_mount_proc(struct dvm_error *err) {
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
    return dvm_error_errno(err, "cannot show the new pid namespace in /proc");
  return 0;
}

/* First process of the new pid namespace: shows its own /proc, makes the process, ends with it. */
static _Noreturn void init_process(struct spawn *s) {
  struct dvm_error err = DVM_ERROR_INIT;
  int status;
  pid_t pid, got;

  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  if (mpir_restart_mount_proc(&err)) {
  } else if ((pid = clone_process(s)) < 0) {
    dvm_error_errno(&err, "cannot create process %d in a namespace", s->image->header->pid);
  } else {
    close(s->status[1]);
    close(s->go[0]);
    close(s->go[1]);
    while ((got = wait(&status)) != pid)
      if (got < 0 && errno != EINTR)
        _exit(127);
    end_as(status);
  }
  if (write(s->status[1], "X", 1) == 1 && write(s->status[1], err.text, strlen(err.text)) < 0)
    _exit(126);
  _exit(127);
}

static int write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

  if (fd >= 0)
    close(fd);
  return n < 0 ? -errno : 0;
}

int mpir_restart_unshare(bool *user_namespace, struct dvm_error *err) {
  char text[64];
  uid_t uid = geteuid();
  gid_t gid = getegid();

  if (unshare(CLONE_NEWPID | CLONE_NEWNS) == 0)
    return 0;
  if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
    return dvm_error_set(err, -errno,
                         "cannot give the process its old number: this needs CAP_CHECKPOINT_RESTORE or "
                         "CAP_SYS_ADMIN, or the permission to make user namespaces (%s)",
                         strerror(errno));
  *user_namespace = true;
  write_file("/proc/self/setgroups", "deny");
  snprintf(text, sizeof(text), "%u %u 1", uid, uid);
  if (write_file("/proc/self/uid_map", text))
    return dvm_error_set(err, -EPERM, "cannot map the user into a namespace of its own");
  snprintf(text, sizeof(text), "%u %u 1", gid, gid);
  if (write_file("/proc/self/gid_map", text))
    return dvm_error_set(err, -EPERM, "cannot map the group into a namespace of its own");
  return 0;
}

/* Of the children that 'parent' has now the one that is 'number' inside, or any (0). */
static pid_t child_now(pid_t parent, pid_t number) {
  char path[64];
  int pid = 0;

  snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
  FILE *f = fopen(path, "re");
  while (f && fscanf(f, "%d", &pid) == 1 && number && dvm_process_last(pid, "NSpid:", 0) != number)
    pid = 0;
  if (f)
    fclose(f);
  return pid;
}

/* .. waited for up to ten seconds: a process that begins the session may be there before it, and ends (clone_in_session). */
static pid_t child_of(pid_t parent, pid_t number) {
  pid_t pid;

  for (int i = 0; !(pid = child_now(parent, number)) && i < 10000; i++) {
    if (kill(parent, 0) || waitpid(parent, NULL, WNOHANG | WNOWAIT) == parent)
      return 0;
    usleep(1000);
  }
  return pid;
}

/* A helper makes the namespaces, so that the caller stays in its own, and its child becomes their first process. */
static pid_t spawn_in_namespace(struct spawn *s) {
  pid_t child = fork();
  struct dvm_error *err = s->err;
  int status;

  if (child)
    return child;
  if (mpir_restart_unshare(&s->user_namespace, err)) {
    if (write(s->status[1], "X", 1) == 1 && write(s->status[1], err->text, strlen(err->text)) < 0)
      _exit(126);
    _exit(127);
  }
  child = fork();
  if (child == 0)
    init_process(s);
  close(s->status[1]);
  close(s->go[0]);
  close(s->go[1]);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (child < 0)
    _exit(127);
  end_as(status);
}

bool mpir_restart_ids_free(const struct mpir_image *image) {
  for (size_t i = 0; i < image->thread_count; i++) {
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d", image->threads[i].tid);
    if (access(path, F_OK) == 0)
      return false;
  }
  return true;
}

int mpir_restart_failure(const char *text, size_t size, struct dvm_error *err) {
  struct restorer_status status;

  if (size && text[0] == STATUS_TEXT)
    return dvm_error_set(err, -ECANCELED, "%.*s", (int)size - 1, text + 1);
  if (size < sizeof(status) || text[0] != 'E')
    return dvm_error_set(err, -ECANCELED, "the process ended before it ran again");
  memcpy(&status, text, sizeof(status));
  if (status.stage == RESTORER_THREAD || status.stage == RESTORER_TIMER || status.stage == RESTORER_SCHEDULING ||
      status.stage == RESTORER_CREDENTIALS || status.stage == RESTORER_FILTER)
    return dvm_error_set(err, (int)status.code, "cannot %s %lld: %s", stages[status.stage], (long long)status.address,
                         strerror((int)-status.code));
  return dvm_error_set(err, -ECANCELED, "cannot %s at %#llx: %s",
                       status.stage > 0 && status.stage < RESTORER_STAGES ? stages[status.stage] : "restore",
                       (unsigned long long)status.address, status.code > 0 ? "another mapping is in the way" : strerror((int)-status.code));
}

/* What the process says of itself through the status pipe. */
static int read_status(struct spawn *s) {
  char text[sizeof(s->err->text)] = "";
  size_t len = 0;
  ssize_t n;

  while (len + 1 < sizeof(text) && (n = read(s->status[0], text + len, sizeof(text) - 1 - len)) != 0) {
    if (n < 0 && errno != EINTR)
      break;
    len += n > 0 ? (size_t)n : 0;
    if (text[0] == 'K')
      return 0;
  }
  return mpir_restart_failure(text, len, s->err);
}

static int start(struct spawn *s, struct mpir_restarted *out) {
  if (pipe2(s->status, O_CLOEXEC) || pipe2(s->go, O_CLOEXEC))
    return dvm_error_errno(s->err, "cannot create a pipe");
  out->inner_pid = s->image->header->pid;
  out->apart = is_apart(s->image) || is_orphan(s->image);
  out->foreground =
      s->image->process->terminal && s->image->process->group == s->image->header->pid && !s->namespace ? s->image->header->pid : 0;
  out->child = s->namespace ? spawn_in_namespace(s) : clone_process(s);
  if (out->child < 0) {
    const int code = -errno;

    for (int i = 0; i < 2; i++) {
      close(s->status[i]);
      close(s->go[i]);
    }
    return code;
  }
  return 0;
}

static int spawn(struct spawn *s, struct mpir_restarted *out) {
  pid_t init;
  int rc = start(s, out);

  if (rc == -EPERM && s->options->ids == MPIR_IDS_AUTO && !s->namespace) {
    s->namespace = true;
    rc = start(s, out);
  }
  if (rc == -EEXIST)
    return dvm_error_set(s->err, rc, "process number %d is in use (--namespace gives the process numbers of its own)",
                         s->image->header->pid);
  if (rc == -EPERM)
    return dvm_error_set(s->err, rc,
                         "cannot give the process its old number: this needs CAP_CHECKPOINT_RESTORE or "
                         "CAP_SYS_ADMIN");
  if (rc)
    return dvm_error_set(s->err, rc, "cannot create process %d: %s", s->image->header->pid, strerror(-rc));
  close(s->status[1]);
  close(s->go[0]);
  out->pid = out->child;
  if (s->namespace) /* helper, first process of the namespace, the process */
    out->pid = (init = child_of(out->child, 0)) ? child_of(init, s->image->header->pid) : 0;
  signal(SIGPIPE, SIG_IGN);
  if (out->pid > 0 && write(s->go[1], &out->pid, sizeof(out->pid)) < 0)
    out->pid = 0;
  close(s->go[1]);
  rc = read_status(s);
  close(s->status[0]);
  if (rc)
    waitpid(out->child, NULL, 0);
  return rc;
}

/* A number that was free may be taken before the process is whole: it may be free again soon, and in a namespace it always is. */
static int spawn_again(struct spawn *s, struct mpir_restarted *out) {
  const bool choose = s->options->ids == MPIR_IDS_AUTO;
  int rc = spawn(s, out);

  for (int i = 0; i < SPAWN_TRIES && rc == -EEXIST && choose && !s->namespace; i++) {
    usleep(SPAWN_PAUSE_US);
    s->namespace = i + 1 == SPAWN_TRIES;
    rc = spawn(s, out);
  }
  return rc;
}

struct mpir_image *mpir_restart_open(const char *path, const struct mpir_restart_options *options, struct dvm_error *err) {
  struct mpir_image *image = mpir_image_open(path, err), *plain = image;

  if (!image)
    return NULL;
  if (mpir_restart_check(image, options, err))
    plain = NULL;
  else if (image->chain)
    plain = mpir_chain_whole(image, path, err);
  else if (image->header->flags & MPIR_IMAGE_COMPRESSED)
    plain = mpir_image_expand(image, path, err);
  if (plain != image)
    mpir_image_close(image);
  return plain;
}

/* What is read at once. */
static int verify_the_others(struct spawn *s) {
  void *space = malloc(MPIR_EXTENT_MAX);
  int rc = space ? 0 : dvm_error_set(s->err, -ENOMEM, "out of memory");

  for (size_t i = 0; i < s->image->extent_count && !rc; i++)
    if (!mpir_restart_is_lazy(s->image, &s->image->extents[i]))
      rc = mpir_image_verify_extent(s->image, &s->image->extents[i], space, s->err);
  free(space);
  return rc;
}

/* Where the kernel does not let memory be given when it is touched, all of it is verified, and read, before. */
static int start_pager(struct spawn *s) {
  struct dvm_error why = DVM_ERROR_INIT;

  s->pager = mpir_pager_start(s->image, &why);
  if (s->pager >= 0)
    return verify_the_others(s);
  s->pager = -1;
  fprintf(stderr, "dvm restart: note: all data are read and verified now, not when they are first used: %s\n", why.text);
  return mpir_image_verify(s->image, s->err);
}

int mpir_restart(const char *path, const struct mpir_restart_options *options, struct mpir_restarted *out, struct dvm_error *err) {
  struct spawn s = {.path = path, .options = options, .err = err, .pager = -1};
  struct mpir_image *image;
  struct stat st;
  int rc = -1;

  memset(out, 0, sizeof(*out));
  if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
    struct mpir_restart_options eager = *options;

    eager.lazy = false; /* the members' memory is read at once */
    return mpir_restart_set(path, &eager, out, err);
  }
  image = mpir_restart_open(path, options, err);
  if (image) {
    s.image = image;
    s.namespace = options->ids == MPIR_IDS_NAMESPACE || (options->ids == MPIR_IDS_AUTO && !mpir_restart_ids_free(image));
    rc = options->lazy ? start_pager(&s) : 0;
    if (!rc)
      rc = spawn_again(&s, out);
    if (s.pager >= 0)
      close(s.pager);
  }
  mpir_image_close(image);
  return rc ? dvm_error_wrap(err, "cannot restart '%s'", path) : 0;
}

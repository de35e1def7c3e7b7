/* Restarting a set: the processes are made as their parents' children, take their sessions and groups, become what they were, and
 * wait until all of them have. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/image/image_set.h"
#include "base/process.h"
#include "mpir/restart/restart_private.h"
#include "mpir/crs/sys.h"

#define ENDING_TRIES 150
#define ENDING_PAUSE_US 20000
#define NUMBER_TRIES 20
#define SET_TRIES 3
#define SET_PAUSE_US 50000
#define NUMBER_PAUSE_US 20000
#define TEXT_MAX 900 /* of a member's message: with its mark less than the system writes to a pipe in one piece */

/* Seen by all members while they are made. */
struct meeting {
  atomic_uint made, led, joined; /* futexes: members that are there, lead their groups, are in their groups */
  atomic_int how[];              /* in a namespace, by member: 0, or 1 more than the status with which it ended */
};

struct set_restart {
  const char *path;
  const struct mpir_restart_options *options;
  struct mpir_set *set;
  struct mpir_image **images; /* by member; NULL: has ended */
  struct restart_group *group;
  struct restart_fds fds;
  struct meeting *meeting;
  int status[2], go[2];
  bool user_namespace;
  struct dvm_error *err;
};

static _Noreturn void give_up(struct set_restart *s, const struct dvm_error *err) {
  char text[TEXT_MAX + 1];
  int n = snprintf(text, sizeof(text), "X%s", err->text);

  if (write(s->status[1], text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1) < 0)
    _exit(126);
  _exit(127);
}

/* Waits until all members have come here. */
static void meet(struct set_restart *s, atomic_uint *place) {
  unsigned here = atomic_fetch_add(place, 1) + 1;

  sys_futex_wake(place);
  while (here < s->set->member_count) {
    sys_futex_wait(place, here, 100000000);
    here = atomic_load(place);
  }
}

static _Noreturn void member_run(struct set_restart *s, size_t index);

static int make_member(struct set_restart *s, size_t index) {
  pid_t pid = -1;

  /* What had the number may just be ending: it is free as soon as its parent has waited for it. */
  for (int i = 0; pid < 0 && (!i || (errno == EEXIST && i < NUMBER_TRIES)); i++) {
    if (i)
      usleep(NUMBER_PAUSE_US);
    pid = mpir_restart_clone(s->set->members[index].pid);
  }
  if (pid == 0)
    member_run(s, index);
  if (pid < 0)
    return dvm_error_set(s->err, -errno,
                         errno == EEXIST  ? "process number %d is in use (--namespace gives the processes numbers of their own)"
                         : errno == EPERM ? "cannot create process %d: this needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN"
                                          : "cannot create process %d",
                         s->set->members[index].pid);
  return 0;
}

/* Those who were there before their parent began a session of its own are in the session before. */
static void make_children(struct set_restart *s, size_t index, bool before_session) {
  const struct mpir_set_member *m = &s->set->members[index];
  const bool leads = m->sid == m->pid;

  for (size_t i = index + 1; i < s->set->member_count; i++) {
    const struct mpir_set_member *child = &s->set->members[i];
    const bool before = leads && child->sid != m->sid && child->sid != child->pid;

    if (child->ppid == m->pid && before == before_session && make_member(s, i))
      give_up(s, s->err);
  }
}

static _Noreturn void end_as(int status) {
  const struct rlimit none = {0, 0};

  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  kill(getpid(), WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

/* Children that had ended and were not waited for have ended again before the process goes on. */
static void await_ended(const struct set_restart *s, size_t index) {
  for (size_t i = index + 1; i < s->set->member_count; i++) {
    siginfo_t info;

    if (s->set->members[i].ended && s->set->members[i].ppid == s->set->members[index].pid)
      while (waitid(P_PID, (id_t)s->set->members[i].pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
  }
}

static _Noreturn void become_member(struct set_restart *s, size_t index) {
  const struct mpir_image *image = s->images[index];
  struct restart_fds fds = s->fds;
  struct dvm_error err = DVM_ERROR_INIT;
  int rc = 0;

  mpir_group_become(s->group, (int)index);
  fds.image = fcntl(image->fd, F_DUPFD_CLOEXEC, fds.base);
  if (fds.image < 0)
    rc = dvm_error_errno(&err, "the limit of open files (ulimit -n) is too low");
  else if (mpir_restart_folder(mpir_image_string(image, image->header->cwd)))
    rc = dvm_error_errno(&err, "cannot change to its folder '%s'", mpir_image_string(image, image->header->cwd));
  if (!rc)
    rc = mpir_restart_files(image, s->options, &fds, &err);
  if (!rc) {
    for (int i = 0; i < 3; i++)
      close(fds.standard[i]);
    prctl(PR_SET_PDEATHSIG, 0);
    mpir_restart_settings(image);
    personality((unsigned)image->header->personality);
    mpir_restart_enter(image, s->path, s->options, &fds, 0, s->user_namespace, &err);
  }
  dvm_error_wrap(&err, "process %d", image->header->pid);
  s->status[1] = fds.status;
  give_up(s, &err);
}

static _Noreturn void member_run(struct set_restart *s, size_t index) {
  const struct mpir_set_member *m = &s->set->members[index];
  sigset_t none;

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int sig = 1; sig < 32; sig++)
    signal(sig, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); /* a child that ends now leaves no signal: what was pending is in the image */
  make_children(s, index, true);
  if (m->sid == m->pid)
    setsid();
  make_children(s, index, false);
  meet(s, &s->meeting->made);
  if (m->pgid == m->pid)
    setpgid(0, 0);
  meet(s, &s->meeting->led);
  if (m->pgid && m->pgid != m->pid && setpgid(0, m->pgid)) {
    dvm_error_errno(s->err, "cannot move process %d to its group %d", m->pid, m->pgid);
    give_up(s, s->err);
  }
  meet(s, &s->meeting->joined);
  if (m->ended)
    end_as(m->status);
  await_ended(s, index);
  become_member(s, index);
}

/* In the process that is to be the parent of those whose parents were outside. */
static int make_all(struct set_restart *s) {
  int rc = 0;

  for (int i = 0; i < 3; i++)
    s->fds.standard[i] = fcntl(i, F_DUPFD_CLOEXEC, s->fds.base);
  s->status[1] = s->fds.status = mpir_restart_raise(&s->fds, s->status[1]);
  s->go[0] = s->fds.go = mpir_restart_raise(&s->fds, s->go[0]);
  if (s->fds.status < 0 || s->fds.go < 0)
    return dvm_error_set(s->err, -EMFILE, "the limit of open files (ulimit -n) is too low for the images' descriptors");
  s->group = mpir_group_make(s->set, s->images, s->options, &s->fds, s->err);
  if (!s->group)
    return s->err->code;
  for (size_t i = 0; i < s->set->member_count && !rc; i++)
    if (!s->set->members[i].ppid)
      rc = make_member(s, i);
  mpir_group_close(s->group);
  close(s->fds.status);
  close(s->fds.go);
  return rc;
}

static int wait_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/* A process between the calling one and the members ends with it, and they with that one. */
static void tie(const struct set_restart *s) {
  if (s->options->tied)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* First process of a new pid namespace: lives as long as any of the processes, and ends as the first did. */
static _Noreturn void init_process(struct set_restart *s) {
  int status, result = 127;
  pid_t got;

  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  tie(s);
  close(s->go[1]);
  close(s->status[0]);
  if (mpir_restart_mount_proc(s->err) || make_all(s))
    give_up(s, s->err);
  while ((got = wait(&status)) > 0 || errno == EINTR) {
    const int member = got > 0 ? mpir_set_find(s->set, got) : -1;

    if (member >= 0)
      atomic_store(&s->meeting->how[member], status + 1);
    if (member == 0)
      result = wait_status(status);
  }
  _exit(result);
}

static pid_t make_in_namespace(struct set_restart *s) {
  pid_t child = fork();
  int status = 0;

  if (child)
    return child;
  if (mpir_restart_unshare(&s->user_namespace, s->err))
    give_up(s, s->err);
  tie(s); /* not before: new credentials undo it */
  child = fork();
  if (child == 0)
    init_process(s);
  close(s->status[1]);
  close(s->go[0]);
  close(s->go[1]);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  _exit(child < 0 ? 127 : wait_status(status));
}

static int load(struct set_restart *s) {
  char path[PATH_MAX];

  s->set = mpir_set_read(s->path, s->err);
  if (s->set && s->options->chosen)
    mpir_set_choose(s->set, s->options->chosen, s->options->chosen_count);
  s->images = s->set ? calloc(s->set->member_count, sizeof(*s->images)) : NULL;
  if (!s->images)
    return s->err->code ? s->err->code : dvm_error_set(s->err, -ENOMEM, "out of memory");
  for (size_t i = 0; i < s->set->member_count; i++) {
    const struct mpir_set_member *m = &s->set->members[i];

    if (m->ended)
      continue;
    if (snprintf(path, sizeof(path), "%s/%s", s->path, m->image) >= (int)sizeof(path))
      return dvm_error_set(s->err, -ENAMETOOLONG, "the path is too long");
    s->images[i] = mpir_restart_open(path, s->options, s->err);
    if (!s->images[i])
      return dvm_error_wrap(s->err, "process %d", m->pid);
    if (s->images[i]->header->pid != m->pid)
      return dvm_error_set(s->err, -EBADMSG, "'%s' is an image of process %d, but the list of the set names process %d", path,
                           s->images[i]->header->pid, m->pid);
    if (s->images[i]->file_count && s->images[i]->files[s->images[i]->file_count - 1].fd >= s->fds.base)
      s->fds.base = s->images[i]->files[s->images[i]->file_count - 1].fd + 1;
  }
  return 0;
}

/* Has ended, and will be waited for soon: whoever was killed together with its parent goes a moment later. */
static bool is_ending(pid_t pid) {
  const char state = dvm_process_state(pid);

  return !state || state == 'Z' || state == 'X';
}

/* Whether all numbers are free; '*ending': all that are taken will be free soon. */
static bool numbers_free(const struct set_restart *s, bool *ending) {
  bool all_free = true;

  *ending = true;
  for (size_t i = 0; i < s->set->member_count; i++) {
    char path[64];
    bool is_free;

    snprintf(path, sizeof(path), "/proc/%d", s->set->members[i].pid);
    is_free = s->images[i] ? mpir_restart_ids_free(s->images[i]) : access(path, F_OK) != 0;
    all_free = all_free && is_free;
    *ending = *ending && (is_free || is_ending(s->set->members[i].pid));
  }
  return all_free;
}

static bool await_numbers(const struct set_restart *s) {
  bool ending, is_free = numbers_free(s, &ending);

  for (int i = 0; i < ENDING_TRIES && !is_free && ending; i++) {
    usleep(ENDING_PAUSE_US);
    is_free = numbers_free(s, &ending);
  }
  return is_free;
}

/* Counts those that run again, until all do or one says why it does not. */
static int await_all(struct set_restart *s) {
  char text[2 * TEXT_MAX];
  size_t running = 0, wanted = 0, len = 0;
  ssize_t n;

  for (size_t i = 0; i < s->set->member_count; i++)
    wanted += s->images[i] != NULL;
  while (running < wanted) {
    n = read(s->status[0], text + len, sizeof(text) - len);
    if (n < 0 && errno == EINTR)
      continue;
    len += n > 0 ? (size_t)n : 0;
    for (; len && text[0] == 'K'; running++)
      memmove(text, text + 1, --len);
    if (len || n <= 0)
      break;
  }
  while (len && text[len - 1] == 'K' && text[0] != 'E')
    len--;
  return running == wanted ? 0 : mpir_restart_failure(text, len, s->err);
}

/* Puts the children of 'parent' behind the 'count' numbers that 'to' has. */
static size_t add_children(pid_t parent, pid_t *to, size_t count) {
  char path[64];
  int pid;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
  f = fopen(path, "re");
  while (f && count < MPIR_SET_MEMBERS_MAX && fscanf(f, "%d", &pid) == 1)
    to[count++] = pid;
  if (f)
    fclose(f);
  return count;
}

/* The member's number as seen from here: in a namespace, of that one among its processes whose own number it is. */
static pid_t seen_from_here(const struct set_restart *s, const struct mpir_restarted *out, size_t index, bool namespace) {
  static pid_t processes[MPIR_SET_MEMBERS_MAX];
  size_t count = 0;

  if (!namespace)
    return s->set->members[index].pid;
  count = add_children(out->child, processes, count);
  for (size_t i = 0; i < count; i++) {
    if (i && dvm_process_last(processes[i], "NSpid:", 0) == s->set->members[index].pid)
      return processes[i];
    count = add_children(processes[i], processes, count);
  }
  return 0;
}

static void kill_all(const struct set_restart *s, const struct mpir_restarted *out, bool namespace) {
  if (namespace) {
    pid_t first[MPIR_SET_MEMBERS_MAX];

    if (add_children(out->child, first, 0))
      kill(first[0], SIGKILL);
    kill(out->child, SIGKILL);
  } else { /* each dies with its parent, but for those that were already themselves */
    for (size_t i = 0; i < s->set->member_count && atomic_load(&s->meeting->made) == s->set->member_count; i++)
      kill(s->set->members[i].pid, SIGKILL);
  }
}

static int announce(struct set_restart *s, struct mpir_restarted *out, bool namespace) {
  size_t n = 0;

  out->all = calloc(s->set->member_count + 1, sizeof(*out->all));
  if (!out->all)
    return dvm_error_set(s->err, -ENOMEM, "out of memory");
  for (size_t i = 0; i < s->set->member_count; i++)
    if (s->images[i])
      out->all[n++] = seen_from_here(s, out, i, namespace);
  out->how = namespace ? s->meeting->how : NULL;
  out->pid = out->all[0];
  out->foreground = s->set->foreground && !namespace ? s->set->foreground : 0;
  return 0;
}

static int run(struct set_restart *s, struct mpir_restarted *out, bool namespace) {
  int rc;

  if (pipe2(s->status, O_CLOEXEC) || pipe2(s->go, O_CLOEXEC))
    return dvm_error_errno(s->err, "cannot create a pipe");
  out->inner_pid = out->child = s->set->members[0].pid;
  if (namespace) {
    out->child = make_in_namespace(s);
    close(s->status[1]);
    close(s->go[0]);
    rc = out->child < 0 ? dvm_error_errno(s->err, "cannot create a process") : 0;
  } else {
    rc = make_all(s);
  }
  if (!rc)
    rc = await_all(s);
  if (!rc)
    rc = announce(s, out, namespace);
  if (!rc && s->options->ready)
    rc = s->options->ready(s->options->ready_arg, out, s->err);
  if (rc) {
    kill_all(s, out, namespace);
  } else {
    for (size_t i = 0; i < s->set->member_count; i++)
      if (s->images[i] && write(s->go[1], "G", 1) != 1)
        rc = dvm_error_errno(s->err, "cannot resume the processes");
  }
  close(s->status[0]);
  close(s->go[1]);
  while (rc && (wait(NULL) > 0 || errno == EINTR))
    ;
  return rc;
}

/* Whoever may is told that this process's own number is in use; nothing is made. */
static bool may_choose_numbers(void) {
  const pid_t pid = mpir_restart_clone(getpid());

  if (pid == 0)
    _exit(0);
  return pid > 0 || errno != EPERM;
}

/* A number that was free, of a thread for example, may be taken before all are whole; in a namespace it never is. */
static int run_again(struct set_restart *s, struct mpir_restarted *out, bool namespace) {
  int rc = run(s, out, namespace);

  for (int i = 0; i < SET_TRIES && rc == -EEXIST && s->options->ids == MPIR_IDS_AUTO && !namespace; i++) {
    usleep(SET_PAUSE_US);
    for (int k = 0; k < 3; k++) {
      if (s->fds.standard[k] >= 0)
        close(s->fds.standard[k]);
      s->fds.standard[k] = -1;
    }
    atomic_store(&s->meeting->made, 0);
    atomic_store(&s->meeting->led, 0);
    atomic_store(&s->meeting->joined, 0);
    *s->err = (struct dvm_error)DVM_ERROR_INIT;
    namespace = i + 1 == SET_TRIES;
    rc = run(s, out, namespace);
  }
  return rc;
}

int mpir_restart_set(const char *path, const struct mpir_restart_options *options, struct mpir_restarted *out, struct dvm_error *err) {
  struct set_restart s = {
      .path = path, .options = options, .err = err, .fds = {.base = 64, .standard = {-1, -1, -1}, .go = -1, .pager = -1}};
  bool namespace;
  int rc = load(&s);

  signal(SIGPIPE, SIG_IGN);
  s.meeting = mmap(NULL, sizeof(*s.meeting) + (s.set ? s.set->member_count : 0) * sizeof(s.meeting->how[0]), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!rc && s.meeting == MAP_FAILED)
    rc = dvm_error_errno(err, "no memory");
  if (!rc) {
    namespace = options->ids == MPIR_IDS_NAMESPACE || (options->ids == MPIR_IDS_AUTO && (!may_choose_numbers() || !await_numbers(&s)));
    rc = run_again(&s, out, namespace);
  }
  for (size_t i = 0; s.images && i < s.set->member_count; i++)
    mpir_image_close(s.images[i]);
  mpir_set_free(s.set);
  free(s.images);
  return rc ? dvm_error_wrap(err, "cannot restart '%s'", path) : 0;
}

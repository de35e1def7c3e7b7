/* A set that the process asks for itself, or that it is no member of: the command leads, as a process of its own that is nobody's child. */
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_lead.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define ARGUMENTS_MAX 24
#define VARIABLES_MAX 4096

extern char **environ;

bool mpir_crs_lead_has_children(void) {
  char path[64], text[64];
  struct plain_text t = PLAIN_TEXT(path);

  mpir_plain_add(&t, "/proc/self/task/"); /* those of the helper are its writers, and gone */
  mpir_plain_add_dec(&t, crs.pid);
  mpir_plain_add(&t, "/children");
  return mpir_crs_read_file(path, text, sizeof(text)) > 0;
}

bool mpir_crs_lead_is_rank(void) { return getenv("DVMCR_JOB") != NULL; }

/* A process without exit signal, which the program's own wait calls do not see; it shares our memory until it becomes another. */
static inline __attribute__((always_inline)) long clone_shared(void) {
  struct clone_args args = {.flags = CLONE_VM | CLONE_VFORK};

  return sys2(SYS_clone3, &args, sizeof(args));
}

static _Noreturn void become_leader(char *const *arguments, char *const *variables, int answer) {
  const uint64_t none = 0;

  sys3(SYS_dup3, answer, 1, 0);
  sys3(SYS_dup3, answer, 2, 0);
  sys3(436 /* close_range */, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
  sys3(SYS_execve, arguments[0], arguments, variables);
  for (;;)
    sys1(SYS_exit, 127);
}

/* Twice, so that it is not our child. */
static long spawn(char *const *arguments, char *const *variables, int answer) {
  int status;
  long middle = clone_shared();

  if (middle == 0) {
    if (clone_shared() == 0)
      become_leader(arguments, variables, answer);
    for (;;)
      sys1(SYS_exit, 0);
  }
  if (middle > 0)
    sys4(SYS_wait4, middle, &status, __WALL, NULL);
  return middle;
}

/* The command must not be a checkpointable program itself. */
static void copy_variables(char **to) {
  size_t n = 0;

  for (char **v = environ; *v && n + 1 < VARIABLES_MAX; v++)
    if (strncmp(*v, "LD_PRELOAD=", 11) != 0)
      to[n++] = *v;
  to[n] = NULL;
}

static bool find_command(char *to, size_t size) {
  const char *folder = getenv("DVMCR_BINDIR");

  return folder && (size_t)snprintf(to, size, "%s/dvm-checkpoint", folder) < size && !access(to, X_OK);
}

/* The options of 'dvm checkpoint' that the request's flags stand for, added behind the first 'n' arguments.  The new number. */
static int add_flags(char **arguments, int n, const struct crs_request *request) {
  static const struct {
    uint32_t flag;
    const char *option;
  } options[] = {{CRS_ALL_FILES, "--all-files"}, {CRS_NO_FORK, "--no-fork"},       {CRS_NO_SYNC, "--no-sync"},
                 {CRS_STRICT, "--strict"},       {CRS_SAVE_FILES, "--save-files"}, {CRS_ALLOW_TRACED, "--allow-traced"}};

  for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
    if (request->flags & options[i].flag)
      arguments[n++] = (char *)(uintptr_t)options[i].option;
  if (request->signal == SIGKILL)
    arguments[n++] = (char *)(uintptr_t)"--kill";
  return n;
}

int mpir_crs_lead_start(const struct crs_request *request, int scope, pid_t target) {
  static const char *const scopes[] = {"--tree", "--group", "--session", "--tree", "--alone"};
  static char *variables[VARIABLES_MAX];
  char command[CRS_PATH_MAX], number[16], keep[16], timeout[16];
  char *arguments[ARGUMENTS_MAX];
  const char *to = getenv("DVMCR_TO");
  int answer[2], n = 0;
  long rc;

  if (!find_command(command, sizeof(command)))
    return -ENOENT;
  if (!target)
    target = scope == DVMCR_GROUP ? getpgrp() : scope == DVMCR_SESSION ? getsid(0) : crs.pid;
  snprintf(number, sizeof(number), "%d", target);
  snprintf(keep, sizeof(keep), "%u", request->keep);
  snprintf(timeout, sizeof(timeout), "%u", request->stop_timeout_ms);
  arguments[n++] = command;
  arguments[n++] = (char *)(uintptr_t)"--answer";
  if (scope != DVMCR_AUTO || !mpir_crs_lead_is_rank()) /* which the command finds out for itself */
    arguments[n++] = (char *)(uintptr_t)scopes[scope];
  if (request->path[0]) {
    arguments[n++] = (char *)(uintptr_t)"-o";
    arguments[n++] = (char *)(uintptr_t)request->path;
  }
  if (request->keep) {
    arguments[n++] = (char *)(uintptr_t)"--keep";
    arguments[n++] = keep;
  }
  if (request->stop_timeout_ms) {
    arguments[n++] = (char *)(uintptr_t)"--timeout";
    arguments[n++] = timeout;
  }
  if (to && *to) {
    arguments[n++] = (char *)(uintptr_t)"--to";
    arguments[n++] = (char *)(uintptr_t)to;
  }
  n = add_flags(arguments, n, request);
  arguments[n++] = number;
  arguments[n] = NULL;
  if (pipe2(answer, O_CLOEXEC))
    return -errno;
  copy_variables(variables);
  rc = spawn(arguments, variables, answer[1]);
  close(answer[1]);
  if (rc < 0)
    close(answer[0]);
  return rc < 0 ? (int)rc : answer[0];
}

void mpir_crs_lead_copy(const char *path, unsigned keep) {
  static char *variables[VARIABLES_MAX];
  char command[CRS_PATH_MAX], number[16];
  const char *folder = getenv("DVMCR_TO");
  char *arguments[] = {
      command, (char *)(uintptr_t)"copy", (char *)(uintptr_t)"--keep", number, (char *)(uintptr_t)path, (char *)(uintptr_t)folder, NULL};

  if (!folder || !*folder)
    return;
  snprintf(number, sizeof(number), "%u", keep);
  copy_variables(variables);
  if (!find_command(command, sizeof(command)) || spawn(arguments, variables, 2) < 0)
    dprintf(2, "dvm: '%s' has no copy: the command that makes it cannot be started\n", path);
}

/* Lines "note: WHAT" before the last. */
static void take_notices(const char *text, struct crs_reply *reply) {
  struct plain_text t = PLAIN_TEXT(reply->text);

  for (const char *s = text; (s = mpir_plain_line(s, "note:")); s += strcspn(s, "\n"))
    for (size_t i = 0, n = strcspn(s, "\n") + 1; i < n && t.len + 1 < t.size; i++)
      mpir_plain_add(&t, (const char[]){s[i], '\0'});
}

int mpir_crs_lead_answer(int fd, struct crs_reply *reply) {
  char text[CRS_TEXT_MAX + 64];
  size_t len = 0;
  const char *s;
  ssize_t n;

  while (len + 1 < sizeof(text) && ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0 || (n < 0 && errno == EINTR)))
    len += n > 0 ? (size_t)n : 0;
  text[len] = '\0';
  reply->version = CRS_PROTOCOL_VERSION;
  if ((s = mpir_plain_line(text, "done:"))) {
    take_notices(text, reply);
    size_t size = strcspn(s, "\n");

    memcpy(reply->path, s, size < sizeof(reply->path) ? size : sizeof(reply->path) - 1);
    return reply->code = 0;
  }
  s = mpir_plain_line(text, "failed:");
  reply->code = s ? -(int)mpir_plain_dec(&s) : -EIO;
  snprintf(reply->text, sizeof(reply->text), "%s", s ? s + (*s == ' ') : text[0] ? text : "the command that leads the checkpoint ended\n");
  return reply->code ? reply->code : (reply->code = -EIO);
}

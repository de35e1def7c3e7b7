#define _GNU_SOURCE
#include "driver/run.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Our few arguments can push a command over the limit that just fitted, or a response file had to be unpacked.  The file has no
 * name, so that nobody must remove it. */
static int exec_with_response_file(const struct dvm_list *command) {
  struct dvm_text text = DVM_TEXT_INIT;
  char name[64];
  int fd = memfd_create("dvmcc-arguments", 0);
  for (size_t i = 1; i < command->n; i++) {
    dvm_text_add_quoted(&text, command->v[i]);
    dvm_text_add(&text, "\n");
  }
  size_t done = 0;
  ssize_t n = 0;
  while (fd >= 0 && !text.failed && done < text.len && (n = write(fd, text.s + done, text.len - done)) > 0)
    done += (size_t)n;
  if (fd >= 0 && !text.failed && n >= 0) {
    snprintf(name, sizeof name, "@/proc/self/fd/%d", fd);
    char *argv[] = {command->v[0], name, NULL};
    execvp(argv[0], argv);
  }
  int code = text.failed ? ENOMEM : errno;
  dvm_text_fini(&text);
  if (fd >= 0)
    close(fd);
  return code;
}

int dvm_run_exec(const struct dvm_list *command, struct dvm_error *err) {
  execvp(command->v[0], command->v);
  if (errno == E2BIG)
    errno = exec_with_response_file(command);
  return dvm_error_errno(err, "cannot run '%s'", command->v[0]);
}

/* ---- Running and waiting -------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t child;

static void pass_on(int signal_number) /* async-signal-safe */
{
  if (child > 0)
    kill((pid_t)child, signal_number);
}

static const int handled[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { NHANDLED = sizeof handled / sizeof *handled };

/* Never returns.  The reason why it could not become the program goes through 'fd', which closes by itself when exec succeeds. */
static void become_child(char *const *command, int (*prepare)(void *arg), void *arg, int fd) {
  int code = prepare(arg);
  if (!code) {
    execvp(command[0], command);
    code = errno;
  }
  ssize_t n = write(fd, &code, sizeof code);
  _exit(n == sizeof code ? 127 : 126);
}

int dvm_run_start(char *const *command, int (*prepare)(void *arg), void *arg, pid_t *pid) {
  int fds[2], code = 0;
  if (pipe2(fds, O_CLOEXEC))
    return -errno;
  *pid = fork();
  if (*pid == 0)
    become_child(command, prepare, arg, fds[1]);
  code = *pid < 0 ? errno : 0;
  close(fds[1]);
  ssize_t n = 0;
  while (*pid > 0 && (n = read(fds[0], &code, sizeof code)) < 0 && errno == EINTR)
    ;
  close(fds[0]);
  if (*pid > 0 && code)
    waitpid(*pid, NULL, 0);
  return -code;
}

static int unblock(void *mask) { return sigprocmask(SIG_SETMASK, mask, NULL) ? errno : 0; }

int dvm_run_wait(const struct dvm_list *command, int *status, struct dvm_error *err) {
  struct sigaction old[NHANDLED], action = {.sa_handler = SIG_IGN};
  sigset_t block, mask;
  pid_t pid;
  /* Held back until the child exists, so that none is lost between the two. */
  sigemptyset(&block);
  for (int i = 0; i < NHANDLED; i++)
    sigaddset(&block, handled[i]);
  sigprocmask(SIG_BLOCK, &block, &mask);
  int rc = dvm_run_start(command->v, unblock, &mask, &pid);
  if (rc) {
    errno = -rc;
    dvm_error_errno(err, "cannot run '%s'", command->v[0]);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return rc;
  }
  child = pid;
  for (int i = 0; i < NHANDLED; i++) {
    action.sa_handler = handled[i] == SIGTERM || handled[i] == SIGHUP ? pass_on : SIG_IGN;
    sigaction(handled[i], &action, &old[i]);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  while (waitpid(pid, status, 0) < 0 && errno == EINTR)
    ;
  child = 0;
  for (int i = 0; i < NHANDLED; i++)
    sigaction(handled[i], &old[i], NULL);
  return 0;
}

int dvm_run_end_like(int status) {
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  struct rlimit no_core = {0, 0}; /* the program has left its own */
  setrlimit(RLIMIT_CORE, &no_core);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

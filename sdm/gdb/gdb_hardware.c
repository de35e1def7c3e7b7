/* Whether watchpoints in the processor's debug registers stop a program here.  Some virtual machines take the registers and never stop:
   gdb says "Hardware watchpoint", and the program runs past each change. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdm/gdb/gdb_private.h"

enum { WRITES_OF_EIGHT_BYTES = 1 | 1 << 16 | 2 << 18 }; /* of DR0, in DR7: enabled, on writes, length 8 */

static volatile long changed __attribute__((aligned(8)));

static _Noreturn void change_it(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
    _exit(1);
  syscall(SYS_kill, getpid(), SIGSTOP);
  changed = 1;
  _exit(0);
}

static bool set_register(pid_t pid, int n, unsigned long value) {
  return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg) + (size_t)n * sizeof(long), value) == 0;
}

/* True where nobody can tell as well: registers that are refused are gdb's business, which says so. */
static bool stops(pid_t pid) {
  int status;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
    return true;
  bool set = set_register(pid, 0, (unsigned long)&changed) && set_register(pid, 7, WRITES_OF_EIGHT_BYTES);
  bool ended = set && ptrace(PTRACE_CONT, pid, NULL, 0) == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
  if (!ended) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
  }
  return !ended;
}

bool sdm_gdb_hardware_watchpoints(void) {
  static int known = -1;
  if (known < 0) {
    pid_t pid = fork();
    if (!pid)
      change_it();
    known = pid < 0 || stops(pid);
  }
  return known;
}

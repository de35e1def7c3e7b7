/* libdvmgdb: preloaded into gdb where the processor's registers do not fit into it.
   gdb before 14 knows an XSAVE area of 2,696 bytes at most; with AMX it has 11,008.  Linux gives the beginning of the area to a reader with a smaller
   buffer, but a writer must bring all of it: 'Couldn't write extended state status: Bad address', and no function of the program can be called.
   Here what gdb does not know is kept as it is. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { AREA_MAX = 64 << 10 };
static long (*real_ptrace)(enum __ptrace_request, pid_t, void *, void *);

/* What gdb starts, and the program under it, are not meant: the variable goes, as soon as it has done its work in gdb itself. */
__attribute__((constructor)) static void leave_environment(void) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  path[n > 0 ? n : 0] = 0;
  const char *slash = strrchr(path, '/');
  if (strncmp(slash ? slash + 1 : path, "gdb", 3))
    return; /* a script that will start gdb */
  const char *list = getenv("LD_PRELOAD");
  const char *rest = list ? strchr(list, ':') : NULL;
  if (rest && rest[1])
    setenv("LD_PRELOAD", rest + 1, 1);
  else
    unsetenv("LD_PRELOAD");
}

static long write_whole_area(pid_t pid, const struct iovec *given) {
  static char area[AREA_MAX]; /* gdb calls ptrace from one thread */
  struct iovec whole = {area, sizeof(area)};
  if (real_ptrace(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &whole))
    return -1;
  if (given->iov_len >= whole.iov_len) {
    errno = EFAULT;
    return -1;
  }
  memcpy(area, given->iov_base, given->iov_len);
  return real_ptrace(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &whole);
}

__attribute__((visibility("default"))) long ptrace(enum __ptrace_request request, ...) {
  va_list words;
  va_start(words, request);
  pid_t pid = va_arg(words, pid_t);
  void *addr = va_arg(words, void *), *data = va_arg(words, void *);
  va_end(words);
  if (!real_ptrace)
    *(void **)&real_ptrace = dlsym(RTLD_NEXT, "ptrace");
  long rc = real_ptrace(request, pid, addr, data);
  if (rc == -1 && errno == EFAULT && request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE)
    return write_whole_area(pid, data);
  return rc;
}

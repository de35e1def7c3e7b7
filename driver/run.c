#define _GNU_SOURCE
#include "driver/run.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void quote(struct dvm_text *text, const char *arg)
{
  dvm_text_add(text, "\"");
  for (; *arg; arg++) {
    if (*arg == '"' || *arg == '\\')
      dvm_text_add(text, "\\");
    dvm_text_add_n(text, arg, 1);
  }
  dvm_text_add(text, "\"\n");
}

/* Our few arguments can push a command over the limit that just fitted, or a response file had to be unpacked.  The file has no
 * name, so that nobody must remove it. */
static int exec_with_response_file(const struct dvm_list *command)
{
  struct dvm_text text = DVM_TEXT_INIT;
  char name[64];
  int fd = memfd_create("dvmcc-arguments", 0);
  for (size_t i = 1; i < command->n; i++)
    quote(&text, command->v[i]);
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

int dvm_run_exec(const struct dvm_list *command, struct dvm_error *err)
{
  execvp(command->v[0], command->v);
  if (errno == E2BIG)
    errno = exec_with_response_file(command);
  return dvm_error_errno(err, "cannot run '%s'", command->v[0]);
}

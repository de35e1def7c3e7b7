/* Processes that a member of a set has added to it (dvmcr_forward). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/process.h"
#include "dvmcr.h"
#include "mpir/commands/client_set_private.h"

static ino_t namespace_of(pid_t pid) {
  char path[64];
  struct stat st;

  snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
  return stat(path, &st) ? 0 : st.st_ino;
}

/* The process that 'member' knows by that number, as seen from here; 0: it has ended. */
static pid_t seen_from_here(pid_t member, int number) {
  const ino_t space = namespace_of(member);
  DIR *dir = opendir("/proc");
  struct dirent *d;
  pid_t found = 0;

  while (dir && !found && (d = readdir(dir))) {
    const pid_t pid = atoi(d->d_name);

    if (pid > 0 && dvm_process_last(pid, "NSpid:", -ESRCH) == number && namespace_of(pid) == space)
      found = pid;
  }
  if (dir)
    closedir(dir);
  return found;
}

static int add_forwarded(struct mpir_gathering *g, pid_t member, const struct crs_forward *f) {
  pid_t pid;

  if (f->scope == DVMCR_GROUP || f->scope == DVMCR_SESSION)
    return mpir_gather_add_all(g, f->target, f->scope == DVMCR_GROUP ? "NSpgid" : "NSsid");
  pid = seen_from_here(member, f->target);
  return pid ? mpir_gather_add(g, pid, -1) : 0; /* one that has ended since is not missed */
}

int mpir_gather_forwarded(struct mpir_gathering *g, pid_t member, const struct crs_forward *forwards, uint32_t count) {
  int rc = 0;

  if (count && g->job)
    return dvm_error_set(g->err, -EOPNOTSUPP, "%s asks for process %d to be saved too, which the snapshot of a job cannot hold",
                         mpir_gather_label(g, member), forwards[0].target);
  for (uint32_t i = 0; i < count && !rc; i++)
    rc = add_forwarded(g, member, &forwards[i]);
  return rc;
}

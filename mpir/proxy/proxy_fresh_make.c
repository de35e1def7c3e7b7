/* The processes that save a rank which stands, and restore it on another host: both are this program. */
#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "mpir/proxy/proxy_fresh.h"

/* 'fd': what it says goes there, or it hears from there. */
static void become(const struct proxy *p, pid_t parent, int fd, char **words, char *number) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  close_range(3, (unsigned)p->fd - 1, CLOSE_RANGE_CLOEXEC);
  close_range((unsigned)p->fd + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  snprintf(number, 16, "%d", dup(fd)); /* without close on exec */
  execv("/proc/self/exe", words);
  _exit(127);
}

static int start(const struct proxy *p, char **words, char *number, const int streams[REPLICA_STREAMS], struct fresh_maker *m) {
  const pid_t self = getpid();
  int ends[2];
  *m = (struct fresh_maker){.fd = -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    return -errno;
  *m = (struct fresh_maker){fork(), ends[0]};
  if (!m->pid) {
    for (int s = 0; streams && s < REPLICA_STREAMS; s++)
      dup2(streams[s], s + 1);
    become(p, self, ends[1], words, number);
  }
  close(ends[1]);
  return m->pid < 0 ? -EAGAIN : 0;
}

int proxy_fresh_save(const struct proxy *p, uint32_t rank, const char *folder, struct fresh_maker *m) {
  char segment[16], number[16], which[16],
      *words[] = {(char *)(uintptr_t)"dvm-proxy", (char *)(uintptr_t)"save", number, segment, which, (char *)(uintptr_t)folder, NULL};
  snprintf(segment, sizeof(segment), "%d", p->fd);
  snprintf(which, sizeof(which), "%u", rank);
  return start(p, words, number, NULL, m);
}

int proxy_fresh_restore(const struct proxy *p, uint32_t rank, const char *folder, const int streams[REPLICA_STREAMS],
                        struct fresh_maker *m) {
  char segment[16], number[16], first[16], end[16],
      *words[] = {(char *)(uintptr_t)"dvm-proxy", (char *)(uintptr_t)"restore", number, segment, (char *)(uintptr_t)"one", first, end,
                  (char *)(uintptr_t)"---",       (char *)(uintptr_t)folder,    NULL};
  snprintf(segment, sizeof(segment), "%d", p->fd);
  snprintf(first, sizeof(first), "%u", rank);
  snprintf(end, sizeof(end), "%u", rank + 1);
  return start(p, words, number, streams, m);
}

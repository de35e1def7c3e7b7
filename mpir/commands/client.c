#include "mpir/commands/client.h"
#include "base/process.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "mpir/commands/client_wake.h"

#define HELD_STEP_MS 200
#define HELD_LIMIT_MS 5000
#define OURS_LIMIT_MS 60000 /* by a debugger that lets go, and may be slow to */
#define CONNECT_TRIES 50 /* of 20 ms: the helper thread may just be starting */
#define CONNECT_PATIENCE 25
#define STOP_LIMIT_MS 10000 /* unless the request tells another */

/* A copy of its parent that writes an image, or has written one and ends.  Its name is that of the thread that has made it until it has given itself another. */
static bool is_writer(pid_t pid) {
  char name[32];

  dvm_process_name(pid, name, sizeof(name));
  return !strncmp(name, "dvm-cr", 6) && dvm_process_stat(pid, DVM_STAT_EXIT_SIGNAL) == 0;
}

int mpir_client_each_child(pid_t pid, int (*child)(void *arg, pid_t pid), void *arg) {
  char path[300];
  int number, rc = 0;
  struct dirent *d;
  DIR *dir;

  snprintf(path, sizeof(path), "/proc/%d/task", pid);
  dir = opendir(path);
  while (dir && !rc && (d = readdir(dir))) {
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, d->d_name);
    f = *d->d_name == '.' ? NULL : fopen(path, "re");
    while (f && !rc && fscanf(f, "%d", &number) == 1)
      rc = is_writer(number) ? 0 : child(arg, number);
    if (f)
      fclose(f);
  }
  if (dir)
    closedir(dir);
  return rc;
}

static int is_one(void *arg, pid_t pid) {
  (void)arg;
  return pid > 0;
}

bool mpir_client_has_children(pid_t pid) { return mpir_client_each_child(pid, is_one, NULL); }

static int connect_to(pid_t pid, int inner, int tries, struct dvm_error *err) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char path[64];
  struct stat st;
  socklen_t size;
  int fd;

  snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
  if (stat(path, &st))
    return dvm_error_errno(err, "cannot look at process %d", pid);
  size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1);
  size += (socklen_t)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, CRS_SOCKET_FORMAT, (unsigned long)st.st_ino, inner);
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return dvm_error_errno(err, "cannot create a socket");
  for (int i = 0; connect(fd, (struct sockaddr *)&address, size); i++) {
    if (i == CONNECT_PATIENCE && mpir_client_holds_library(pid)) /* the program has closed the socket: its helper listens again */
      mpir_client_wake(pid);
    if (i == tries || (errno != ECONNREFUSED && errno != EAGAIN)) {
      close(fd);
      return dvm_error_set(err, -ESRCH, "process %d is not checkpointable (start it with 'dvm run --checkpointable')", pid);
    }
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  }
  return fd;
}

int mpir_client_connect(pid_t pid, bool once, struct dvm_error *err) {
  const int inner = (int)dvm_process_last(pid, "NSpid:", -ESRCH);

  if (dvm_process_state(pid) == 'T') /* it answers nobody, nor does its checkpointer, which is a thread of it */
    return dvm_error_set(err, -EBUSY, "process %d is stopped (SIGCONT resumes it)", pid);
  return inner < 0 ? dvm_error_set(err, -ESRCH, "there is no process %d", pid) : connect_to(pid, inner, once ? 0 : CONNECT_TRIES, err);
}

int mpir_client_receive(int fd, struct crs_reply *reply) {
  size_t got = 0;

  while (got < sizeof(*reply)) {
    ssize_t n = recv(fd, (char *)reply + got, sizeof(*reply) - got, 0);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -EIO;
    got += (size_t)n;
  }
  reply->path[sizeof(reply->path) - 1] = '\0';
  reply->text[sizeof(reply->text) - 1] = '\0';
  return 0;
}

/* A gdb under a server of 'dvm debug' sees the request.  With a machine full of work it may take seconds until it has come back from the
 * checkpoint before. */
static int patience_with(pid_t tracer) {
  char name[32];

  dvm_process_name((pid_t)dvm_process_stat(tracer, DVM_STAT_PARENT), name, sizeof(name));
  return strcmp(name, "sdm-server") ? HELD_LIMIT_MS : OURS_LIMIT_MS;
}

/* A debugger at its prompt holds the helper thread too.  One of ours sees the request and lets go; for others it is refused after a while. */
int mpir_client_await(pid_t pid, int fd, unsigned limit_ms, struct dvm_error *err) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  int held_ms = 0, asleep_ms = 0, rc;

  limit_ms = limit_ms ? limit_ms : STOP_LIMIT_MS;
  mpir_client_wake(pid);
  while ((rc = poll(&p, 1, HELD_STEP_MS)) == 0 || (rc < 0 && errno == EINTR)) {
    char name[32], why[128];
    const int tracer = (int)dvm_process_last(pid, "TracerPid:", 0);

    mpir_client_why_asleep(pid, why, sizeof(why));
    asleep_ms = *why && !tracer ? asleep_ms + HELD_STEP_MS : 0;
    if (asleep_ms > (int)limit_ms)
      return dvm_error_set(err, -EBUSY, "no checkpoint of process %d: not stopped within %u ms: %s", pid, limit_ms, why);
    if (*why)
      mpir_client_wake(pid);
    held_ms = tracer && dvm_process_state(pid) == 't' ? held_ms + HELD_STEP_MS : 0;
    if (held_ms < HELD_LIMIT_MS || held_ms < patience_with(tracer))
      continue;
    dvm_process_name(tracer, name, sizeof(name));
    return dvm_error_set(err, -EBUSY,
                         "process %d is held by its debugger '%s' (process %d), which keeps it from answering: "
                         "take the checkpoint there, or detach it",
                         pid, name, tracer);
  }
  return 0;
}

static int checkpoint_one(pid_t pid, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err) {
  int fd = mpir_client_connect(pid, false, err), rc;

  if (fd < 0)
    return fd;
  request->version = CRS_PROTOCOL_VERSION;
  rc = send(fd, request, sizeof(*request), MSG_NOSIGNAL) == (ssize_t)sizeof(*request)
           ? mpir_client_await(pid, fd, request->stop_timeout_ms, err)
           : -EIO;
  if (!rc)
    rc = mpir_client_receive(fd, reply);
  close(fd);
  if (rc == -EBUSY)
    return rc;
  if (rc)
    return dvm_error_set(err, rc, "process %d ended, or was restarted, before it answered", pid);
  if (reply->version != CRS_PROTOCOL_VERSION)
    return dvm_error_set(err, -EPROTO, "process %d speaks version %u of the protocol, but this program speaks version %d", pid,
                         reply->version, CRS_PROTOCOL_VERSION);
  if (reply->code) {
    size_t len = strlen(reply->text);

    if (len && reply->text[len - 1] == '\n')
      reply->text[len - 1] = '\0';
    return dvm_error_set(err, reply->code, "no checkpoint of process %d: %s", pid, len ? reply->text : strerror(-reply->code));
  }
  return 0;
}

int mpir_client_checkpoint(pid_t pid, enum mpir_scope scope, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err) {
  const bool alone = scope == MPIR_SCOPE_PROCESS || (scope == MPIR_SCOPE_AUTO && !mpir_client_has_children(pid));
  int rc = alone ? checkpoint_one(pid, request, reply, err) : -ECHILD;

  if (rc != CRS_FORWARDED && (rc != -ECHILD || scope == MPIR_SCOPE_PROCESS))
    return rc;
  *err = (struct dvm_error)DVM_ERROR_INIT;
  return mpir_client_set(pid, alone || scope == MPIR_SCOPE_AUTO ? MPIR_SCOPE_TREE : scope, request, reply, err); /* there are more by now */
}

#include "mpir/commands/client.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_TRIES 50 /* of 20 ms: the helper thread may just be starting */

/* The number that the process has in its own, innermost, namespace: the last of the NSpid line. */
static int inner_pid(pid_t pid)
{
  char path[64], line[256];
  int inner = pid;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/status", pid);
  f = fopen(path, "re");
  if (!f)
    return -errno;
  while (fgets(line, sizeof(line), f)) {
    char *last = strrchr(line, '\t');

    if (strncmp(line, "NSpid:", 6) == 0 && last)
      sscanf(last, "%d", &inner);
  }
  fclose(f);
  return inner;
}

static int connect_to(pid_t pid, int inner, struct dvm_error *err)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  char path[64];
  struct stat st;
  socklen_t size;
  int fd;

  snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
  if (stat(path, &st))
    return dvm_error_errno(err, "cannot look at process %d", pid);
  size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1);
  size += (socklen_t)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, CRS_SOCKET_FORMAT,
                              (unsigned long)st.st_ino, inner);
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return dvm_error_errno(err, "cannot make a socket");
  for (int i = 0; connect(fd, (struct sockaddr *)&address, size); i++) {
    if (i == CONNECT_TRIES || (errno != ECONNREFUSED && errno != EAGAIN)) {
      close(fd);
      return dvm_error_set(err, -ESRCH, "process %d is not checkpointable (start it with 'dvm run --checkpointable')", pid);
    }
    nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
  }
  return fd;
}

static int exchange(int fd, const struct crs_request *request, struct crs_reply *reply)
{
  size_t got = 0;

  if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) != (ssize_t)sizeof(*request))
    return -EIO;
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

int mpir_client_checkpoint(pid_t pid, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err)
{
  int inner = inner_pid(pid), fd, rc;

  if (inner < 0)
    return dvm_error_set(err, -ESRCH, "there is no process %d", pid);
  fd = connect_to(pid, inner, err);
  if (fd < 0)
    return fd;
  request->version = CRS_PROTOCOL_VERSION;
  rc = exchange(fd, request, reply);
  close(fd);
  if (rc)
    return dvm_error_set(err, rc, "process %d ended, or was restarted, before it answered", pid);
  if (reply->version != CRS_PROTOCOL_VERSION)
    return dvm_error_set(err, -EPROTO, "process %d speaks version %u of the protocol, this program version %d", pid,
                         reply->version, CRS_PROTOCOL_VERSION);
  if (reply->code) {
    size_t len = strlen(reply->text);

    if (len && reply->text[len - 1] == '\n')
      reply->text[len - 1] = '\0';
    return dvm_error_set(err, reply->code, "no checkpoint of process %d: %s", pid,
                         len ? reply->text : strerror(-reply->code));
  }
  return 0;
}

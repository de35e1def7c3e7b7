#define _GNU_SOURCE /* accept4 */
#include "sdm/net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define USER_TIMEOUT_MS 6000 /* unacknowledged data longer than this ends a connection */

static int unix_address(const char *host, uint16_t port, struct sockaddr_un *a) {
  *a = (struct sockaddr_un){.sun_family = AF_UNIX};
  int n = snprintf(a->sun_path, sizeof(a->sun_path), "%s/sdm.%u", host, port);
  return n < (int)sizeof(a->sun_path) ? 0 : -ENAMETOOLONG;
}

static int lookup(const char *host, uint16_t port, bool passive, struct addrinfo **out, struct dvm_error *err) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0};
  char text[8];
  snprintf(text, sizeof(text), "%u", port);
  int rc = getaddrinfo(host, text, &hints, out);
  return rc ? dvm_error_set(err, -EHOSTUNREACH, "host '%s': %s", host, gai_strerror(rc)) : 0;
}

static void set_options(int fd) {
  int on = 1, idle = 5, interval = 2, count = 3, user = USER_TIMEOUT_MS;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user, sizeof(user));
}

/* A socket file that nobody listens on any more is left over from a dead process and is taken over. */
static bool unix_is_stale(const struct sockaddr_un *a) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool stale = fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof(*a)) && errno == ECONNREFUSED;
  if (fd >= 0)
    close(fd);
  return stale;
}

/* A name that exists but does not listen yet looks like one that was left over: one at a time in a folder. */
static int bind_unix(const char *host, uint16_t port) {
  struct sockaddr_un a;
  int rc = unix_address(host, port, &a);
  int fd = rc ? rc : socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return rc ? rc : -errno;
  int folder = open(host, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0)
    flock(folder, LOCK_EX);
  mode_t old = umask(077);
  rc = bind(fd, (struct sockaddr *)&a, sizeof(a));
  if (rc && errno == EADDRINUSE && unix_is_stale(&a)) {
    unlink(a.sun_path);
    rc = bind(fd, (struct sockaddr *)&a, sizeof(a));
  }
  rc = rc ? -errno : 0;
  umask(old);
  if (!rc && listen(fd, SOMAXCONN))
    rc = -errno;
  if (folder >= 0)
    close(folder);
  if (rc)
    close(fd);
  return rc ? rc : fd;
}

static int bind_tcp(const char *host, uint16_t port, struct dvm_error *err) {
  struct addrinfo *list;
  int rc = lookup(host, port, true, &list, err), on = 1;
  if (rc)
    return rc;
  rc = -EADDRNOTAVAIL;
  for (struct addrinfo *a = list; a && rc < 0; a = a->ai_next) {
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      rc = -errno;
      continue;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, SOMAXCONN)) {
      rc = -errno;
      close(fd);
    } else
      rc = fd;
  }
  freeaddrinfo(list);
  return rc;
}

static uint16_t bound_port(int fd, uint16_t asked) {
  struct sockaddr_storage a;
  socklen_t len = sizeof(a);
  if (asked || getsockname(fd, (struct sockaddr *)&a, &len))
    return asked;
  return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port : ((struct sockaddr_in *)&a)->sin_port);
}

int sdm_net_listen(const char *host, uint16_t base, unsigned tries, uint16_t *port, struct dvm_error *err) {
  int rc = -EADDRINUSE;
  if (host[0] == '/' && !base) { /* there is no "any" among file names */
    base = (uint16_t)(1 + getpid() % 60000);
    tries = 5000;
  }
  for (unsigned i = 0; rc < 0 && (i < tries || !i) && base + i <= 65535; i++) {
    *port = (uint16_t)(base + i);
    rc = host[0] == '/' ? bind_unix(host, *port) : bind_tcp(host, *port, err);
    if (rc < 0 && rc != -EADDRINUSE)
      break;
  }
  if (rc < 0)
    return dvm_error_set(err, rc, "cannot listen at '%s', ports %u to %u: %s", host, base, base + (tries ? tries - 1 : 0), strerror(-rc));
  *port = bound_port(rc, *port);
  return rc;
}

static int start_connect(int family, const struct sockaddr *a, socklen_t len) {
  int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -errno;
  if (family != AF_UNIX)
    set_options(fd);
  if (!connect(fd, a, len) || errno == EINPROGRESS)
    return fd;
  int rc = -errno;
  close(fd);
  return rc;
}

int sdm_net_dial(const char *host, uint16_t port, struct dvm_error *err) {
  int rc;
  if (host[0] == '/') {
    struct sockaddr_un a;
    rc = unix_address(host, port, &a);
    rc = rc ? rc : start_connect(AF_UNIX, (struct sockaddr *)&a, sizeof(a));
  } else {
    struct addrinfo *list;
    rc = lookup(host, port, false, &list, err);
    if (rc)
      return rc;
    rc = -EHOSTUNREACH;
    for (struct addrinfo *a = list; a && rc < 0; a = a->ai_next)
      rc = start_connect(a->ai_family, a->ai_addr, a->ai_addrlen);
    freeaddrinfo(list);
  }
  return rc < 0 ? dvm_error_set(err, rc, "%s:%u: %s", host, port, strerror(-rc)) : rc;
}

int sdm_net_connected(int fd) {
  int code = 0;
  socklen_t len = sizeof(code);
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) ? -errno : -code;
}

int sdm_net_accept(int fd) {
  int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (peer < 0)
    return -errno;
  set_options(peer); /* no harm on a unix socket: refused */
  return peer;
}

int sdm_net_own_host(int fd, char *host, unsigned size) {
  struct sockaddr_storage a;
  socklen_t len = sizeof(a);
  if (getsockname(fd, (struct sockaddr *)&a, &len))
    return -errno;
  return getnameinfo((struct sockaddr *)&a, len, host, size, NULL, 0, NI_NUMERICHOST) ? -EINVAL : 0;
}

int sdm_net_parse(const char *text, char *host, uint16_t *port, struct dvm_error *err) {
  const char *colon = strrchr(text, ':');
  char *end;
  unsigned long v = colon && colon[1] ? strtoul(colon + 1, &end, 10) : 0;
  size_t len = colon ? (size_t)(colon - text) : 0;
  if (!v || v > 65535 || *end || !len || len > 255)
    return dvm_error_set(err, -EINVAL, "'%s' is not an address; expected HOST:PORT", text);
  if (text[0] == '[' && text[len - 1] == ']') {
    text++;
    len -= 2;
  }
  memcpy(host, text, len);
  host[len] = 0;
  *port = (uint16_t)v;
  return 0;
}

bool sdm_net_may_come(int code) {
  return code == -ECONNREFUSED || code == -ENOENT || code == -EAGAIN || code == -ETIMEDOUT || code == -ECONNRESET;
}

void sdm_net_close(int fd) {
  struct stat st;
  if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
    close(fd);
}

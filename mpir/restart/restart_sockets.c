#include "mpir/restart/restart_sockets.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "mpir/image/codec.h"

#define FILL_BUFFER (8 << 20)
#define WAIT_TRIES 300 /* of 10 ms: a connection of the process that was killed may still be in its last state */
#define WAIT_US 10000
#define PORT_TRIES 6500

enum state { IDLE, LISTENING, CONNECTED, CLOSED, RESET };

struct address {
  union {
    struct sockaddr any;
    struct sockaddr_un un;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    char bytes[128];
  } u;
  socklen_t size;
};

struct socket_entry {
  const struct mpir_image *image;
  const struct mpir_image_file *file;
  int family, type, protocol, backlog, shutdown, fd;
  uint64_t peer;
  enum state state;
  struct address local, remote;
};

struct restart_sockets {
  struct socket_entry *entries;
  size_t count;
  struct restart_fds *fds;
  struct dvm_error *err;
};

static int fail(struct restart_sockets *s, const struct socket_entry *e, const char *what) {
  return dvm_error_errno(s->err, "descriptor %d: cannot %s the socket", e->file->fd, what);
}

static size_t take_hex(const char *text, void *to, size_t size) {
  unsigned char *p = to;
  unsigned byte;
  size_t n = 0;

  while (n < size && sscanf(text + 2 * n, "%2x", &byte) == 1 && text[2 * n] != '\n' && text[2 * n] != ' ' && text[2 * n + 1] != '\n')
    p[n++] = (unsigned char)byte;
  return n;
}

static const char *line(const struct socket_entry *e, const char *label) {
  const char *s = mpir_image_string(e->image, e->file->info);

  for (; s && *s; s = strchr(s, '\n')) {
    s += *s == '\n';
    if (strncmp(s, label, strlen(label)) == 0)
      return s + strlen(label);
  }
  return "";
}

static void read_entry(struct socket_entry *e) {
  static const char *const states[] = {
      [IDLE] = "idle", [LISTENING] = "listening", [CONNECTED] = "connected", [CLOSED] = "closed", [RESET] = "reset"};

  e->family = atoi(line(e, "family: "));
  e->type = atoi(line(e, "type: "));
  e->protocol = atoi(line(e, "protocol: "));
  e->backlog = atoi(line(e, "backlog: "));
  e->shutdown = atoi(line(e, "shutdown: "));
  e->peer = strtoull(line(e, "peer: "), NULL, 10);
  for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
    if (strncmp(line(e, "state: "), states[i], strlen(states[i])) == 0)
      e->state = (enum state)i;
  e->local.size = (socklen_t)take_hex(line(e, "local: "), &e->local.u, sizeof(e->local.u));
  e->remote.size = (socklen_t)take_hex(line(e, "remote: "), &e->remote.u, sizeof(e->remote.u));
}

int mpir_sockets_find(const struct restart_sockets *s, const struct mpir_image_file *f) {
  for (size_t i = 0; s && i < s->count; i++)
    if (s->entries[i].file->inode == f->inode)
      return s->entries[i].fd;
  return -1;
}

static struct socket_entry *find_inode(const struct restart_sockets *s, uint64_t inode) {
  for (size_t i = 0; i < s->count; i++)
    if (s->entries[i].file->inode == inode)
      return &s->entries[i];
  return NULL;
}

void mpir_sockets_close(const struct restart_sockets *s) {
  for (size_t i = 0; s && i < s->count; i++)
    if (s->entries[i].fd >= 0)
      close(s->entries[i].fd);
}

static int new_socket(const struct socket_entry *e) { return socket(e->family, e->type | SOCK_CLOEXEC, e->protocol); }

static int keep(struct restart_sockets *s, struct socket_entry *e, int fd) {
  if (fd < 0)
    return fail(s, e, "make");
  e->fd = mpir_restart_raise(s->fds, fd);
  return e->fd < 0 ? dvm_error_set(s->err, -EMFILE, "descriptor %d: no number is free", e->file->fd) : 0;
}

/* "option: LEVEL NAME HEX" lines.  Options are put on before names are given, buffers again at the end. */
static void put_options(const struct socket_entry *e, int fd) {
  const char *s = mpir_image_string(e->image, e->file->info);

  while ((s = strstr(s, "option: "))) {
    unsigned char value[64];
    int level, name, used = 0;
    size_t size;

    s += strlen("option: ");
    if (sscanf(s, "%d %d %n", &level, &name, &used) != 2 || !used)
      continue;
    size = take_hex(s + used, value, sizeof(value));
    if (level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF)) { /* the kernel tells twice what was asked */
      int half;

      memcpy(&half, value, sizeof(half));
      half /= 2;
      if (setsockopt(fd, SOL_SOCKET, name == SO_SNDBUF ? SO_SNDBUFFORCE : SO_RCVBUFFORCE, &half, sizeof(half)))
        setsockopt(fd, SOL_SOCKET, name, &half, sizeof(half));
    } else {
      setsockopt(fd, level, name, value, (socklen_t)size);
    }
  }
}

static bool has_name(const struct address *a) {
  if (a->u.any.sa_family == AF_UNIX)
    return a->size > sizeof(sa_family_t);
  return a->u.any.sa_family == AF_INET ? a->u.in.sin_port != 0 : a->u.any.sa_family == AF_INET6 && a->u.in6.sin6_port != 0;
}

static bool is_path(const struct address *a) {
  return a->u.any.sa_family == AF_UNIX && a->size > sizeof(sa_family_t) && a->u.un.sun_path[0];
}

/* A socket's file that nobody listens at any more is in the way of the next. */
static void remove_stale(const struct address *a) {
  struct stat st;
  int fd;

  if (!is_path(a) || lstat(a->u.un.sun_path, &st) || !S_ISSOCK(st.st_mode))
    return;
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect(fd, &a->u.any, a->size) && (errno == ECONNREFUSED || errno == EPROTOTYPE))
    unlink(a->u.un.sun_path);
  if (fd >= 0)
    close(fd);
}

/* A connection that has ended holds the port for a minute, if its sockets had not SO_REUSEADDR. */
static bool is_ending(const struct address *a) {
  static const char *const lists[] = {"/proc/net/tcp", "/proc/net/tcp6"};
  const unsigned wanted = ntohs(a->u.in.sin_port); /* at the same place in both kinds of addresses */
  bool found = false;

  for (int i = 0; i < 2; i++) {
    FILE *f = fopen(lists[i], "re");
    char text[512];
    unsigned port, state;

    while (f && !found && fgets(text, sizeof(text), f))
      found = sscanf(text, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x", &port, &state) == 2 && port == wanted && state == 6 /* TIME_WAIT */;
    if (f)
      fclose(f);
  }
  return found;
}

/* Numbers of connections that have just ended are free soon. */
static int bind_to(int fd, const struct address *a) {
  const bool port = a->u.any.sa_family != AF_UNIX;
  const int on = 1;
  int rc = -1;

  if (port)
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  remove_stale(a);
  for (int i = 0; (rc = bind(fd, &a->u.any, a->size)) && errno == EADDRINUSE && port && i < PORT_TRIES; i++) {
    if (i >= WAIT_TRIES && !is_ending(a)) {
      errno = EADDRINUSE;
      break;
    }
    if (i == WAIT_TRIES)
      fprintf(stderr, "dvm restart: note: waiting for port %u, which the system keeps for up to a minute after the last connection there\n",
              (unsigned)ntohs(a->u.in.sin_port)); /* at the same place in both kinds of addresses */
    usleep(WAIT_US);
  }
  return rc;
}

static int make_bound(struct restart_sockets *s, struct socket_entry *e) {
  int fd = new_socket(e), rc = keep(s, e, fd);

  if (rc)
    return rc;
  put_options(e, e->fd);
  if (has_name(&e->local) && bind_to(e->fd, &e->local))
    return fail(s, e, "restore the address of");
  put_options(e, e->fd); /* SO_REUSEADDR as it was */
  if (e->state == LISTENING && listen(e->fd, e->backlog))
    return fail(s, e, "listen at");
  if (e->state == IDLE && e->remote.size && connect(e->fd, &e->remote.u.any, e->remote.size))
    return fail(s, e, "connect");
  return 0;
}

static bool same_port(const struct address *a, const struct address *b) {
  if (a->u.any.sa_family != b->u.any.sa_family)
    return false;
  if (a->u.any.sa_family == AF_UNIX)
    return a->size == b->size && memcmp(&a->u, &b->u, a->size) == 0;
  return a->u.in.sin_port == b->u.in.sin_port; /* at the same place in both kinds of addresses */
}

static const struct socket_entry *find_listener(const struct restart_sockets *s, const struct socket_entry *e) {
  for (size_t i = 0; i < s->count; i++)
    if (s->entries[i].state == LISTENING && s->entries[i].fd >= 0 && has_name(&e->local) && same_port(&s->entries[i].local, &e->local))
      return &s->entries[i];
  return NULL;
}

/* A listener for one moment, at the address of an accepted socket whose own is closed. */
static int listen_for(const struct socket_entry *server) {
  int fd = new_socket(server);

  if (fd >= 0 && (bind_to(fd, &server->local) || listen(fd, 1))) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Connects 'client' to where 'server' was accepted.  '*accepted' is the server's end. */
static int connect_through(struct restart_sockets *s, const struct socket_entry *client, const struct socket_entry *server, int *accepted) {
  const struct socket_entry *listener = find_listener(s, server);
  const int at = listener ? listener->fd : listen_for(server);
  const int flags = fcntl(at, F_GETFL);
  int fd = at < 0 ? -1 : new_socket(client), rc = -1;

  *accepted = -1;
  if (fd >= 0 && has_name(&client->local) && bind_to(fd, &client->local) && client->family != AF_UNIX)
    rc = -2;
  for (int i = 0; fd >= 0 && rc == -1 && i < WAIT_TRIES; i++) {
    rc = connect(fd, &server->local.u.any, server->local.size);
    if (rc && errno != EADDRNOTAVAIL)
      break;
    if (rc)
      usleep(WAIT_US);
  }
  if (!rc) {
    fcntl(at, F_SETFL, flags & ~O_NONBLOCK);
    *accepted = accept4(at, NULL, NULL, SOCK_CLOEXEC);
    fcntl(at, F_SETFL, flags);
  }
  if (at >= 0 && !listener) {
    close(at);
    if (is_path(&server->local))
      unlink(server->local.u.un.sun_path);
  }
  if (*accepted >= 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static int make_pair(struct restart_sockets *s, struct socket_entry *a, struct socket_entry *b) {
  int side[2] = {-1, -1}, rc;

  if (a->family == AF_UNIX && !has_name(&a->local) && !has_name(&b->local)) {
    if (socketpair(AF_UNIX, a->type | SOCK_CLOEXEC, 0, side))
      return fail(s, a, "make");
  } else if (a->family == AF_UNIX && a->type == SOCK_DGRAM) {
    return dvm_error_set(s->err, -EOPNOTSUPP, "descriptor %d: connected datagram sockets with names cannot be restored", a->file->fd);
  } else {
    const bool b_served = a->family == AF_UNIX ? has_name(&b->local) : find_listener(s, b) || !find_listener(s, a);
    struct socket_entry *server = b_served ? b : a, *client = b_served ? a : b;

    side[server == a] = connect_through(s, client, server, &side[server == b]);
    if (side[0] < 0 || side[1] < 0)
      return fail(s, a, "connect");
  }
  rc = keep(s, a, side[0]);
  return rc ? rc : keep(s, b, side[1]);
}

/* One that has no other end any more: that of another is closed when this one is filled. */
static int make_alone(struct restart_sockets *s, struct socket_entry *e, int *other) {
  struct socket_entry end = *e;

  end.local = e->remote;
  end.remote = e->local;
  if (e->state == RESET || (e->family == AF_UNIX && !has_name(&e->local))) { /* names are those of nobody */
    int side[2];

    if (socketpair(AF_UNIX, e->family == AF_UNIX ? e->type : SOCK_STREAM, 0, side))
      return fail(s, e, "make");
    *other = side[1];
    if (e->state == RESET && write(side[0], "", 1) != 1) /* unread when that end is closed: this one is reset */
      return fail(s, e, "break");
    return keep(s, e, side[0]);
  }
  int fd = connect_through(s, &end, e, other);

  if (fd < 0)
    return fail(s, e, "make");
  end.fd = *other;
  *other = fd;
  return keep(s, e, end.fd);
}

static int send_record(int fd, const char *p, size_t size) {
  for (int i = 0; i < WAIT_TRIES; i++) {
    ssize_t n = send(fd, p, size, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n == (ssize_t)size)
      return 0;
    if (n > 0) {
      p += n;
      size -= (size_t)n;
    } else if (errno != EAGAIN) {
      return -errno;
    } else {
      usleep(WAIT_US);
    }
  }
  return -EAGAIN;
}

/* Sends from 'from' what waited in the socket of entry 'e': records of a length and its bytes. */
static int fill(struct restart_sockets *s, const struct socket_entry *e, int from) {
  const int buffer = FILL_BUFFER;
  size_t index = (size_t)(e->file - e->image->files), size = 0;
  char *all = NULL, *space = malloc(MPIR_EXTENT_MAX);
  int rc = space ? 0 : -ENOMEM;

  for (size_t i = 0; i < e->image->extent_count && !rc; i++) {
    const struct mpir_image_extent *x = &e->image->extents[i];
    const char *content = x->file == (int64_t)index ? mpir_codec_expand(x, e->image->data + x->file_offset, space) : NULL;
    char *more = content ? realloc(all, size + x->length) : NULL;

    if (x->file != (int64_t)index)
      continue;
    rc = !content ? -EBADMSG : !more ? -ENOMEM : 0;
    if (!rc) {
      all = more;
      memcpy(all + size, content, x->length);
      size += x->length;
    }
  }
  if (size && setsockopt(from, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)))
    setsockopt(from, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
  for (size_t at = 0; at < size && !rc;) {
    uint32_t length = 0;

    if (size - at >= 4)
      memcpy(&length, all + at, 4);
    rc = size - at < 4 || length > size - at - 4 ? -EBADMSG : send_record(from, all + at + 4, length);
    at += 4 + length;
  }
  free(all);
  free(space);
  return rc ? dvm_error_set(s->err, rc, "descriptor %d: cannot fill the socket: %s", e->file->fd, strerror(-rc)) : 0;
}

/* The buffer that was large for filling has its size again: that of a new socket where no other was kept. */
static void finish(const struct socket_entry *e) {
  int fresh = new_socket(e), size = 0;
  socklen_t length = sizeof(size);

  if (fresh >= 0 && !getsockopt(fresh, SOL_SOCKET, SO_SNDBUF, &size, &length)) {
    size /= 2;
    setsockopt(e->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  }
  if (fresh >= 0)
    close(fresh);
  put_options(e, e->fd);
  if (e->shutdown == 2 && e->state == CONNECTED)
    shutdown(e->fd, SHUT_WR);
  else if (e->shutdown && e->state == CONNECTED && e->family == AF_UNIX)
    shutdown(e->fd, e->shutdown == 1 ? SHUT_RD : SHUT_RDWR);
}

static int make_connected(struct restart_sockets *s, struct socket_entry *e) {
  struct socket_entry *peer = e->state == CONNECTED ? find_inode(s, e->peer) : NULL;
  int other = -1, rc;

  if (e->state == CONNECTED && !peer)
    return dvm_error_set(s->err, -EBADMSG, "descriptor %d: the other end of the socket is not in the image", e->file->fd);
  if (peer) {
    rc = make_pair(s, e, peer);
    if (!rc)
      rc = fill(s, e, peer->fd);
    if (!rc)
      rc = fill(s, peer, e->fd);
    if (!rc) {
      finish(e);
      finish(peer);
    }
    return rc;
  }
  rc = make_alone(s, e, &other);
  if (!rc && e->state == CLOSED)
    rc = fill(s, e, other);
  if (other >= 0)
    close(other);
  if (!rc)
    finish(e);
  return rc;
}

/* One entry a socket, whoever has it. */
static int collect(struct restart_sockets *s, const struct mpir_image *const *images, size_t count) {
  for (size_t m = 0; m < count; m++)
    for (size_t i = 0; images[m] && i < images[m]->file_count; i++) {
      const struct mpir_image_file *f = &images[m]->files[i];
      struct socket_entry *e = f->kind == MPIR_FILE_SOCKET ? find_inode(s, f->inode) : NULL, *more;
      bool filled = false;

      if (f->kind != MPIR_FILE_SOCKET)
        continue;
      for (size_t x = 0; x < images[m]->extent_count; x++)
        filled = filled || images[m]->extents[x].file == (int64_t)i;
      if (e) { /* the image that has its content tells */
        if (filled) {
          e->image = images[m];
          e->file = f;
        }
        continue;
      }
      more = realloc(s->entries, (s->count + 1) * sizeof(*more));
      if (!more)
        return dvm_error_set(s->err, -ENOMEM, "out of memory");
      s->entries = more;
      more[s->count] = (struct socket_entry){.image = images[m], .file = f, .fd = -1};
      read_entry(&more[s->count++]);
    }
  return 0;
}

struct restart_sockets *mpir_sockets_make(const struct mpir_image *const *images, size_t count, struct restart_fds *fds,
                                          struct dvm_error *err) {
  struct restart_sockets *s = calloc(1, sizeof(*s));
  int rc;

  if (!s) {
    dvm_error_set(err, -ENOMEM, "out of memory");
    return NULL;
  }
  s->fds = fds;
  s->err = err;
  rc = collect(s, images, count);
  for (size_t i = 0; i < s->count && !rc; i++)
    if (s->entries[i].state == LISTENING || s->entries[i].state == IDLE)
      rc = make_bound(s, &s->entries[i]);
  for (size_t i = 0; i < s->count && !rc; i++)
    if (s->entries[i].fd < 0)
      rc = make_connected(s, &s->entries[i]);
  if (!rc)
    return s;
  mpir_sockets_close(s);
  free(s->entries);
  free(s);
  return NULL;
}

#define _GNU_SOURCE /* struct ucred */
#include "sdm/dap/dap_listen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sdm/dap/dap_private.h"
#include "sdm/net/net.h"

#define GUESTS_MAX 16u
#define EVICT_US 500000 /* the oldest guest makes room for a new one after that */

struct door {
  int fd;
  const char *path; /* NULL: TCP */
  char host[256];
  uint16_t port;
  char token[2 * SDM_SECRET_BYTES + 1]; /* empty: the kernel says who it is */
  struct dap *guests[GUESTS_MAX];
  int64_t since[GUESTS_MAX];
  unsigned n;
};

static int open_path(struct door *d, struct dvm_error *err) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  struct stat st;
  if (strlen(d->path) >= sizeof(a.sun_path))
    return dvm_error_set(err, -ENAMETOOLONG, "the path '%s' is too long for a socket", d->path);
  strcpy(a.sun_path, d->path);
  if (!lstat(d->path, &st) && !(S_ISSOCK(st.st_mode) && st.st_uid == geteuid()))
    return dvm_error_set(err, -EEXIST, "cannot listen at '%s': it exists and is not a socket of yours", d->path);
  int old = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(old, (struct sockaddr *)&a, sizeof(a)) && errno == ECONNREFUSED)
    unlink(d->path); /* left over */
  close(old);
  d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  mode_t mask = umask(077);
  int rc = bind(d->fd, (struct sockaddr *)&a, sizeof(a)) || listen(d->fd, SOMAXCONN) ? -errno : 0;
  umask(mask);
  return rc ? dvm_error_set(err, rc, "cannot listen at '%s': %s", d->path, strerror(-rc)) : 0;
}

static int open_port(struct door *d, const char *where, struct dvm_error *err) {
  char *end;
  unsigned long port = strtoul(where, &end, 10);
  snprintf(d->host, sizeof(d->host), "127.0.0.1");
  if (*where < '0' || *where > '9' || *end || port > 65535) {
    if (sdm_net_parse(where, d->host, &d->port, err))
      return dvm_error_set(err, -EINVAL, "'--listen' takes PORT, HOST:PORT or a path, not '%s'", where);
    port = d->port;
  }
  d->fd = sdm_net_listen(d->host, (uint16_t)port, 1, &d->port, err);
  return d->fd < 0 ? d->fd : 0;
}

static int take_token(struct door *d, const char *file, struct dvm_error *err) {
  struct sdm_secret s;
  if (sdm_link_init())
    return dvm_error_set(err, -EIO, "libsodium cannot be initialised");
  sdm_secret_random(&s);
  int rc = !file ? 0 : access(file, F_OK) ? sdm_secret_write(&s, file, err) : sdm_secret_read(&s, file, err);
  if (!rc)
    sdm_secret_print(&s, d->token);
  sdm_secret_wipe(&s);
  return rc;
}

/* In a time that does not depend on how much of it is right. */
static bool same_text(const char *a, const char *b) {
  size_t n = strlen(a);
  unsigned char differs = 0;
  if (!n || strlen(b) != n)
    return false;
  for (size_t i = 0; i < n; i++)
    differs |= (unsigned char)(a[i] ^ b[i]);
  return !differs;
}

bool sdm_dap_admit(struct dap *d, const char *request, const json_t *args) {
  const char *token = sdm_dap_text(args, "token");
  if (d->trusted || !strcmp(request, "initialize") || !strcmp(request, "disconnect"))
    return true;
  bool begins = !strcmp(request, "launch") || !strcmp(request, "attach");
  d->trusted = begins && token && same_text(d->token, token);
  if (d->trusted) {
    d->io.guest = false;
    return true;
  }
  d->quit = true;
  sdm_dap_fail(d, begins && token ? "the token does not match this adapter's"
                                  : "not authorised: launch and attach need the adapter's token as the argument 'token'");
  return false;
}

static bool is_ours(int fd) {
  struct ucred peer;
  socklen_t len = sizeof(peer);
  return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && (peer.uid == geteuid() || !peer.uid);
}

static void drop(struct door *d, unsigned at) {
  close(d->guests[at]->io.in);
  sdm_dap_free(d->guests[at]);
  d->n--;
  for (unsigned i = at; i < d->n; i++) {
    d->guests[i] = d->guests[i + 1];
    d->since[i] = d->since[i + 1];
  }
}

static void let_in(struct door *d) {
  if (d->n == GUESTS_MAX && sdm_now_us() - d->since[0] > EVICT_US)
    drop(d, 0); /* he has said nothing that counts */
  int fd = d->n < GUESTS_MAX ? sdm_net_accept(d->fd) : -1;
  if (fd < 0)
    return;
  if (d->path && !is_ours(fd)) {
    close(fd);
    return;
  }
  struct dap *guest = sdm_dap_new(fd, fd);
  guest->trusted = d->path != NULL;
  guest->token = d->token;
  guest->io.guest = !guest->trusted;
  d->since[d->n] = sdm_now_us();
  d->guests[d->n++] = guest;
}

/* True: he may stay, alone. */
static bool hear(struct dap *guest) {
  json_t *m;
  if (guest->trusted)
    return true;
  sdm_dap_io_fill(&guest->io);
  while (!guest->trusted && !guest->quit && (m = sdm_dap_io_take(&guest->io))) {
    sdm_dap_serve(guest, m);
    json_decref(m);
  }
  return guest->trusted;
}

/* One round at the door.  The client, once there is one. */
static struct dap *attend(struct door *d) {
  struct pollfd p[GUESTS_MAX + 1];
  unsigned n = d->n;
  for (unsigned i = 0; i < n; i++)
    p[i] = (struct pollfd){.fd = d->guests[i]->io.in, .events = POLLIN};
  bool full = n == GUESTS_MAX && sdm_now_us() - d->since[0] <= EVICT_US;
  p[n] = (struct pollfd){.fd = d->fd, .events = full ? 0 : POLLIN};
  if (poll(p, n + 1, full ? EVICT_US / 1000 : -1) < 0 && errno != EINTR)
    return NULL;
  for (unsigned i = n; i-- > 0;) {
    struct dap *guest = d->guests[i];
    if (p[i].revents && hear(guest)) {
      d->guests[i] = d->guests[--d->n];
      return guest;
    }
    if (guest->io.end || guest->quit)
      drop(d, i);
  }
  if (p[n].revents)
    let_in(d);
  if (d->path && d->n)
    return d->guests[--d->n];
  return NULL;
}

static void announce(const struct door *d, bool token) {
  if (d->path)
    fprintf(stderr, "dvm debug: listening at %s\n", d->path);
  else
    fprintf(stderr, "dvm debug: listening at %s:%u%s%s\n", d->host, d->port, token ? ", token " : "", token ? d->token : "");
}

struct dap *sdm_dap_listen(const char *where, const char *token_file, struct dvm_error *err) {
  struct door d = {.fd = -1, .path = strchr(where, '/') ? where : NULL};
  struct dap *client = NULL;
  int rc = d.path ? open_path(&d, err) : open_port(&d, where, err);
  if (!rc && !d.path)
    rc = take_token(&d, token_file, err);
  if (!rc) {
    announce(&d, !d.path && !token_file);
    while (!(client = attend(&d)))
      ;
    fcntl(client->io.in, F_SETFL, fcntl(client->io.in, F_GETFL) & ~O_NONBLOCK);
    client->token = NULL;
  }
  while (d.n)
    drop(&d, 0);
  if (d.fd >= 0)
    close(d.fd);
  if (d.path && d.fd >= 0 && !rc)
    unlink(d.path);
  explicit_bzero(d.token, sizeof(d.token));
  return client;
}

/* Sockets: those whose other end is saved too, listening ones, and unconnected ones.  What a restart needs of one is written into the
 * text of its entry, as "label: value" lines; addresses and options in hexadecimal. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <linux/sockios.h>
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/socket_peer.h"
#include "mpir/crs/sys.h"

#define NAME_MAX_BYTES 128
#define OPTION_MAX_BYTES 32
#define DRAIN_NAPS 200 /* of 1 ms */
#define DATAGRAMS_MAX 4096

struct socket_state {
  int family, type, protocol, listening;
  unsigned char local[NAME_MAX_BYTES], remote[NAME_MAX_BYTES];
  int local_size, remote_size; /* remote: 0 if not connected */
  struct socket_facts facts;
};

static const struct {
  int level, name;
} options[] = {
    {IPPROTO_IPV6, IPV6_V6ONLY}, {SOL_SOCKET, SO_REUSEADDR},  {SOL_SOCKET, SO_REUSEPORT},      {SOL_SOCKET, SO_KEEPALIVE},
    {SOL_SOCKET, SO_BROADCAST},  {SOL_SOCKET, SO_OOBINLINE},  {SOL_SOCKET, SO_LINGER},         {SOL_SOCKET, SO_PASSCRED},
    {SOL_SOCKET, SO_RCVTIMEO},   {SOL_SOCKET, SO_SNDTIMEO},   {SOL_SOCKET, SO_RCVLOWAT},       {SOL_SOCKET, SO_SNDBUF},
    {SOL_SOCKET, SO_RCVBUF},     {SOL_SOCKET, SO_PRIORITY},   {SOL_SOCKET, SO_TIMESTAMP},      {IPPROTO_TCP, TCP_NODELAY},
    {IPPROTO_TCP, TCP_CORK},     {IPPROTO_TCP, TCP_KEEPIDLE}, {IPPROTO_TCP, TCP_KEEPINTVL},    {IPPROTO_TCP, TCP_KEEPCNT},
    {IPPROTO_TCP, TCP_SYNCNT},   {IPPROTO_TCP, TCP_LINGER2},  {IPPROTO_TCP, TCP_DEFER_ACCEPT}, {IPPROTO_TCP, TCP_USER_TIMEOUT},
};

static int get_option(int fd, int level, int name) {
  int value = 0, size = sizeof(value);

  return sys5(SYS_getsockopt, fd, level, name, &value, &size) ? -1 : value;
}

static void read_tcp(int fd, struct tcp_info *info) {
  int size = sizeof(*info);

  memset(info, 0, sizeof(*info));
  sys5(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, info, &size);
}

static void read_state(struct crs_dump *d, const struct mpir_image_file *file, struct socket_state *s) {
  struct tcp_info info;

  memset(s, 0, sizeof(*s));
  s->family = get_option(file->fd, SOL_SOCKET, SO_DOMAIN);
  s->type = get_option(file->fd, SOL_SOCKET, SO_TYPE);
  s->protocol = get_option(file->fd, SOL_SOCKET, SO_PROTOCOL);
  s->listening = get_option(file->fd, SOL_SOCKET, SO_ACCEPTCONN);
  s->local_size = s->remote_size = NAME_MAX_BYTES;
  if (sys3(SYS_getsockname, file->fd, s->local, &s->local_size))
    s->local_size = 0;
  if (sys3(SYS_getpeername, file->fd, s->remote, &s->remote_size))
    s->remote_size = 0;
  if (s->family == AF_UNIX)
    mpir_socket_unix(file->inode, &s->facts);
  else if (s->type == SOCK_STREAM)
    mpir_socket_tcp(file->inode, d->text, sizeof(d->text), &s->facts);
  if (s->family == AF_UNIX || s->type != SOCK_STREAM)
    return;
  read_tcp(file->fd, &info);
  if (s->listening) {
    s->facts.waiting = info.tcpi_unacked;
    s->facts.backlog = info.tcpi_sacked;
  } else {
    s->facts.shutdown = info.tcpi_state == TCP_FIN_WAIT1 || info.tcpi_state == TCP_FIN_WAIT2 || info.tcpi_state == TCP_LAST_ACK ||
                                info.tcpi_state == TCP_CLOSING
                            ? 2
                            : 0;
  }
}

static bool is_ours(const struct crs_dump *d, uint64_t inode) {
  for (unsigned i = 0; i < d->file_count; i++)
    if (S_ISSOCK(d->files[i].mode) && d->files[i].inode == inode)
      return true;
  return mpir_dump_object(d, 0, inode) & CRS_OBJECT_INSIDE;
}

static void add_bytes(struct plain_text *t, const unsigned char *bytes, int size) {
  static const char digits[] = "0123456789abcdef";
  char two[3] = "";

  for (int i = 0; i < size; i++) {
    two[0] = digits[bytes[i] >> 4];
    two[1] = digits[bytes[i] & 15];
    mpir_plain_add(t, two);
  }
  mpir_plain_add(t, "\n");
}

static void add_number(struct plain_text *t, const char *label, int64_t value) {
  mpir_plain_add(t, label);
  mpir_plain_add_dec(t, value);
  mpir_plain_add(t, "\n");
}

/* Options that a new socket of the kind would not have. */
static void add_options(struct plain_text *t, const struct mpir_image_file *file, const struct socket_state *s) {
  int fresh = (int)sys3(SYS_socket, s->family, s->type | SOCK_CLOEXEC, s->protocol);

  for (unsigned i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    unsigned char mine[OPTION_MAX_BYTES], usual[OPTION_MAX_BYTES];
    int size = sizeof(mine), usual_size = sizeof(usual);

    if ((options[i].level == IPPROTO_TCP && (s->family == AF_UNIX || s->type != SOCK_STREAM)) ||
        sys5(SYS_getsockopt, file->fd, options[i].level, options[i].name, mine, &size) ||
        sys5(SYS_getsockopt, fresh, options[i].level, options[i].name, usual, &usual_size) ||
        (size == usual_size && memcmp(mine, usual, (size_t)size) == 0))
      continue;
    mpir_plain_add(t, "option: ");
    mpir_plain_add_dec(t, options[i].level);
    mpir_plain_add(t, " ");
    mpir_plain_add_dec(t, options[i].name);
    mpir_plain_add(t, " ");
    add_bytes(t, mine, size);
  }
  sys1(SYS_close, fresh);
}

static void describe(struct crs_dump *d, struct mpir_image_file *file, const struct socket_state *s, const char *state) {
  struct plain_text t = {(char *)d->copy, sizeof(d->copy), 0};

  add_number(&t, "family: ", s->family);
  add_number(&t, "type: ", s->type);
  add_number(&t, "protocol: ", s->protocol);
  mpir_plain_add(&t, "state: ");
  mpir_plain_add(&t, state);
  mpir_plain_add(&t, "\n");
  add_number(&t, "peer: ", (int64_t)s->facts.peer);
  add_number(&t, "backlog: ", s->facts.backlog);
  add_number(&t, "shutdown: ", s->facts.shutdown);
  mpir_plain_add(&t, "local: ");
  add_bytes(&t, s->local, s->local_size);
  mpir_plain_add(&t, "remote: ");
  add_bytes(&t, s->remote, s->remote_size);
  add_options(&t, file, s);
  file->info = mpir_dump_string(d, (const char *)d->copy);
  file->kind = MPIR_FILE_SOCKET;
}

/* Data that the other end has sent and this one not yet received are in neither's queue. */
static bool drained(const struct mpir_image_file *file) {
  static const struct {
    long sec, nsec;
  } nap = {0, 1000000};
  int left = 0;

  for (int i = 0; i < DRAIN_NAPS; i++) {
    if (sys3(SYS_ioctl, file->fd, SIOCOUTQ, &left) || left <= 0)
      return true;
    sys2(SYS_nanosleep, &nap, NULL);
  }
  return false;
}

static bool tcp_peer_closed(int fd) {
  struct tcp_info info;

  read_tcp(fd, &info);
  return info.tcpi_state == TCP_CLOSE_WAIT || info.tcpi_state == TCP_CLOSE || info.tcpi_state == TCP_LAST_ACK ||
         info.tcpi_state == TCP_TIME_WAIT;
}

const char *mpir_dump_socket(struct crs_dump *d, struct mpir_image_file *file) {
  struct socket_state s;
  const bool reset = d->request->flags & CRS_RESET_SOCKETS;
  int waiting = 0;

  read_state(d, file, &s);
  if (s.family != AF_UNIX && s.family != AF_INET && s.family != AF_INET6)
    return "a socket of this family cannot be restored:";
  if (s.type != SOCK_STREAM && s.type != SOCK_DGRAM && s.type != SOCK_SEQPACKET)
    return "a socket of this type cannot be restored:";
  if (s.listening && s.facts.waiting)
    return "a listening socket, with connections that have not been accepted yet, cannot be restored:";
  if (s.listening)
    return describe(d, file, &s, "listening"), NULL;
  if (!s.remote_size || (s.family != AF_UNIX && s.type == SOCK_DGRAM)) {
    if (s.family != AF_UNIX && s.type == SOCK_DGRAM && !sys3(SYS_ioctl, file->fd, SIOCINQ, &waiting) && waiting > 0)
      return "a socket with datagrams that were not read yet cannot be restored:";
    return describe(d, file, &s, "idle"), NULL;
  }
  if (!s.facts.peer && (s.family != AF_UNIX ? tcp_peer_closed(file->fd) : s.type == SOCK_DGRAM || s.facts.shutdown == 3))
    return describe(d, file, &s, "closed"), NULL;
  if (s.facts.peer && is_ours(d, s.facts.peer)) {
    if (s.family != AF_UNIX && !drained(file))
      return "a TCP connection with more data in transit than its receiver accepts cannot be restored:";
    return describe(d, file, &s, "connected"), NULL;
  }
  if (reset && s.type == SOCK_STREAM && file->fd > 2)
    return describe(d, file, &s, "reset"), NULL;
  return s.family == AF_UNIX
             ? "a socket whose other end is in a process that is not saved cannot be restored (--sockets=reset breaks the connection):"
             : "an external TCP connection cannot be restored (--sockets=reset breaks it):";
}

/* One piece of what waits to be read, without taking it.  Returns its size, -EAGAIN at the end. */
static long peek(int fd, void *to, size_t size, bool stream, uint32_t *flags) {
  struct {
    void *base;
    size_t size;
  } vector = {to, size};
  struct {
    void *name;
    int name_size;
    void *vector;
    size_t vector_count;
    void *control;
    size_t control_size;
    unsigned flags;
  } message;
  long n;

  memset(&message, 0, sizeof(message));
  message.vector = &vector;
  message.vector_count = 1;
  n = sys3(SYS_recvmsg, fd, &message, MSG_PEEK | MSG_DONTWAIT | (stream ? 0 : MSG_TRUNC)); /* TCP then copies nothing */
  *flags = message.flags;
  return n;
}

/* What waits to be read: records of a length and its bytes. */
int mpir_dump_socket_content(struct crs_dump *d, unsigned index) {
  const struct mpir_image_file *file = &d->files[index];
  const int unix_domain = get_option(file->fd, SOL_SOCKET, SO_DOMAIN) == AF_UNIX;
  const int stream = get_option(file->fd, SOL_SOCKET, SO_TYPE) == SOCK_STREAM;
  const int off = -1, zero = 0, pass = get_option(file->fd, SOL_SOCKET, SO_PASSCRED);
  struct dump_pipe *content = &d->pipe_contents[d->pipe_count];
  uint32_t start = d->pipes_len, flags;
  int rc = 0, waiting = 0;

  if (!unix_domain && (!stream || sys3(SYS_ioctl, file->fd, SIOCINQ, &waiting) || waiting <= 0))
    return 0;
  if (unix_domain) {
    sys5(SYS_setsockopt, file->fd, SOL_SOCKET, SO_PEEK_OFF, &zero, sizeof(zero));
    if (pass > 0)
      sys5(SYS_setsockopt, file->fd, SOL_SOCKET, SO_PASSCRED, &zero, sizeof(zero));
  }
  for (unsigned i = 0; i < DATAGRAMS_MAX && !rc; i++) {
    size_t room = d->pipes_len + 4 < sizeof(d->pipes) ? sizeof(d->pipes) - d->pipes_len - 4 : 0;
    long n = peek(file->fd, d->pipes + d->pipes_len + 4, unix_domain || (size_t)waiting > room ? room : (size_t)waiting, stream, &flags);
    uint32_t length = (uint32_t)n;

    if (n < 0 || (n == 0 && stream))
      break;
    if (flags & MSG_CTRUNC)
      rc = mpir_dump_fail(d, -EOPNOTSUPP, "descriptors that were sent through a socket have not been received yet");
    else if ((size_t)n > room || d->pipe_count == 256)
      rc = mpir_dump_fail(d, -E2BIG, "too much data in sockets");
    memcpy(d->pipes + d->pipes_len, &length, 4);
    d->pipes_len += rc ? 0 : 4 + length;
    if (!unix_domain)
      break;
  }
  if (unix_domain) {
    sys5(SYS_setsockopt, file->fd, SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off));
    if (pass > 0)
      sys5(SYS_setsockopt, file->fd, SOL_SOCKET, SO_PASSCRED, &pass, sizeof(pass));
  }
  if (!rc && d->pipes_len > start) {
    *content = (struct dump_pipe){index, start, d->pipes_len - start};
    d->pipe_count++;
  }
  return rc;
}

#include "mpir/crs/socket_peer.h"
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define ADDRESS_MAX 48
#define FIELDS 10 /* of a line of /proc/net/tcp, up to the inode */

static void take_attributes(const struct nlmsghdr *head, struct socket_facts *facts) {
  const struct unix_diag_msg *m = NLMSG_DATA(head);
  const struct rtattr *a = (const struct rtattr *)(m + 1);
  unsigned left = head->nlmsg_len - NLMSG_LENGTH(sizeof(*m));

  for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
    const void *content = RTA_DATA(a);
    uint32_t value;

    memcpy(&value, content, RTA_PAYLOAD(a) < 4 ? 1 : 4);
    if (a->rta_type == UNIX_DIAG_PEER)
      facts->peer = value;
    else if (a->rta_type == UNIX_DIAG_SHUTDOWN)
      facts->shutdown = *(const uint8_t *)content;
    else if (a->rta_type == UNIX_DIAG_RQLEN && m->udiag_state == 10 /* TCP_LISTEN */) {
      const struct unix_diag_rqlen *queue = content;

      facts->waiting = queue->udiag_rqueue;
      facts->backlog = queue->udiag_wqueue;
    }
  }
}

int mpir_socket_unix(uint64_t inode, struct socket_facts *facts) {
  struct {
    struct nlmsghdr head;
    struct unix_diag_req request;
  } ask;
  char answer[1024] __attribute__((aligned(8)));
  const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
  int fd = (int)sys3(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  long n;

  memset(facts, 0, sizeof(*facts));
  if (fd < 0)
    return fd;
  memset(&ask, 0, sizeof(ask));
  ask.head.nlmsg_len = sizeof(ask);
  ask.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  ask.head.nlmsg_flags = NLM_F_REQUEST;
  ask.request.sdiag_family = AF_UNIX;
  ask.request.udiag_states = ~0u;
  ask.request.udiag_ino = (uint32_t)inode;
  ask.request.udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN;
  ask.request.udiag_cookie[0] = ask.request.udiag_cookie[1] = ~0u;
  n = sys6(SYS_sendto, fd, &ask, sizeof(ask), 0, NULL, 0);
  if (n > 0)
    n = sys6(SYS_recvfrom, fd, answer, sizeof(answer), 0, NULL, NULL);
  sys1(SYS_close, fd);
  if (n < 0)
    return (int)n;
  if (!NLMSG_OK(head, (unsigned long)n) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return -ENOENT;
  take_attributes(head, facts);
  return 0;
}

struct tcp_line {
  char local[ADDRESS_MAX], remote[ADDRESS_MAX];
  uint64_t inode;
};

static const char *skip_word(const char *s) {
  while (*s && *s != ' ' && *s != '\n')
    s++;
  while (*s == ' ')
    s++;
  return s;
}

static void copy_word(char *to, const char *s) {
  size_t n = 0;

  for (; s[n] && s[n] != ' ' && n + 1 < ADDRESS_MAX; n++)
    to[n] = s[n];
  to[n] = '\0';
}

/* "  sl: local remote state tx:rx tr:when retransmits uid timeout inode ...".  Returns the next line, NULL at the end. */
static const char *take_line(const char *s, struct tcp_line *line) {
  while (*s == ' ')
    s++;
  for (int field = 1; field < FIELDS; field++) {
    s = skip_word(s);
    if (field == 1)
      copy_word(line->local, s);
    else if (field == 2)
      copy_word(line->remote, s);
  }
  line->inode = mpir_plain_dec(&s);
  s = strchr(s, '\n');
  return s ? s + 1 : NULL;
}

static bool find_peer(const char *text, uint64_t inode, struct socket_facts *facts) {
  const char *first = strchr(text, '\n');
  struct tcp_line own = {"", "", 0}, other;
  bool found = false;

  first = first ? first + 1 : NULL;
  for (const char *s = first; s && *s && !found;) {
    s = take_line(s, &own);
    found = own.inode == inode;
  }
  for (const char *s = first; s && *s && found;) {
    s = take_line(s, &other);
    if (strcmp(other.local, own.remote) == 0 && strcmp(other.remote, own.local) == 0 && other.inode != inode)
      facts->peer = other.inode;
  }
  return found;
}

int mpir_socket_tcp(uint64_t inode, char *space, size_t size, struct socket_facts *facts) {
  memset(facts, 0, sizeof(*facts));
  if (mpir_plain_read_file("/proc/thread-self/net/tcp", space, size) > 0 && find_peer(space, inode, facts))
    return 0;
  return mpir_plain_read_file("/proc/thread-self/net/tcp6", space, size) > 0 && find_peer(space, inode, facts) ? 0 : -ENOENT;
}

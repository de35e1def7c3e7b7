/* Which socket is at the other end of a connection.  Without libc's locks or heap: async-signal-safe. */
#ifndef DVM_MPIR_SOCKET_PEER_H
#define DVM_MPIR_SOCKET_PEER_H
#include <stddef.h>
#include <stdint.h>

struct socket_facts {
  uint64_t peer;      /* inode, 0: none any more, or not to be seen */
  uint32_t waiting;   /* listening: connections that are not accepted yet */
  uint32_t backlog;   /* listening: the limit of those */
  uint32_t shutdown;  /* 1: receives no more, 2: sends no more */
};

/* Of a unix socket.  Returns 0 or -E... */
int mpir_socket_unix(uint64_t inode, struct socket_facts *facts);
/* Of a TCP socket: 'peer' alone.  'space' takes the text of /proc/net/tcp. */
int mpir_socket_tcp(uint64_t inode, char *space, size_t size, struct socket_facts *facts);
#endif

/* Stream sockets of the two transports: TCP, and unix sockets named HOST/sdm.PORT when the host is a folder. */
#ifndef SDM_NET_H
#define SDM_NET_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Listens at 'host' on the first free port of base, base+1, ... (tries); base 0: any.  Returns the descriptor and the
 * port, or a negative code. */
int sdm_net_listen(const char *host, uint16_t base, unsigned tries, uint16_t *port, struct dvm_error *err);
/* Starts to connect; writable means done, then sdm_net_connected tells how it went (0 or -E...). */
int sdm_net_dial(const char *host, uint16_t port, struct dvm_error *err);
int sdm_net_connected(int fd);
int sdm_net_accept(int fd);
/* Own address of a connected socket, numeric. */
int sdm_net_own_host(int fd, char *host, unsigned size);
/* "host:port", "[v6]:port", "/folder:port".  'host' has room for 256 bytes. */
int sdm_net_parse(const char *text, char *host, uint16_t *port, struct dvm_error *err);
/* Whether it is of any use to try again (the server may come up later). */
bool sdm_net_may_come(int code);
/* In a program that merely hosts us, a descriptor may no longer be ours: closed by who closes all, and opened as
 * something else.  Closes it only if it is a socket. */
void sdm_net_close(int fd);
#endif

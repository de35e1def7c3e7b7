#define _GNU_SOURCE
#include "sdm/net/here.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The name up to the first dot: launchers give either form. */
static bool same_name(const char *a, const char *b) {
  size_t n = strcspn(a, "."), m = strcspn(b, ".");
  return !strcmp(a, b) || (n == m && !strncmp(a, b, n) && (!a[n] || !b[m]));
}

static bool same_address(const struct sockaddr *a, const struct sockaddr *b) {
  if (!b || a->sa_family != b->sa_family)
    return false;
  if (a->sa_family == AF_INET)
    return ((const struct sockaddr_in *)a)->sin_addr.s_addr == ((const struct sockaddr_in *)b)->sin_addr.s_addr;
  return a->sa_family == AF_INET6 &&
         !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr, &((const struct sockaddr_in6 *)b)->sin6_addr, 16);
}

static bool is_loopback(const struct sockaddr *a) {
  return a->sa_family == AF_INET && ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
}

bool sdm_host_is_here(const char *host) {
  char own[256] = "";
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
  struct ifaddrs *interfaces = NULL;
  bool here = !strcmp(host, "localhost") || (!gethostname(own, sizeof(own) - 1) && same_name(own, host));
  if (here || getaddrinfo(host, NULL, &hints, &list))
    return here;
  if (!getifaddrs(&interfaces))
    for (struct addrinfo *a = list; a && !here; a = a->ai_next) {
      here = is_loopback(a->ai_addr);
      for (struct ifaddrs *i = interfaces; i && !here; i = i->ifa_next)
        here = same_address(a->ai_addr, i->ifa_addr);
    }
  freeifaddrs(interfaces);
  freeaddrinfo(list);
  return here;
}

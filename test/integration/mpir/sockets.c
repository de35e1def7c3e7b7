/* Sockets inside one process, of all kinds that are restored.  sockets IMAGE FOLDER */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "self.h"

static int stream[2], packets[2], datagrams[2], half[2], closed, path_listener, path_client, path_server, abstract, tcp_listener,
  tcp_client, tcp_server, tcp_closed, udp, idle, twin;
static struct sockaddr_in tcp_name, client_name, udp_name;
static struct sockaddr_un path_name = { .sun_family = AF_UNIX }, abstract_name = { .sun_family = AF_UNIX, .sun_path = "\0dvm-sockets" };
static const socklen_t abstract_size = offsetof(struct sockaddr_un, sun_path) + 12;
static char large[300000];

static int get(int fd, int level, int name)
{
  int value = -1;
  socklen_t size = sizeof(value);

  CHECK(!getsockopt(fd, level, name, &value, &size));
  return value;
}

static void put(int fd, int level, int name, int value) { CHECK(!setsockopt(fd, level, name, &value, sizeof(value))); }

static void expect(int fd, const char *text)
{
  char got[64] = "";

  if (recv(fd, got, strlen(text), MSG_WAITALL) != (ssize_t)strlen(text) || strcmp(got, text) != 0)
    fprintf(stderr, "'%s' instead of '%s'\n", got, text), exit(3);
}

static void expect_packet(int fd, const char *text)
{
  char got[64] = "";

  CHECK(recv(fd, got, sizeof(got), 0) == (ssize_t)strlen(text) && strcmp(got, text) == 0);
}

static void expect_nothing(int fd)
{
  char byte;

  CHECK(recv(fd, &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
}

static void exchange(int a, int b)
{
  CHECK(send(a, "there", 5, 0) == 5);
  expect(b, "there");
  CHECK(send(b, "back", 4, 0) == 4);
  expect(a, "back");
}

static void make_unix(const char *folder)
{
  int other[2];

  CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, stream) && !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets) &&
        !socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams) && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, half) &&
        !socketpair(AF_UNIX, SOCK_STREAM, 0, other));
  put(stream[0], SOL_SOCKET, SO_SNDBUF, 400000);
  put(stream[1], SOL_SOCKET, SO_PASSCRED, 1);
  for (size_t i = 0; i < sizeof(large); i++)
    large[i] = (char)(i * 7);
  CHECK(send(stream[0], large, 250000, MSG_DONTWAIT) == 250000 && send(stream[1], "to zero", 7, 0) == 7);
  CHECK(send(packets[0], "one", 3, 0) == 3 && send(packets[0], "second", 6, 0) == 6 && send(datagrams[1], "first", 5, 0) == 5 &&
        send(datagrams[1], "", 0, 0) == 0 && send(datagrams[1], "third", 5, 0) == 5);
  CHECK(send(half[0], "last words", 10, 0) == 10 && !shutdown(half[0], SHUT_WR));
  CHECK(send(other[0], "from the dead", 13, 0) == 13 && !close(other[0]));
  closed = other[1];
  snprintf(path_name.sun_path, sizeof(path_name.sun_path), "%s/socket", folder);
  path_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  path_client = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(!bind(path_listener, (struct sockaddr *)&path_name, sizeof(path_name)) && !listen(path_listener, 7) &&
        !connect(path_client, (struct sockaddr *)&path_name, sizeof(path_name)));
  path_server = accept(path_listener, NULL, NULL);
  CHECK(path_server >= 0 && send(path_client, "by path", 7, 0) == 7);
  abstract = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(!bind(abstract, (struct sockaddr *)&abstract_name, abstract_size) && !listen(abstract, 3));
  idle = socket(AF_UNIX, SOCK_DGRAM, 0);
  twin = dup(stream[0]);
}

static void look_at_unix(void)
{
  struct sockaddr_un name;
  socklen_t size = sizeof(name);
  char *got = malloc(250000);
  int fd;

  CHECK(recv(stream[1], got, 250000, MSG_WAITALL) == 250000 && memcmp(got, large, 250000) == 0);
  expect(twin, "to zero");
  exchange(stream[0], stream[1]);
  CHECK(get(stream[0], SOL_SOCKET, SO_SNDBUF) == 800000 && get(stream[1], SOL_SOCKET, SO_PASSCRED) == 1);
  expect_packet(packets[1], "one");
  expect_packet(packets[1], "second");
  expect_nothing(packets[1]);
  expect_packet(datagrams[0], "first");
  expect_packet(datagrams[0], "");
  expect_packet(datagrams[0], "third");
  CHECK(send(packets[1], "p", 1, 0) == 1 && send(datagrams[0], "d", 1, 0) == 1);
  expect_packet(packets[0], "p");
  expect_packet(datagrams[1], "d");
  expect(half[1], "last words");
  CHECK(recv(half[1], got, 1, 0) == 0 && send(half[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE && send(half[1], "y", 1, 0) == 1);
  CHECK(fcntl(half[0], F_GETFL) & O_NONBLOCK);
  expect(half[0], "y");
  expect(closed, "from the dead");
  CHECK(recv(closed, got, 1, 0) == 0 && send(closed, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  expect(path_server, "by path");
  exchange(path_client, path_server);
  CHECK(!getsockname(path_server, (struct sockaddr *)&name, &size) && strcmp(name.sun_path, path_name.sun_path) == 0);
  CHECK(fcntl(path_listener, F_GETFD) == FD_CLOEXEC);
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(!connect(fd, (struct sockaddr *)&path_name, sizeof(path_name)) && accept(path_listener, NULL, NULL) >= 0);
  fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(!connect(fd, (struct sockaddr *)&abstract_name, abstract_size) && accept(abstract, NULL, NULL) >= 0);
  CHECK(get(idle, SOL_SOCKET, SO_TYPE) == SOCK_DGRAM);
}

static int connected(struct sockaddr_in *own)
{
  socklen_t size = sizeof(*own);
  int fd = socket(AF_INET, SOCK_STREAM, 0);

  CHECK(!connect(fd, (struct sockaddr *)&tcp_name, sizeof(tcp_name)) && !getsockname(fd, (struct sockaddr *)own, &size));
  return fd;
}

static void make_inet(void)
{
  struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, ignored;
  socklen_t size = sizeof(tcp_name);
  int fd;

  tcp_listener = socket(AF_INET, SOCK_STREAM, 0);
  put(tcp_listener, SOL_SOCKET, SO_REUSEADDR, 1);
  CHECK(!bind(tcp_listener, (struct sockaddr *)&any, sizeof(any)) && !listen(tcp_listener, 9) &&
        !getsockname(tcp_listener, (struct sockaddr *)&tcp_name, &size));
  tcp_client = connected(&client_name);
  tcp_server = accept(tcp_listener, NULL, NULL);
  put(tcp_client, IPPROTO_TCP, TCP_NODELAY, 1);
  put(tcp_client, SOL_SOCKET, SO_KEEPALIVE, 1);
  put(tcp_client, IPPROTO_TCP, TCP_KEEPIDLE, 77);
  CHECK(send(tcp_client, "to the server", 13, 0) == 13 && send(tcp_server, "to the client", 13, 0) == 13);
  fd = connected(&ignored);
  tcp_closed = accept(tcp_listener, NULL, NULL);
  CHECK(send(fd, "goodbye", 7, 0) == 7 && !close(fd));
  udp = socket(AF_INET, SOCK_DGRAM, 0);
  size = sizeof(udp_name);
  CHECK(!bind(udp, (struct sockaddr *)&any, sizeof(any)) && !getsockname(udp, (struct sockaddr *)&udp_name, &size));
}

static void look_at_inet(void)
{
  struct sockaddr_in name;
  socklen_t size = sizeof(name);
  int fd;

  expect(tcp_server, "to the server");
  expect(tcp_client, "to the client");
  exchange(tcp_client, tcp_server);
  CHECK(!getpeername(tcp_server, (struct sockaddr *)&name, &size) && name.sin_port == client_name.sin_port);
  CHECK(!getpeername(tcp_client, (struct sockaddr *)&name, &size) && name.sin_port == tcp_name.sin_port);
  CHECK(get(tcp_client, IPPROTO_TCP, TCP_NODELAY) == 1 && get(tcp_client, SOL_SOCKET, SO_KEEPALIVE) == 1 &&
        get(tcp_client, IPPROTO_TCP, TCP_KEEPIDLE) == 77 && get(tcp_server, IPPROTO_TCP, TCP_NODELAY) == 0);
  expect(tcp_closed, "goodbye");
  CHECK(recv(tcp_closed, &name, 1, 0) == 0);
  fd = connected(&name);
  CHECK(accept(tcp_listener, NULL, NULL) >= 0 && !close(fd));
  fd = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK(sendto(fd, "datagram", 8, 0, (struct sockaddr *)&udp_name, sizeof(udp_name)) == 8);
  expect_packet(udp, "datagram");
}

int main(int argc, char **argv)
{
  if (argc < 3)
    return 2;
  make_unix(argv[2]);
  make_inet();
  self_save(argv[1]);
  look_at_unix();
  look_at_inet();
  puts("as before");
  return 0;
}

/* The process as one of a set that is saved together: its talk with the command that leads, while its threads stand. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/sys.h"

static struct crs_object objects[CRS_OBJECTS_MAX];
static unsigned object_count;
static char final_name[CRS_PATH_MAX];

/* The leader may need long for the other members; it is gone when the connection ends. */
static int receive(int fd, void *to, size_t size) {
  char *p = to;

  while (size) {
    long n = sys6(SYS_recvfrom, fd, p, size, 0, NULL, NULL);

    if (n == -EINTR || n == -EAGAIN)
      continue;
    if (n <= 0)
      return -ECANCELED;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

static int tell(int fd, const void *from, size_t size) {
  const char *p = from;

  while (size) {
    long n = sys6(SYS_sendto, fd, p, size, MSG_NOSIGNAL, NULL, 0);

    if (n == -EINTR || n == -EAGAIN)
      continue;
    if (n <= 0)
      return -ECANCELED;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

int mpir_crs_group_begin(int connection, struct crs_reply *reply) {
  static struct crs_order order;
  int rc;

  object_count = 0;
  reply->phase = CRS_STOPPED;
  rc = tell(connection, reply, sizeof(*reply));
  reply->phase = CRS_DONE;
  if (!rc)
    rc = receive(connection, &order, sizeof(order));
  if (!rc && (order.version != CRS_PROTOCOL_VERSION || order.count > CRS_OBJECTS_MAX))
    rc = -ECANCELED;
  if (!rc)
    rc = receive(connection, objects, order.count * sizeof(objects[0]));
  if (rc)
    return rc;
  object_count = order.count;
  order.path[sizeof(order.path) - 1] = order.name[sizeof(order.name) - 1] = '\0';
  memcpy(final_name, order.name, sizeof(final_name));
  memcpy(reply->path, order.path, sizeof(reply->path));
  return 0;
}

int mpir_crs_group_copied(const struct crs_request *request, int connection, const char *notices) {
  static struct crs_reply reply;
  char go = 0;

  if (!(request->flags & CRS_MEMBER))
    return 0;
  memset(&reply, 0, sizeof(reply));
  reply.version = CRS_PROTOCOL_VERSION;
  reply.phase = CRS_COPIED;
  strcpy(reply.text, notices);
  return tell(connection, &reply, sizeof(reply)) || receive(connection, &go, 1) || go != CRS_GO ? -ECANCELED : 0;
}

const char *mpir_crs_group_name(const struct crs_request *request, const char *path) {
  return request->flags & CRS_MEMBER ? final_name : path;
}

uint32_t mpir_crs_group_object(uint64_t device, uint64_t inode) {
  for (unsigned i = 0; i < object_count; i++)
    if (objects[i].inode == inode && objects[i].device == device)
      return objects[i].flags;
  return 0;
}

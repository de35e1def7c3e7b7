/* Names of requests in records.  Addresses would do in one process; replicas need what is the same in both, which the order of the calls gives. */
#include "mpir/replica/replica_private.h"
#include <stdlib.h>

static struct ompi_request_t **named;
static uint32_t *unused, nunused, room, nnamed = 1; /* 0 names nothing */

static void grow(void) {
  room = room ? 2 * room : 64;
  named = realloc(named, room * sizeof(*named));
  unused = realloc(unused, room * sizeof(*unused));
  if (!named || !unused)
    mpl_die(1, "no memory for requests");
}

void mpl_request_name(struct ompi_request_t *q) {
  if (!mpl_replicated())
    return;
  if (nnamed >= room)
    grow();
  q->name = nunused ? unused[--nunused] : nnamed++;
  named[q->name] = q;
}

void mpl_request_unname(struct ompi_request_t *q) {
  if (q->name)
    unused[nunused++] = q->name;
}

uint64_t mpl_request_token(struct ompi_request_t *q) { return mpl_replicated() ? q->name : (uintptr_t)q; }
struct ompi_request_t *mpl_request_of(uint64_t token) {
  if (mpl_replicated() && (!token || token >= nnamed))
    mpl_die(1, "a record names a request that was never there: the memory that ranks share is damaged");
  return mpl_replicated() ? named[token] : (struct ompi_request_t *)(uintptr_t)token;
}

/* Between the controllers' proxies of the two sets of replicas: packets of rings whose ranks have lost a replica, by a pipe each way, which the command has made. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/proxy/proxy_fresh.h"

struct piece {
  struct piece *next;
  uint32_t bytes, done;
  struct proxy_head head;
  char data[];
};

static struct {
  struct sets *shared;
  unsigned side;
  uint32_t life; /* of the other one */
  int in, out;
  _Atomic uint32_t *rests, *other_rests;
  struct piece *first, **last;
  uint32_t got; /* bytes of 'packet' */
  struct {
    struct proxy_head head;
    char data[PROXY_PIECE];
  } packet;
} way = {.last = &way.first};

enum { BUSY_NS = 20000000, BUSY_US = 50 };
static int64_t passed_ns; /* when something was passed on last */

static int open_end(const struct sets *shared, int fd, int flags) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", shared->command, fd);
  const int opened = open(path, flags | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) {
    fprintf(stderr, "dvm run: error: the proxy cannot open a way to the other set: %s\n", strerror(errno));
    exit(1);
  }
  return opened;
}

static void open_both(void) {
  way.in = open_end(way.shared, way.shared->sides[way.side].way[0], O_RDONLY);
  way.out = open_end(way.shared, way.shared->sides[1 - way.side].way[1], O_WRONLY);
}

void proxy_ways_open(struct sets *shared, unsigned side) {
  way.shared = shared;
  way.side = side;
  way.life = atomic_load(&shared->sides[1 - side].life);
  way.rests = &shared->sides[side].rests;
  way.other_rests = &shared->sides[1 - side].rests;
  open_both();
}

static void drop_first(void) {
  struct piece *piece = way.first;
  way.first = piece->next;
  way.last = way.first ? way.last : &way.first;
  free(piece);
}

/* The other one is another process now: what was on its way is of no use. */
static void begin_anew(void) {
  const uint32_t life = atomic_load(&way.shared->sides[1 - way.side].life);
  if (life == way.life)
    return;
  way.life = life;
  close(way.in);
  close(way.out);
  open_both();
  way.got = 0;
  while (way.first)
    drop_first();
}

void proxy_ways_put(const struct proxy_head *head, const char *data) {
  struct piece *piece = malloc(sizeof(*piece) + head->bytes);
  if (!piece)
    exit(1);
  *piece = (struct piece){.bytes = (uint32_t)sizeof(*head) + head->bytes, .head = *head};
  if (head->bytes)
    memcpy(piece->data, data, head->bytes);
  *way.last = piece;
  way.last = &piece->next;
  passed_ns = dvm_clock_ns();
}

/* What nodes send does not wake: Open MPI has no wait that sleeps.  A message between the sets comes through four processes that wait so. */
void proxy_ways_rest(unsigned us) {
  const unsigned limit = dvm_clock_ns() - passed_ns < BUSY_NS ? BUSY_US : us;
  atomic_store(way.rests, 1);
  ppoll(&(struct pollfd){way.in, POLLIN, 0}, 1, &(struct timespec){0, (long)limit * 1000}, NULL);
  atomic_store(way.rests, 0);
}

void proxy_ways_wake(void) {
  if (atomic_exchange(way.other_rests, 0))
    proxy_ways_put(&(struct proxy_head){.kind = PROXY_ALIVE}, NULL);
}

static bool send_pieces(void) {
  bool moved = false;
  for (struct piece *piece; (piece = way.first);) {
    const ssize_t n = write(way.out, (const char *)&piece->head + piece->done, piece->bytes - piece->done);
    if (n <= 0)
      break;
    moved = true;
    piece->done += (uint32_t)n;
    if (piece->done < piece->bytes)
      continue;
    drop_first();
  }
  return moved;
}

static bool get(uint32_t upto) {
  while (way.got < upto) {
    const ssize_t n = read(way.in, (char *)&way.packet + way.got, upto - way.got);
    if (n <= 0)
      return false;
    way.got += (uint32_t)n;
  }
  return true;
}

/* What a node gets of a replica that is gone, it gets after it was told so. */
static void pass(struct proxy *p) {
  const struct proxy_head *head = &way.packet.head;
  const uint32_t rank = head->kind == PROXY_CROSS ? head->to : head->from;
  proxy_roles_tell(p);
  passed_ns = dvm_clock_ns();
  if (head->kind == PROXY_ALIVE)
    return;
  if (head->kind == PROXY_FRESH) {
    proxy_fresh_head_take(p, head, way.packet.data);
    return;
  }
  proxy_wire_send((int)mpl_state(p->job, rank)->node + 1, head, way.packet.data);
}

static void look_at(const struct proxy *p, const struct proxy_head *head) {
  const bool is_ring = (head->kind == PROXY_CROSS || head->kind == PROXY_ENDS) && head->to < p->job->nranks;
  const bool is_cut = head->kind == PROXY_FRESH && head->to == FRESH_CUT && head->bytes == fresh_cut_bytes(p->job->nranks);
  const bool is_empty = head->kind == PROXY_ALIVE && !head->bytes;
  if ((is_ring || is_cut || is_empty) && head->bytes <= PROXY_PIECE && head->from < p->job->nranks)
    return;
  fputs("dvm run: error: what came from the other set cannot be right\n", stderr);
  exit(1);
}

bool proxy_ways_progress(struct proxy *p) {
  begin_anew();
  bool moved = send_pieces();
  while (proxy_wire_has_room() && get(sizeof(way.packet.head))) {
    look_at(p, &way.packet.head);
    if (!get((uint32_t)sizeof(way.packet.head) + way.packet.head.bytes))
      break;
    pass(p);
    way.got = 0;
    moved = true;
  }
  return moved;
}

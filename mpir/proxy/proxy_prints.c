/* At the controller of a set of replicas: what its ranks print.  What one that leads has printed goes out when the entries before it are committed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/proxy/proxy.h"

enum { CLOSE_MS = 5000, ACKNOWLEDGED = 32 << 10 };

struct piece {
  struct piece *next;
  uint64_t needs, step; /* entries, steps */
  uint32_t bytes, done;
  char data[];
};

struct stream {
  int fd;
  struct piece *first, **last;
  uint64_t printed, told; /* bytes that went out; that the node knows of */
};

static struct {
  struct sets *shared;
  unsigned side;
  struct stream (*streams)[REPLICA_STREAMS];
} here;

static struct sets_rank *rank_at(uint32_t rank) { return &here.shared->ranks[rank]; }
static bool is_lost(uint32_t rank, unsigned side) { return atomic_load(&rank_at(rank)->lost[side]); }

void proxy_prints_open(const struct proxy *p, struct sets *shared, unsigned side) {
  here.shared = shared;
  here.side = side;
  here.streams = calloc(p->job->nranks, sizeof(*here.streams));
  for (uint32_t i = 0; i < p->job->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      here.streams[i][s].last = &here.streams[i][s].first;
      here.streams[i][s].fd = proxy_sets_descriptor(shared->command, rank_at(i)->streams[side][s], O_WRONLY | O_NONBLOCK, "a pipe");
    }
}

void proxy_prints_take(const struct proxy_head *head, const char *data) {
  struct stream *s = &here.streams[head->from][head->to];
  const uint32_t bytes = head->bytes - (uint32_t)sizeof(uint64_t);
  if (is_lost(head->from, here.side)) /* the other one says it */
    return;
  struct piece *piece = malloc(sizeof(*piece) + bytes);
  if (!piece)
    exit(1);
  *piece = (struct piece){.needs = head->position, .bytes = bytes};
  memcpy(&piece->step, data, sizeof(piece->step));
  memcpy(piece->data, data + sizeof(piece->step), bytes);
  *s->last = piece;
  s->last = &piece->next;
}

static bool may_go_out(uint32_t rank, const struct piece *piece) {
  const struct sets_rank *k = rank_at(rank);
  const bool alone = atomic_load(here.side == SETS_MAINS ? &here.shared->alone : &here.shared->leads);
  return here.side != atomic_load(&k->leader) || alone || is_lost(rank, 1 - here.side) ||
         (atomic_load(&k->committed) >= piece->needs && atomic_load(&k->step) >= piece->step);
}

static void drop_first(struct stream *s) {
  struct piece *piece = s->first;
  s->first = piece->next;
  s->last = s->first ? s->last : &s->first;
  free(piece);
}

static bool put_out(struct stream *s) {
  struct piece *piece = s->first;
  while (piece->done < piece->bytes) {
    const ssize_t n = write(s->fd, piece->data + piece->done, piece->bytes - piece->done);
    if (n < 0 && errno == EAGAIN)
      return false;
    if (n < 0)
      exit(1); /* nobody reads any more */
    piece->done += (uint32_t)n;
  }
  s->printed += piece->bytes;
  drop_first(s);
  return true;
}

bool proxy_prints_move(const struct proxy *p, uint32_t rank, int stream, bool late) {
  struct stream *s = &here.streams[rank][stream];
  bool moved = false;
  if (is_lost(rank, here.side)) { /* the other one says it; a fresh one begins anew */
    while (s->first)
      drop_first(s);
    return false;
  }
  while (s->first && may_go_out(rank, s->first) && put_out(s))
    moved = true;
  if (s->printed != s->told && (late || s->printed - s->told >= ACKNOWLEDGED) && proxy_wire_has_room()) {
    proxy_wire_send((int)mpl_state(p->job, rank)->node + 1, &(struct proxy_head){PROXY_PRINTED, rank, (uint32_t)stream, 0, s->printed},
                    NULL);
    s->told = s->printed;
  }
  return moved;
}

bool proxy_prints_are_out(uint32_t rank) {
  bool out = true;
  for (int s = 0; s < REPLICA_STREAMS; s++)
    out &= !here.streams[rank][s].first;
  return out;
}

void proxy_prints_begin(uint32_t rank) {
  for (int s = 0; s < REPLICA_STREAMS; s++) {
    struct stream *mine = &here.streams[rank][s];
    while (mine->first)
      drop_first(mine);
    mine->printed = mine->told = 0;
  }
}

/* The ranks have ended by themselves: no other course will be taken. */
void proxy_prints_close(void) {
  const int64_t begun = dvm_clock_ns();
  for (uint32_t i = 0; i < here.shared->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      while (here.streams[i][s].first && dvm_clock_ns() - begun < CLOSE_MS * 1000000ll)
        if (!put_out(&here.streams[i][s]))
          poll(&(struct pollfd){here.streams[i][s].fd, POLLOUT, 0}, 1, 10);
}

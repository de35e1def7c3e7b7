/* A node of a set of replicas: what ranks print. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "mpir/proxy/proxy.h"
#include "mpir/replica/shared.h"

enum { WINDOW = 256 << 10 };

static struct stream {
  int read, write;
  uint64_t before, sent, printed; /* bytes; before: by the replica that this one was made of */
  bool empty; /* at the last look */
} (*streams)[REPLICA_STREAMS]; /* by rank of this node */

static int make(struct stream *s) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return -errno;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *s = (struct stream){.read = ends[0], .write = ends[1]};
  return 0;
}

int proxy_outputs_open(struct proxy *p) {
  int rc = 0;
  streams = calloc(p->end - p->first + 1, sizeof(*streams));
  for (uint32_t i = 0; i < p->end - p->first; i++)
    for (int s = 0; s < REPLICA_STREAMS && !rc; s++)
      rc = make(&streams[i][s]);
  return rc;
}

void proxy_outputs_become(struct proxy *p, uint32_t rank) {
  for (int s = 0; s < REPLICA_STREAMS; s++)
    dup2(streams[rank - p->first][s].write, s + 1);
}

void proxy_outputs_started(struct proxy *p) {
  for (uint32_t i = 0; i < p->end - p->first; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      close(streams[i][s].write);
}

int proxy_outputs_begin(struct proxy *p, uint32_t rank, int ends[REPLICA_STREAMS]) {
  int rc = 0;
  for (int s = 0; s < REPLICA_STREAMS; s++) {
    struct stream *mine = &streams[rank - p->first][s];
    ends[s] = -1;
    if (mine->read >= 0)
      close(mine->read);
    mine->read = -1;
    if (rc || (rc = make(mine)))
      continue;
    mine->before = replica_job(p->job)->ranks[rank].printed[s];
    ends[s] = mine->write;
  }
  return rc;
}

static bool send_piece(struct proxy *p, uint32_t rank, int stream) {
  static struct proxy_output piece;
  struct stream *s = &streams[rank - p->first][stream];
  struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  const ssize_t n = read(s->read, piece.text, sizeof(piece.text));
  s->empty = n <= 0;
  if (s->empty)
    return false;
  const uint64_t needs = atomic_load(&k->logged);
  piece.step = atomic_load(&k->step);
  const uint32_t bytes = (uint32_t)(offsetof(struct proxy_output, text) + (size_t)n);
  proxy_wire_send(0, &(struct proxy_head){PROXY_OUTPUT, rank, (uint32_t)stream, bytes, needs}, &piece);
  s->sent += (uint64_t)n;
  k->printed[stream] = s->before + s->sent;
  return true;
}

static bool send_output(struct proxy *p, uint32_t rank, int stream) {
  const struct stream *s = &streams[rank - p->first][stream];
  bool moved = false;
  while (s->sent - s->printed <= WINDOW - PROXY_OUTPUT_BYTES && proxy_wire_has_room() && send_piece(p, rank, stream))
    moved = true;
  return moved;
}

void proxy_outputs_drain(struct proxy *p) {
  for (uint32_t i = p->first; i < p->end; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      while (send_piece(p, i, s))
        ;
}

bool proxy_outputs_send(struct proxy *p, uint32_t rank) {
  bool moved = false;
  for (int s = 0; s < REPLICA_STREAMS; s++)
    moved |= send_output(p, rank, s);
  return moved;
}

bool proxy_outputs_are_sent(struct proxy *p, uint32_t rank) {
  for (int s = 0; s < REPLICA_STREAMS; s++) {
    struct stream *mine = &streams[rank - p->first][s];
    mine->empty = false;
    send_output(p, rank, s);
    if (!mine->empty)
      return false;
  }
  return true;
}

void proxy_outputs_printed(struct proxy *p, const struct proxy_head *head) {
  struct stream *s = &streams[head->from - p->first][head->to];
  if (head->position < s->printed || head->position > s->sent)
    proxy_replicas_gap(head->from);
  s->printed = head->position;
}

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mpir/proxy/proxy.h"

enum { RECEIVES = 16, SENDS = 64, TAG = 7, MEET_US = 200 };

struct packet {
  struct proxy_head head;
  char data[PROXY_PIECE];
};

static struct {
  MPI_Request receives[RECEIVES], sends[SENDS];
  struct packet *in[RECEIVES], *out[SENDS];
  int next; /* receive that is filled first */
  int busy; /* sends under way */
} wire;

static void receive(int i) {
  MPI_Irecv(wire.in[i], (int)sizeof(*wire.in[i]), MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &wire.receives[i]);
}

static void *allocate(size_t size) {
  void *p = malloc(size);
  if (!p) {
    fputs("dvm run: error: a proxy has no memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return p;
}

void proxy_wire_open(void) {
  for (int i = 0; i < RECEIVES; i++) {
    wire.in[i] = allocate(sizeof(*wire.in[i]));
    receive(i);
  }
  for (int i = 0; i < SENDS; i++)
    wire.sends[i] = MPI_REQUEST_NULL;
}

void proxy_wire_meet(void) {
  MPI_Request q;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &q);
  for (MPI_Test(&q, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&q, &done, MPI_STATUS_IGNORE))
    usleep(MEET_US);
}

static void look_at_sends(void) {
  int count, done[SENDS];
  if (!wire.busy)
    return;
  MPI_Testsome(SENDS, wire.sends, &count, done, MPI_STATUSES_IGNORE);
  wire.busy -= count > 0 ? count : 0;
}

bool proxy_wire_has_room(void) {
  if (wire.busy >= SENDS / 2)
    look_at_sends();
  return wire.busy < SENDS / 2; /* the rest is for what cannot wait */
}

void proxy_wire_send(int to, const struct proxy_head *head, const void *data) {
  int i = 0;
  while (wire.busy == SENDS)
    look_at_sends();
  while (wire.sends[i] != MPI_REQUEST_NULL)
    i++;
  if (!wire.out[i])
    wire.out[i] = allocate(sizeof(*wire.out[i]));
  wire.out[i]->head = *head;
  if (head->bytes)
    memcpy(wire.out[i]->data, data, head->bytes);
  MPI_Isend(wire.out[i], (int)(sizeof(*head) + head->bytes), MPI_BYTE, to, TAG, MPI_COMM_WORLD, &wire.sends[i]);
  wire.busy++;
}

static void look_at(const struct proxy *p, const struct packet *in, const MPI_Status *s) {
  int received = 0;
  MPI_Get_count(s, MPI_BYTE, &received);
  const char *wrong = proxy_packet_wrong(p, s->MPI_SOURCE, &in->head, in->data, (size_t)received);
  if (!wrong)
    return;
  fprintf(stderr,
          "dvm run: error: a packet from node %d cannot be right (%s); the job is ended\n"
          "help: all hosts need the same version of dvm\n",
          s->MPI_SOURCE, wrong);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

bool proxy_wire_progress(struct proxy *p, proxy_take_f *take) {
  bool moved = false;
  look_at_sends();
  for (int done = 1; done;) {
    MPI_Status s;
    MPI_Test(&wire.receives[wire.next], &done, &s);
    if (!done)
      break;
    const struct packet *in = wire.in[wire.next];
    look_at(p, in, &s);
    take(p, s.MPI_SOURCE, &in->head, in->data);
    receive(wire.next);
    wire.next = (wire.next + 1) % RECEIVES;
    moved = true;
  }
  return moved;
}

void proxy_wire_close(void) {
  MPI_Waitall(SENDS, wire.sends, MPI_STATUSES_IGNORE);
  proxy_wire_meet();
  for (int i = 0; i < RECEIVES; i++) {
    MPI_Cancel(&wire.receives[i]);
    MPI_Wait(&wire.receives[i], MPI_STATUS_IGNORE);
  }
}

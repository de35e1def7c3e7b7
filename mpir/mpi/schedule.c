#include "mpir/mpi/schedule.h"
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"
#include <stdlib.h>
#include <string.h>

enum step_kind { STEP_SEND, STEP_RECV, STEP_COPY, STEP_OP, STEP_WORK, STEP_ROUND };
struct step {
  enum step_kind kind;
  void *a, *b;
  MPI_Aint na, nb;
  struct ompi_datatype_t *ta, *tb;
  int peer;
  struct ompi_op_t *op;
  mpl_work_f *work;
  struct ompi_request_t *q;
};

struct memory { struct memory *next; max_align_t data[]; };

struct mpl_schedule {
  struct mpl_schedule *next;
  struct ompi_communicator_t *comm;
  struct ompi_request_t *request;
  struct step *steps;
  size_t n, room, begin, end; /* begin, end: of the round that is under way */
  struct memory *memory;
  int tag, error;
  const char *call;
  const void *place;
};

static struct mpl_schedule *active;
uint32_t mpl_schedules_active;

struct mpl_schedule *mpl_schedule_new(struct ompi_communicator_t *comm, enum mpl_collective kind) {
  struct mpl_schedule *s = calloc(1, sizeof(*s));
  s->comm = comm;
  s->tag = (int)((comm->collectives++ & 0xffffff) * MPL_COLLECTIVES) + (int)kind;
  return s;
}

static struct step *add(struct mpl_schedule *s, enum step_kind kind) {
  if (s->n == s->room) {
    s->room = s->room ? 2 * s->room : 16;
    s->steps = realloc(s->steps, s->room * sizeof(*s->steps));
    if (!s->steps)
      mpl_die(1, "no memory for a collective operation");
  }
  struct step *p = &s->steps[s->n++];
  *p = (struct step){.kind = kind};
  return p;
}

static void hold(struct ompi_datatype_t *t) {
  if (t)
    mpl_type_hold(t);
}

static void message(struct mpl_schedule *s, enum step_kind kind, void *buf, MPI_Aint count, struct ompi_datatype_t *type, int peer) {
  if (peer == MPI_PROC_NULL)
    return;
  struct step *p = add(s, kind);
  p->a = buf;
  p->na = count;
  hold(p->ta = type);
  p->peer = peer;
}

void mpl_add_send(struct mpl_schedule *s, const void *buf, MPI_Aint count, struct ompi_datatype_t *type, int peer) {
  message(s, STEP_SEND, (void *)(uintptr_t)buf, count, type, peer);
}

void mpl_add_recv(struct mpl_schedule *s, void *buf, MPI_Aint count, struct ompi_datatype_t *type, int peer) {
  message(s, STEP_RECV, buf, count, type, peer);
}

void mpl_add_copy(struct mpl_schedule *s, const void *from, MPI_Aint nfrom, struct ompi_datatype_t *tfrom, void *to, MPI_Aint nto,
                  struct ompi_datatype_t *tto) {
  struct step *p = add(s, STEP_COPY);
  p->a = (void *)(uintptr_t)from;
  p->na = nfrom;
  hold(p->ta = tfrom);
  p->b = to;
  p->nb = nto;
  hold(p->tb = tto);
}

void mpl_add_op(struct mpl_schedule *s, struct ompi_op_t *op, void *in, void *inout, int count, struct ompi_datatype_t *type) {
  struct step *p = add(s, STEP_OP);
  p->a = in;
  p->b = inout;
  p->na = count;
  hold(p->ta = type);
  p->op = op;
  op->refs++;
}

void mpl_add_work(struct mpl_schedule *s, mpl_work_f *f, void *arg) {
  struct step *p = add(s, STEP_WORK);
  p->work = f;
  p->a = arg;
}

void mpl_next_round(struct mpl_schedule *s) { add(s, STEP_ROUND); }

void *mpl_schedule_memory(struct mpl_schedule *s, size_t bytes) {
  struct memory *m = malloc(sizeof(*m) + (bytes ? bytes : 1));
  if (!m)
    mpl_die(1, "no memory for %zu bytes of a collective operation", bytes);
  m->next = s->memory;
  s->memory = m;
  return m->data;
}

void *mpl_schedule_buffer(struct mpl_schedule *s, MPI_Aint count, const struct ompi_datatype_t *type) {
  MPI_Aint extent = type->ub - type->lb, low = type->true_lb, high = type->true_ub;
  if (count > 1 && extent > 0)
    high += (count - 1) * extent;
  if (count > 1 && extent < 0)
    low += (count - 1) * extent;
  return (char *)mpl_schedule_memory(s, high > low ? (size_t)(high - low) : 0) - low;
}

static void destroy(struct mpl_schedule *s) {
  for (size_t i = 0; i < s->n; i++) {
    struct step *p = &s->steps[i];
    if (p->ta)
      mpl_type_release(p->ta);
    if (p->tb)
      mpl_type_release(p->tb);
    if (p->op)
      mpl_op_release(p->op);
  }
  for (struct memory *m = s->memory, *next; m; m = next) {
    next = m->next;
    free(m);
  }
  free(s->steps);
  free(s);
}

static struct ompi_request_t *begin_message(struct mpl_schedule *s, struct step *p) {
  struct ompi_request_t *q = mpl_request_new(p->kind == STEP_SEND ? MPL_SEND : MPL_RECV, s->comm);
  q->buf = p->a;
  q->count = (int)p->na;
  mpl_type_hold(q->type = p->ta);
  q->peer = p->peer;
  q->tag = s->tag;
  return q;
}

/* Messages of the round that begins: receives first. */
static void begin_round(struct mpl_schedule *s) {
  s->end = s->begin;
  while (s->end < s->n && s->steps[s->end].kind != STEP_ROUND)
    s->end++;
  for (size_t i = s->begin; i < s->end; i++)
    if (s->steps[i].kind == STEP_RECV)
      mpl_recv_start(s->steps[i].q = begin_message(s, &s->steps[i]), true);
  for (size_t i = s->begin; i < s->end; i++)
    if (s->steps[i].kind == STEP_SEND)
      mpl_send_start(s->steps[i].q = begin_message(s, &s->steps[i]), true);
}

static bool round_complete(struct mpl_schedule *s) {
  for (size_t i = s->begin; i < s->end; i++) {
    struct step *p = &s->steps[i];
    if (!p->q)
      continue;
    if (!p->q->complete)
      return false;
    if (p->q->status.MPI_ERROR && !s->error)
      s->error = p->q->status.MPI_ERROR;
    mpl_request_free(p->q);
    p->q = NULL;
  }
  return true;
}

static void work(struct mpl_schedule *s, struct step *p) {
  int rc = MPI_SUCCESS;
  if (p->kind == STEP_COPY)
    mpl_copy(p->a, p->na, p->ta, p->b, p->nb, p->tb);
  else if (p->kind == STEP_OP)
    rc = mpl_op_apply(p->op, p->a, p->b, (int)p->na, p->ta);
  else if (p->kind == STEP_WORK)
    rc = p->work(p->a, s->comm);
  if (rc && !s->error)
    s->error = rc;
}

/* Goes on as far as it can; true when all is done. */
static bool advance(struct mpl_schedule *s) {
  while (round_complete(s)) {
    for (size_t i = s->begin; i < s->end; i++)
      work(s, &s->steps[i]);
    if (s->end >= s->n)
      return true;
    s->begin = s->end + 1;
    begin_round(s);
  }
  return false;
}

static void end(struct mpl_schedule *s) {
  struct ompi_request_t *q = s->request;
  q->status.MPI_ERROR = s->error;
  q->schedule = NULL;
  q->complete = true;
  destroy(s);
  if (q->freed)
    mpl_request_free(q);
}

bool mpl_schedules_progress(void) {
  static bool inside;
  bool moved = false;
  if (inside)
    return false;
  inside = true;
  for (struct mpl_schedule **at = &active; *at;) {
    struct mpl_schedule *s = *at;
    size_t before = s->begin;
    if (advance(s)) {
      *at = s->next;
      mpl_schedules_active--;
      end(s);
      moved = true;
    } else {
      moved |= s->begin != before;
      at = &s->next;
    }
  }
  inside = false;
  return moved;
}

uint32_t mpl_schedule_peers(const struct mpl_schedule *s, int32_t *peers, uint32_t max) {
  uint32_t n = 0;
  for (size_t i = s->begin; i < s->end; i++) {
    const struct step *p = &s->steps[i];
    if (!p->q || p->q->complete)
      continue;
    int rank = mpl_job_rank(s->comm, p->peer);
    bool known = false;
    for (uint32_t k = 0; k < n && k < max; k++)
      known |= peers[k] == rank;
    if (known)
      continue;
    if (n < max)
      peers[n] = rank;
    n++;
  }
  return n;
}

struct ompi_request_t *mpl_schedule_start(struct mpl_schedule *s, const char *call, const void *place) {
  struct ompi_request_t *q = s->request = mpl_request_new(MPL_COLLECTIVE, s->comm);
  q->schedule = s;
  q->active = true;
  q->peer = MPI_PROC_NULL;
  q->tag = s->tag;
  q->context = s->comm->context + 1;
  q->place = place;
  s->call = call;
  s->place = place;
  begin_round(s);
  if (advance(s)) {
    end(s);
    return q;
  }
  struct mpl_schedule **at = &active;
  while (*at)
    at = &(*at)->next;
  *at = s;
  mpl_schedules_active++;
  return q;
}

int mpl_schedule_run(struct mpl_schedule *s, const char *call, const void *place) {
  struct ompi_communicator_t *comm = s->comm;
  comm->refs++;
  struct ompi_request_t *q = mpl_schedule_start(s, call, place);
  mpl_wait_for(q, call, place);
  int rc = q->status.MPI_ERROR;
  mpl_request_free(q);
  rc = rc ? mpl_error(comm, rc, call) : MPI_SUCCESS;
  mpl_comm_release(comm);
  return rc;
}

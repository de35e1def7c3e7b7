/* Sending, receiving, probing: the calls. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/type.h"
#include <stdlib.h>
#include <string.h>

/* --- arguments --- */

static int check(const struct ompi_communicator_t *comm, int count, const struct ompi_datatype_t *type, int peer, int tag, bool receives) {
  if (!comm || comm->magic != MPL_COMM || comm == MPI_COMM_NULL)
    return MPI_ERR_COMM;
  if (count < 0)
    return MPI_ERR_COUNT;
  if (!type || type->magic != MPL_TYPE || type == MPI_DATATYPE_NULL || !type->committed)
    return MPI_ERR_TYPE;
  if (peer == MPI_PROC_NULL)
    return MPI_SUCCESS;
  if ((tag < 0 && !(receives && tag == MPI_ANY_TAG)))
    return MPI_ERR_TAG;
  int peers = comm->inter ? comm->remote_size : comm->size;
  if ((peer < 0 && !(receives && peer == MPI_ANY_SOURCE)) || peer >= peers)
    return MPI_ERR_RANK;
  return MPI_SUCCESS;
}

static struct ompi_request_t *make(enum mpl_request_kind kind, const void *buf, int count, struct ompi_datatype_t *type, int peer, int tag,
                                   struct ompi_communicator_t *comm, const void *place) {
  struct ompi_request_t *q = mpl_request_new(kind, comm);
  q->buf = (void *)(uintptr_t)buf;
  q->count = count;
  q->type = type;
  mpl_type_hold(type);
  q->peer = peer;
  q->tag = tag;
  q->place = place;
  return q;
}

/* --- buffered sends --- */

static struct {
  void *memory;
  size_t size, used;
  int pending;
} attached;

struct loan { struct ompi_request_t *q; size_t size; struct loan *next; };
static struct loan *loans;

static void collect_loans(void) {
  for (struct loan **at = &loans; *at;) {
    struct loan *l = *at;
    if (!l->q->complete) {
      at = &l->next;
      continue;
    }
    *at = l->next;
    attached.used -= l->size;
    mpl_request_free(l->q);
    free(l);
  }
}

/* The data are copied; a request of our own carries them on. */
static int send_buffered(struct ompi_request_t *model) {
  size_t size = (size_t)(model->count * model->type->size), room = size + MPI_BSEND_OVERHEAD;
  collect_loans();
  if (attached.used + room > attached.size) {
    mpl_progress();
    collect_loans();
  }
  if (model->peer == MPI_PROC_NULL)
    return MPI_SUCCESS;
  if (attached.used + room > attached.size)
    return MPI_ERR_BUFFER;
  struct ompi_request_t *q = make(MPL_SEND, model->buf, model->count, model->type, model->peer, model->tag, model->comm, model->place);
  q->bytes = malloc(size ? size : 1);
  mpl_pack(q->type, q->count, q->buf, q->bytes);
  q->own_bytes = q->lent = true;
  struct loan *l = malloc(sizeof(*l));
  *l = (struct loan){q, room, loans};
  loans = l;
  attached.used += room;
  mpl_send_start(q, false);
  return MPI_SUCCESS;
}

MPL_API(int, Buffer_attach, void *buffer, int size) {
  MPL_ENTER;
  if (attached.memory || size < 0)
    return mpl_error(NULL, MPI_ERR_BUFFER, "MPI_Buffer_attach");
  attached.memory = buffer;
  attached.size = (size_t)size;
  return MPI_SUCCESS;
}

static bool no_loans(void *arg) {
  (void)arg;
  collect_loans();
  return !loans;
}

MPL_API(int, Buffer_detach, void *buffer, int *size) {
  MPL_ENTER;
  if (!attached.memory)
    return mpl_error(NULL, MPI_ERR_BUFFER, "MPI_Buffer_detach");
  if (!no_loans(NULL))
    mpl_wait_until(no_loans, NULL, &(struct mpl_why){.call = "MPI_Buffer_detach", .place = MPL_PLACE, .q = loans->q});
  *(void **)buffer = attached.memory;
  *size = (int)attached.size;
  attached.memory = NULL;
  attached.size = 0;
  return MPI_SUCCESS;
}

/* --- start of a request, by its mode --- */

static int start(struct ompi_request_t *q) {
  if (q->kind == MPL_RECV) {
    mpl_recv_start(q, false);
    return MPI_SUCCESS;
  }
  if (q->mode != MPL_BUFFERED) {
    mpl_send_start(q, false);
    return MPI_SUCCESS;
  }
  q->active = q->complete = true;
  return send_buffered(q);
}

static int blocking_send(const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, enum mpl_mode mode, const char *call,
                         const void *place) {
  int rc = check(comm, count, type, peer, tag, false);
  if (rc)
    return mpl_error(comm, rc, call);
  struct ompi_request_t *q = make(MPL_SEND, buf, count, type, peer, tag, comm, place);
  q->mode = (uint8_t)mode;
  rc = start(q);
  mpl_wait_for(q, call, place);
  mpl_request_free(q);
  return rc ? mpl_error(comm, rc, call) : MPI_SUCCESS;
}

#define SEND_ARGUMENTS const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm
#define SENDS(X) X(Send, STANDARD) X(Ssend, SYNCHRONOUS) X(Bsend, BUFFERED) X(Rsend, READY)
#define X(name, mode)                                                                                               \
  MPL_API(int, name, SEND_ARGUMENTS) {                                                                              \
    MPL_ENTER;                                                                                                      \
    return blocking_send(buf, count, type, dest, tag, comm, MPL_##mode, "MPI_" #name, MPL_PLACE);                   \
  }
SENDS(X)
#undef X

static int begin(enum mpl_request_kind kind, enum mpl_mode mode, bool persistent, const void *buf, int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm, MPI_Request *request, const char *call, const void *place) {
  int rc = check(comm, count, type, peer, tag, kind == MPL_RECV);
  if (rc)
    return mpl_error(comm, rc, call);
  struct ompi_request_t *q = make(kind, buf, count, type, peer, tag, comm, place);
  q->mode = (uint8_t)mode;
  q->persistent = persistent;
  q->complete = persistent;
  *request = q;
  rc = persistent ? MPI_SUCCESS : start(q);
  return rc ? mpl_error(comm, rc, call) : MPI_SUCCESS;
}

#define X(name, mode)                                                                                                                      \
  MPL_API(int, I##name, SEND_ARGUMENTS, MPI_Request *request) {                                                                            \
    MPL_ENTER;                                                                                                                             \
    return begin(MPL_SEND, MPL_##mode, false, buf, count, type, dest, tag, comm, request, "MPI_I" #name, MPL_PLACE);                       \
  }
X(send, STANDARD) X(ssend, SYNCHRONOUS) X(bsend, BUFFERED) X(rsend, READY)
#undef X
#define X(name, mode)                                                                                                                      \
  MPL_API(int, name##_init, SEND_ARGUMENTS, MPI_Request *request) {                                                                        \
    MPL_ENTER;                                                                                                                             \
    return begin(MPL_SEND, MPL_##mode, true, buf, count, type, dest, tag, comm, request, "MPI_" #name "_init", MPL_PLACE);                 \
  }
SENDS(X)
#undef X

MPL_API(int, Irecv, void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  MPL_ENTER;
  return begin(MPL_RECV, MPL_STANDARD, false, buf, count, type, source, tag, comm, request, "MPI_Irecv", MPL_PLACE);
}

MPL_API(int, Recv_init, void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  MPL_ENTER;
  return begin(MPL_RECV, MPL_STANDARD, true, buf, count, type, source, tag, comm, request, "MPI_Recv_init", MPL_PLACE);
}

/* Takes the result of a request that is done, and lets it go. */
static int finish(struct ompi_request_t *q, MPI_Status *status, const char *call) {
  int rc = q->status.MPI_ERROR;
  struct ompi_communicator_t *comm = q->comm;
  if (status != MPI_STATUS_IGNORE) {
    int before = status->MPI_ERROR;
    *status = q->status;
    status->MPI_ERROR = before;
  }
  comm->refs++;
  mpl_request_free(q);
  rc = rc ? mpl_error(comm, rc, call) : MPI_SUCCESS;
  mpl_comm_release(comm);
  return rc;
}

MPL_API(int, Recv, void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  MPL_ENTER;
  int rc = check(comm, count, type, source, tag, true);
  if (rc)
    return mpl_error(comm, rc, "MPI_Recv");
  struct ompi_request_t *q = make(MPL_RECV, buf, count, type, source, tag, comm, MPL_PLACE);
  mpl_recv_start(q, false);
  mpl_wait_for(q, "MPI_Recv", MPL_PLACE);
  return finish(q, status, "MPI_Recv");
}

static int exchange(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status, const char *call, const void *place) {
  int rc = check(comm, sendcount, sendtype, dest, sendtag, false);
  if (!rc)
    rc = check(comm, recvcount, recvtype, source, recvtag, true);
  if (rc)
    return mpl_error(comm, rc, call);
  struct ompi_request_t *in = make(MPL_RECV, recvbuf, recvcount, recvtype, source, recvtag, comm, place);
  struct ompi_request_t *out = make(MPL_SEND, sendbuf, sendcount, sendtype, dest, sendtag, comm, place);
  mpl_recv_start(in, false);
  mpl_send_start(out, false);
  mpl_wait_for(in, call, place);
  mpl_wait_for(out, call, place);
  mpl_request_free(out);
  return finish(in, status, call);
}

MPL_API(int, Sendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  MPL_ENTER;
  return exchange(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status, "MPI_Sendrecv",
                  MPL_PLACE);
}

MPL_API(int, Sendrecv_replace, void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
        MPI_Status *status) {
  MPL_ENTER;
  int rc = check(comm, count, type, dest, sendtag, false);
  if (rc)
    return mpl_error(comm, rc, "MPI_Sendrecv_replace");
  size_t size = (size_t)(count * type->size);
  char *copy = malloc(size ? size : 1);
  mpl_pack(type, count, buf, copy);
  rc = exchange(copy, (int)size, MPI_BYTE, dest, sendtag, buf, count, type, source, recvtag, comm, status, "MPI_Sendrecv_replace", MPL_PLACE);
  free(copy);
  return rc;
}

/* --- persistent requests --- */

MPL_API(int, Start, MPI_Request *request) {
  MPL_ENTER;
  struct ompi_request_t *q = *request;
  if (!q || q == MPI_REQUEST_NULL || !q->persistent || q->active)
    return mpl_error(q ? q->comm : NULL, MPI_ERR_REQUEST, "MPI_Start");
  int rc = start(q);
  return rc ? mpl_error(q->comm, rc, "MPI_Start") : MPI_SUCCESS;
}

MPL_API(int, Startall, int count, MPI_Request requests[]) {
  for (int i = 0; i < count; i++) {
    int rc = PMPI_Start(&requests[i]);
    if (rc)
      return rc;
  }
  return MPI_SUCCESS;
}

/* --- probing --- */

struct probe { struct ompi_communicator_t *comm; int source, tag; struct mpl_unexpected *found; };

static bool probed(void *arg) {
  struct probe *p = arg;
  return (p->found = mpl_find_unexpected(p->comm, p->source, p->tag)) != NULL;
}

static void tell(const struct mpl_unexpected *u, MPI_Status *status) {
  if (status == MPI_STATUS_IGNORE)
    return;
  status->MPI_SOURCE = u ? u->source : MPI_PROC_NULL;
  status->MPI_TAG = u ? u->tag : MPI_ANY_TAG;
  status->_cancelled = 0;
  status->_ucount = u ? u->bytes : 0;
}

/* 'flag' NULL: waits.  What is found stays where it is. */
static int look(struct probe *p, int *flag, MPI_Status *status, const char *call, const void *place) {
  int rc = p->source == MPI_PROC_NULL ? MPI_SUCCESS : check(p->comm, 0, MPI_BYTE, p->source, p->tag, true);
  if (rc)
    return mpl_error(p->comm, rc, call);
  if (p->source != MPI_PROC_NULL && !flag) {
    mpl_wait_until(probed, p, &(struct mpl_why){.call = call, .place = place, .tag = p->tag, .context = p->comm->context,
                   .peer = p->source >= 0 ? mpl_job_rank(p->comm, p->source) : -1});
  } else if (p->source != MPI_PROC_NULL && !probed(p)) {
    mpl_progress();
    probed(p);
  }
  bool found = p->found || p->source == MPI_PROC_NULL;
  if (flag)
    *flag = found;
  if (found)
    tell(p->found, status);
  return MPI_SUCCESS;
}

MPL_API(int, Probe, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  MPL_ENTER;
  return look(&(struct probe){comm, source, tag, NULL}, NULL, status, "MPI_Probe", MPL_PLACE);
}

MPL_API(int, Iprobe, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  MPL_ENTER;
  return look(&(struct probe){comm, source, tag, NULL}, flag, status, "MPI_Iprobe", MPL_PLACE);
}

static struct ompi_message_t *message_new(struct mpl_unexpected *u, struct ompi_communicator_t *comm) {
  if (!u)
    return MPI_MESSAGE_NO_PROC;
  mpl_take_unexpected(u);
  struct ompi_message_t *m = calloc(1, sizeof(*m));
  *m = (struct ompi_message_t){MPL_MESSAGE, -1, u, comm};
  comm->refs++;
  return m;
}

MPL_API(int, Mprobe, int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  MPL_ENTER;
  struct probe p = {comm, source, tag, NULL};
  int rc = look(&p, NULL, status, "MPI_Mprobe", MPL_PLACE);
  if (!rc)
    *message = message_new(p.found, comm);
  return rc;
}

MPL_API(int, Improbe, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  MPL_ENTER;
  struct probe p = {comm, source, tag, NULL};
  int rc = look(&p, flag, status, "MPI_Improbe", MPL_PLACE);
  if (!rc && *flag)
    *message = message_new(p.found, comm);
  return rc;
}

static struct ompi_request_t *receive_message(void *buf, int count, MPI_Datatype type, MPI_Message *message, const void *place) {
  struct ompi_message_t *m = *message;
  *message = MPI_MESSAGE_NULL;
  if (m == MPI_MESSAGE_NO_PROC) {
    struct ompi_request_t *q = make(MPL_RECV, buf, count, type, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_SELF, place);
    mpl_recv_start(q, false);
    return q;
  }
  struct ompi_request_t *q = make(MPL_RECV, buf, count, type, m->u->source, m->u->tag, m->comm, place);
  q->active = true;
  q->context = m->u->context;
  mpl_type_room(q);
  mpl_recv_message(q, m->u);
  mpl_comm_release(m->comm);
  free(m);
  return q;
}

MPL_API(int, Mrecv, void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  MPL_ENTER;
  if (!*message || *message == MPI_MESSAGE_NULL)
    return mpl_error(NULL, MPI_ERR_REQUEST, "MPI_Mrecv");
  struct ompi_request_t *q = receive_message(buf, count, type, message, MPL_PLACE);
  mpl_wait_for(q, "MPI_Mrecv", MPL_PLACE);
  return finish(q, status, "MPI_Mrecv");
}

MPL_API(int, Imrecv, void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
  MPL_ENTER;
  if (!*message || *message == MPI_MESSAGE_NULL)
    return mpl_error(NULL, MPI_ERR_REQUEST, "MPI_Imrecv");
  *request = receive_message(buf, count, type, message, MPL_PLACE);
  return MPI_SUCCESS;
}

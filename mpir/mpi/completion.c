/* Waiting for requests and testing them. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/schedule.h"
#include "mpir/mpi/type.h"
#include <stdlib.h>

struct mpl_generalized {
  MPI_Grequest_query_function *query;
  MPI_Grequest_free_function *release;
  MPI_Grequest_cancel_function *cancel;
  void *state;
};

static const MPI_Status empty = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};

static bool is_active(const struct ompi_request_t *q) { return q && q != MPI_REQUEST_NULL && q->active; }

static void give(MPI_Status *status, const MPI_Status *s, bool with_error) {
  if (status == MPI_STATUS_IGNORE)
    return;
  int before = status->MPI_ERROR;
  *status = *s;
  if (!with_error)
    status->MPI_ERROR = before;
}

/* Takes what an active, complete request has brought.  Returns its error. */
static int take(MPI_Request *request, MPI_Status *status, bool with_error) {
  struct ompi_request_t *q = *request;
  if (q->generalized)
    q->status.MPI_ERROR = q->generalized->query(q->generalized->state, &q->status);
  give(status, q->kind == MPL_SEND && !q->cancelled ? &(MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, q->status.MPI_ERROR, 0, 0} : &q->status, with_error);
  int rc = q->status.MPI_ERROR;
  q->active = false;
  if (q->persistent)
    return rc;
  if (q->generalized) {
    q->generalized->release(q->generalized->state);
    free(q->generalized);
  }
  *request = MPI_REQUEST_NULL;
  mpl_request_free(q);
  return rc;
}

static int take_and_report(MPI_Request *request, MPI_Status *status, const char *call) {
  struct ompi_communicator_t *comm = (*request)->comm;
  comm->refs++; /* its handler learns of the error after the request is gone */
  int rc = take(request, status, false);
  rc = rc ? mpl_error(comm, rc, call) : MPI_SUCCESS;
  mpl_comm_release(comm);
  return rc;
}

MPL_API(int, Wait, MPI_Request *request, MPI_Status *status) {
  MPL_ENTER;
  struct ompi_request_t *q = *request;
  if (!q)
    return mpl_error(NULL, MPI_ERR_REQUEST, "MPI_Wait");
  if (!is_active(q)) {
    give(status, &empty, false);
    return MPI_SUCCESS;
  }
  mpl_wait_for(q, "MPI_Wait", MPL_PLACE);
  return take_and_report(request, status, "MPI_Wait");
}

MPL_API(int, Test, MPI_Request *request, int *flag, MPI_Status *status) {
  MPL_ENTER;
  struct ompi_request_t *q = *request;
  if (!q)
    return mpl_error(NULL, MPI_ERR_REQUEST, "MPI_Test");
  *flag = 1;
  if (!is_active(q)) {
    give(status, &empty, false);
    return MPI_SUCCESS;
  }
  if (!q->complete)
    mpl_progress();
  if (!q->complete) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  return take_and_report(request, status, "MPI_Test");
}

/* --- several --- */

struct set {
  int count, first; /* first: index of the first that is complete, found by 'any_complete' */
  MPI_Request *requests;
};

static int count_active(const struct set *s) {
  int n = 0;
  for (int i = 0; i < s->count; i++)
    n += is_active(s->requests[i]);
  return n;
}

static struct ompi_request_t *first_open(const struct set *s) {
  for (int i = 0; i < s->count; i++)
    if (is_active(s->requests[i]) && !s->requests[i]->complete)
      return s->requests[i];
  return NULL;
}

static bool all_complete(void *arg) { return first_open(arg) == NULL; }

static bool any_complete(void *arg) {
  struct set *s = arg;
  for (int i = 0; i < s->count; i++)
    if (is_active(s->requests[i]) && s->requests[i]->complete) {
      s->first = i;
      return true;
    }
  return false;
}

static void wait_set(struct set *s, bool (*done)(void *), const char *call, const void *place) {
  if (!done(s))
    mpl_wait_until(done, s, &(struct mpl_why){.call = call, .place = place, .q = first_open(s), .nrequests = (uint32_t)count_active(s)});
}

static MPI_Status *at(MPI_Status *statuses, int i) { return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]; }

static int take_all(struct set *s, MPI_Status *statuses, const char *call) {
  struct ompi_communicator_t *comm = NULL;
  bool failed = false;
  for (int i = 0; i < s->count; i++)
    if (is_active(s->requests[i]) && s->requests[i]->status.MPI_ERROR)
      failed = true;
  for (int i = 0; i < s->count; i++) {
    if (!is_active(s->requests[i])) {
      give(at(statuses, i), &empty, true);
      continue;
    }
    if (s->requests[i]->status.MPI_ERROR)
      comm = s->requests[i]->comm;
    take(&s->requests[i], at(statuses, i), true);
  }
  return failed ? mpl_error(comm, MPI_ERR_IN_STATUS, call) : MPI_SUCCESS;
}

MPL_API(int, Waitall, int count, MPI_Request requests[], MPI_Status *statuses) {
  MPL_ENTER;
  struct set s = {count, 0, requests};
  wait_set(&s, all_complete, "MPI_Waitall", MPL_PLACE);
  return take_all(&s, statuses, "MPI_Waitall");
}

MPL_API(int, Testall, int count, MPI_Request requests[], int *flag, MPI_Status *statuses) {
  MPL_ENTER;
  struct set s = {count, 0, requests};
  if (!all_complete(&s))
    mpl_progress();
  *flag = all_complete(&s);
  return *flag ? take_all(&s, statuses, "MPI_Testall") : MPI_SUCCESS;
}

static int take_first(struct set *s, int *index, MPI_Status *status, const char *call) {
  *index = s->first;
  return take_and_report(&s->requests[s->first], status, call);
}

MPL_API(int, Waitany, int count, MPI_Request requests[], int *index, MPI_Status *status) {
  MPL_ENTER;
  struct set s = {count, 0, requests};
  if (!count_active(&s)) {
    *index = MPI_UNDEFINED;
    give(status, &empty, false);
    return MPI_SUCCESS;
  }
  wait_set(&s, any_complete, "MPI_Waitany", MPL_PLACE);
  return take_first(&s, index, status, "MPI_Waitany");
}

MPL_API(int, Testany, int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  MPL_ENTER;
  struct set s = {count, 0, requests};
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (!count_active(&s)) {
    give(status, &empty, false);
    return MPI_SUCCESS;
  }
  if (!any_complete(&s))
    mpl_progress();
  *flag = any_complete(&s);
  return *flag ? take_first(&s, index, status, "MPI_Testany") : MPI_SUCCESS;
}

static int take_some(struct set *s, int *outcount, int indices[], MPI_Status *statuses, const char *call) {
  struct ompi_communicator_t *comm = NULL;
  bool failed = false;
  *outcount = 0;
  for (int i = 0; i < s->count; i++)
    if (is_active(s->requests[i]) && s->requests[i]->complete) {
      comm = s->requests[i]->comm;
      failed |= take(&s->requests[i], at(statuses, *outcount), true) != MPI_SUCCESS;
      indices[(*outcount)++] = i;
    }
  return failed ? mpl_error(comm, MPI_ERR_IN_STATUS, call) : MPI_SUCCESS;
}

MPL_API(int, Waitsome, int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses) {
  MPL_ENTER;
  struct set s = {count, 0, requests};
  *outcount = MPI_UNDEFINED;
  if (!count_active(&s))
    return MPI_SUCCESS;
  wait_set(&s, any_complete, "MPI_Waitsome", MPL_PLACE);
  return take_some(&s, outcount, indices, statuses, "MPI_Waitsome");
}

MPL_API(int, Testsome, int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses) {
  MPL_ENTER;
  struct set s = {count, 0, requests};
  *outcount = MPI_UNDEFINED;
  if (!count_active(&s))
    return MPI_SUCCESS;
  if (!any_complete(&s))
    mpl_progress();
  return take_some(&s, outcount, indices, statuses, "MPI_Testsome");
}

/* --- one request --- */

MPL_API(int, Request_get_status, MPI_Request q, int *flag, MPI_Status *status) {
  MPL_ENTER;
  *flag = 1;
  if (!is_active(q)) {
    give(status, &empty, false);
    return MPI_SUCCESS;
  }
  if (!q->complete)
    mpl_progress();
  *flag = q->complete;
  if (*flag) {
    if (q->generalized)
      q->generalized->query(q->generalized->state, &q->status);
    give(status, &q->status, false);
  }
  return MPI_SUCCESS;
}

MPL_API(int, Request_free, MPI_Request *request) {
  MPL_ENTER;
  struct ompi_request_t *q = *request;
  if (!q || q == MPI_REQUEST_NULL)
    return mpl_error(NULL, MPI_ERR_REQUEST, "MPI_Request_free");
  *request = MPI_REQUEST_NULL;
  if (q->generalized) {
    q->generalized->release(q->generalized->state);
    free(q->generalized);
    q->generalized = NULL;
  }
  if (q->complete || !q->active)
    mpl_request_free(q);
  else
    q->freed = true;
  return MPI_SUCCESS;
}

MPL_API(int, Cancel, MPI_Request *request) {
  MPL_ENTER;
  struct ompi_request_t *q = *request;
  if (!q || q == MPI_REQUEST_NULL || q->kind == MPL_COLLECTIVE)
    return mpl_error(q ? q->comm : NULL, MPI_ERR_REQUEST, "MPI_Cancel");
  if (q->generalized)
    return q->generalized->cancel(q->generalized->state, q->complete);
  if (!q->active)
    return MPI_SUCCESS;
  if (q->kind == MPL_RECV)
    mpl_cancel_recv(q);
  else
    mpl_cancel_send(q);
  return MPI_SUCCESS;
}

MPL_API(int, Test_cancelled, const MPI_Status *status, int *flag) {
  *flag = status->_cancelled;
  return MPI_SUCCESS;
}

MPL_API(int, Status_set_cancelled, MPI_Status *status, int flag) {
  status->_cancelled = flag;
  return MPI_SUCCESS;
}

MPL_API(int, Grequest_start, MPI_Grequest_query_function *query, MPI_Grequest_free_function *release, MPI_Grequest_cancel_function *cancel,
        void *state, MPI_Request *request) {
  MPL_ENTER;
  struct ompi_request_t *q = mpl_request_new(MPL_GENERALIZED, MPI_COMM_WORLD);
  q->generalized = malloc(sizeof(*q->generalized));
  *q->generalized = (struct mpl_generalized){query, release, cancel, state};
  q->active = true;
  *request = q;
  return MPI_SUCCESS;
}

MPL_API(int, Grequest_complete, MPI_Request q) {
  MPL_ENTER;
  q->complete = true;
  return MPI_SUCCESS;
}

/* --- statuses --- */

MPL_API(int, Get_count, const MPI_Status *status, MPI_Datatype type, int *count) {
  if (!type->size) {
    *count = status->_ucount ? MPI_UNDEFINED : 0;
    return MPI_SUCCESS;
  }
  uint64_t n = status->_ucount / (uint64_t)type->size;
  *count = status->_ucount % (uint64_t)type->size || n > INT32_MAX ? MPI_UNDEFINED : (int)n;
  return MPI_SUCCESS;
}

MPL_API(int, Get_elements_x, const MPI_Status *status, MPI_Datatype type, MPI_Count *count) {
  bool whole;
  uint64_t n = mpl_type_elements(type, status->_ucount, &whole);
  *count = whole ? (MPI_Count)n : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

MPL_API(int, Get_elements, const MPI_Status *status, MPI_Datatype type, int *count) {
  MPI_Count n;
  PMPI_Get_elements_x(status, type, &n);
  *count = n > INT32_MAX ? MPI_UNDEFINED : (int)n;
  return MPI_SUCCESS;
}

MPL_API(int, Status_set_elements_x, MPI_Status *status, MPI_Datatype type, MPI_Count count) {
  status->_ucount = type->nbasic ? (uint64_t)count * (uint64_t)type->size / type->nbasic : 0;
  return MPI_SUCCESS;
}

MPL_API(int, Status_set_elements, MPI_Status *status, MPI_Datatype type, int count) { return PMPI_Status_set_elements_x(status, type, count); }

#include "runtime/parallel/ask.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/guard.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/wait.h"
#include <stdlib.h>
#include <string.h>

/* Tags of a region: one that has not begun here yet is not answered, since what is before it has not been executed. */
enum { ASK, ANSWER, DATA, TAGS };
enum { REGIONS = 8192, PIECE_MAX = 1 << 30 };

/* A message; behind it the spans of each dimension.  The elements go in messages of their own. */
struct asked {
  uint64_t array; /* a->number */
  int64_t put; /* they come with it */
  int64_t ndims, spans[DVMRT_NDIMS_MAX];
};

static MPI_Comm comm = MPI_COMM_NULL;
static int region, open;

static int tag_of(int kind) { return region % REGIONS * TAGS + kind; }

void dvmp_ask_begin(void) {
  if (comm == MPI_COMM_NULL) {
    dvmp_job_barrier();
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  region++;
  open++;
}

void dvmp_ask_end(void) { open--; }

void dvmp_ask_close(void) {
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_free(&comm);
}

static void *get(size_t n) {
  void *p = malloc(n ? n : 1);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

static size_t bytes_of(const struct dvmp_array *a, const struct dvmp_set *s) { return (size_t)dvmp_set_count(s) * a->element_bytes; }

static int pieces_of(size_t bytes) { return (int)((bytes + PIECE_MAX - 1) / PIECE_MAX); }

static int piece_bytes(size_t bytes, int k) {
  size_t at = (size_t)k * PIECE_MAX;
  return (int)(bytes - at < PIECE_MAX ? bytes - at : PIECE_MAX);
}

/* ---- who answers ---------------------------------------------------------------------------------------------------------------- */

static struct dvmp_array *numbered(uint64_t number) {
  struct dvmp_array *a = dvmp_array_first();
  while (a && (a->number != number || a->is_template))
    a = a->next;
  return a;
}

/* The set is in 'm'; false: this rank has not all of it. */
static bool read_set(struct dvmp_arena *m, const struct asked *q, const struct dvmp_array *a, struct dvmp_set *s) {
  const struct dvmp_span *at = (const struct dvmp_span *)(q + 1);
  *s = (struct dvmp_set){.ndims = (int)q->ndims};
  for (int d = 0; d < s->ndims; d++) {
    s->dim[d] = (struct dvmp_list){(int)q->spans[d], at};
    at += q->spans[d];
  }
  if (!a || a->ndims != s->ndims)
    return false;
  struct dvmp_set both = dvmp_set_meet(m, &a->own, s);
  return dvmp_set_count(&both) == dvmp_set_count(s);
}

static void note_run(void *arg, int64_t offset, int64_t count) {
  struct dvmp_array *a = arg;
  dvmp_poison_assigned(a, a->address + (uintptr_t)offset * a->element_bytes, (uint64_t)count * a->element_bytes);
}

static void take(struct dvmp_array *a, const struct dvmp_set *s, int from) {
  size_t bytes = bytes_of(a, s);
  char *data = get(bytes);
  for (int k = 0; k < pieces_of(bytes); k++)
    PMPI_Recv(data + (size_t)k * PIECE_MAX, piece_bytes(bytes, k), MPI_BYTE, from, tag_of(DATA), comm, MPI_STATUS_IGNORE);
  dvmp_plan_pack(a, s, data, false);
  free(data);
  if (!a->poison)
    return;
  dvmp_set_runs(s, a->stride, a->extent, note_run, a);
  a->poison->written = true;
}

static void give(const struct dvmp_array *a, const struct dvmp_set *s, int to) {
  size_t bytes = bytes_of(a, s);
  char *data = get(bytes);
  dvmp_plan_pack(a, s, data, true);
  for (int k = 0; k < pieces_of(bytes); k++)
    PMPI_Send(data + (size_t)k * PIECE_MAX, piece_bytes(bytes, k), MPI_BYTE, to, tag_of(DATA), comm);
  dvmp_profile_sent(bytes);
  free(data);
}

/* Who asks has said where all that it gets is to go: what is sent to it arrives whatever else it does. */
static void answer(const struct asked *q, int who) {
  struct dvmp_arena m = {NULL};
  struct dvmp_set s;
  struct dvmp_array *a = numbered(q->array);
  int64_t has = read_set(&m, q, a, &s);
  if (has && q->put)
    take(a, &s, who);
  PMPI_Send(&has, sizeof(has), MPI_BYTE, who, tag_of(ANSWER), comm);
  if (has && !q->put)
    give(a, &s, who);
  dvmp_arena_free(&m);
}

void dvmp_ask_serve(void) {
  for (int there = open; there;) {
    MPI_Status status;
    int n;
    PMPI_Iprobe(MPI_ANY_SOURCE, tag_of(ASK), comm, &there, &status);
    if (!there)
      return;
    PMPI_Get_count(&status, MPI_BYTE, &n);
    struct asked *q = get((size_t)n);
    PMPI_Recv(q, n, MPI_BYTE, status.MPI_SOURCE, tag_of(ASK), comm, MPI_STATUS_IGNORE);
    answer(q, status.MPI_SOURCE);
    free(q);
  }
}

/* ---- who asks ------------------------------------------------------------------------------------------------------------------- */

static struct asked *question(const struct dvmp_array *a, const struct dvmp_set *s, bool put, size_t *n) {
  size_t spans = 0;
  for (int d = 0; d < s->ndims; d++)
    spans += (size_t)s->dim[d].n;
  *n = sizeof(struct asked) + spans * sizeof(struct dvmp_span);
  struct asked *q = get(*n);
  struct dvmp_span *at = (struct dvmp_span *)(q + 1);
  *q = (struct asked){.array = a->number, .put = put, .ndims = s->ndims};
  for (int d = 0; d < s->ndims; d++) {
    q->spans[d] = s->dim[d].n;
    memcpy(at, s->dim[d].at, (size_t)s->dim[d].n * sizeof(*at));
    at += s->dim[d].n;
  }
  return q;
}

/* 'data' goes to the rank, or comes from it, with what is asked. */
static void talk(const struct dvmp_array *a, const struct dvmp_set *s, int rank, bool put, char *data) {
  size_t n, bytes = bytes_of(a, s);
  struct asked *q = question(a, s, put, &n);
  int pieces = pieces_of(bytes);
  MPI_Request first[2], *rest = get((size_t)pieces * sizeof(*rest));
  int64_t has = 0;
  PMPI_Irecv(&has, sizeof(has), MPI_BYTE, rank, tag_of(ANSWER), comm, &first[0]);
  for (int k = 0; k < pieces && !put; k++)
    PMPI_Irecv(data + (size_t)k * PIECE_MAX, piece_bytes(bytes, k), MPI_BYTE, rank, tag_of(DATA), comm, &rest[k]);
  PMPI_Isend(q, (int)n, MPI_BYTE, rank, tag_of(ASK), comm, &first[1]);
  for (int k = 0; k < pieces && put; k++)
    PMPI_Isend(data + (size_t)k * PIECE_MAX, piece_bytes(bytes, k), MPI_BYTE, rank, tag_of(DATA), comm, &rest[k]);
  dvmp_profile_sent(n + (put ? bytes : 0));
  dvmp_wait_for(first, 2);
  if (!has)
    dvmp_fail_all(DVMP_STATUS_WRONG, dvmp_construct_place(),
                  "elements of '%s' are asked for by a task while another one has given the array another place [dvm-usage]", a->name);
  dvmp_wait_for(rest, pieces);
  free(rest);
  free(q);
}

void dvmp_ask_get(const struct dvmp_array *from, int rank, const struct dvmp_set *of, const struct dvmp_array *in,
                  const struct dvmp_set *to) {
  char *data = get(bytes_of(from, of));
  if (rank == dvmp_job.rank)
    dvmp_plan_pack(from, of, data, true);
  else
    talk(from, of, rank, false, data);
  dvmp_plan_pack(in, to, data, false);
  free(data);
}

void dvmp_ask_put(const struct dvmp_array *from, const struct dvmp_set *of, const struct dvmp_array *in, int rank,
                  const struct dvmp_set *to) {
  char *data = get(bytes_of(from, of));
  dvmp_plan_pack(from, of, data, true);
  if (rank == dvmp_job.rank)
    dvmp_plan_pack(in, to, data, false);
  else
    talk(in, to, rank, true, data);
  free(data);
}

void dvmp_ask_remote(struct dvmp_array *a, const struct dvmp_set *s) {
  struct dvmp_arena m = {NULL};
  for (int q = 0; q < dvmp_job.size; q++) {
    struct dvmp_set own = dvmp_array_own(&m, a, q), part = dvmp_set_meet(&m, &own, s);
    if (q == dvmp_job.rank || dvmp_set_empty(&part) || !dvmp_array_gives(&a->layout, q, dvmp_job.rank))
      continue;
    dvmp_guard_open(a, &part);
    dvmp_ask_get(a, q, &part, a, &part);
    dvmp_poison_brought(a, &part, true);
  }
  dvmp_arena_free(&m);
}

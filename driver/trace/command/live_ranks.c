/* Ranks that send what they record over a socket. */
#include "driver/trace/command/live_private.h"
#include "driver/trace/format/collect.h"
#include "runtime/trace/ring.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct want {
  int64_t construct;
  uint64_t number, count;       /* results of that number so far */
};
struct live_rank {
  struct dvmt_sink sink;        /* of the collector */
  struct dvmt_collector *collector;
  struct dvmt_join_rank join;
  struct dvmt_shape *shape;
  struct dvm_error *err;        /* while it reads */
  int fd;
  uint32_t rank;
  struct dvmt_site_def *sites;  /* with texts of their own; owned, as the objects */
  struct dvmt_object_def *objects;
  size_t nsites, nobjects;
  struct dvmt_join_step *row;   /* owned, with what they hold */
  size_t nrow, taken, room;
  struct want *wants;           /* owned: one of each result */
  size_t nwants;
  const struct want *last;      /* the result that was recorded last, or NULL */
  bool wants_result, waits, over;
  char *buffer;                 /* owned: a head, and its chunk */
  size_t n;
};

/* ---- what it records ---------------------------------------------------------------------------------------------------------------- */

static int take_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct live_rank *r = (struct live_rank *)sink;
  struct dvmt_site_def *rows = realloc(r->sites, (r->nsites + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  r->sites = rows;
  rows[r->nsites] = *def;
  rows[r->nsites].text = strdup(def->text);
  return rows[r->nsites].text ? (r->nsites++, 0) : -ENOMEM;
}

static int take_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct live_rank *r = (struct live_rank *)sink;
  struct dvmt_object_def *rows = realloc(r->objects, (r->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  r->objects = rows;
  rows[r->nobjects] = *def;
  rows[r->nobjects].name = strdup(def->name);
  return rows[r->nobjects].name ? (r->nobjects++, 0) : -ENOMEM;
}

static const struct dvmt_site_def *site_of(const void *of, size_t n) { return &((const struct live_rank *)of)->sites[n]; }
static const struct dvmt_object_def *object_of(const void *of, size_t n) { return &((const struct live_rank *)of)->objects[n]; }

static int count_result(struct live_rank *r, const struct dvmt_record *rec) {
  int64_t construct = dvmt_shape_construct(r->shape, r->sites[rec->site].text);
  size_t i = r->last ? (size_t)(r->last - r->wants) + 1 : 0; /* elements of an array follow each other */
  if (construct < 0)
    return (int)construct;
  if (i >= r->nwants || r->wants[i].construct != construct || r->wants[i].number != rec->words[0])
    i = 0;
  while (i < r->nwants && (r->wants[i].construct != construct || r->wants[i].number != rec->words[0]))
    i++;
  if (i == r->nwants) {
    struct want *rows = realloc(r->wants, (i + 1) * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    r->wants = rows;
    rows[r->nwants++] = (struct want){construct, rec->words[0], 0};
  }
  r->wants[i].count++;
  r->last = &r->wants[i];
  return 0;
}

static int keep_step(struct live_rank *r) {
  struct dvmt_join_step *s = &r->join.step;
  if (r->taken == r->nrow)
    r->taken = r->nrow = 0;
  if (r->nrow == r->room) {
    size_t room = r->room ? 2 * r->room : 64;
    struct dvmt_join_step *rows = realloc(r->row, room * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    r->row = rows;
    r->room = room;
  }
  r->row[r->nrow++] = *s;
  *s = (struct dvmt_join_step){.construct = -1};
  return 0;
}

static int take_record(struct dvmt_sink *sink, const struct dvmt_record *rec) {
  struct live_rank *r = (struct live_rank *)sink;
  if (rec->site >= r->nsites || (rec->kind == DVMT_DIGEST && rec->object >= r->nobjects))
    return -EBADMSG;
  r->join.names = (struct dvmt_join_names){site_of, object_of, r};
  int rc = rec->kind == DVMT_RESULT && rec->nwords == 6 ? count_result(r, rec) : 0;
  if (!rc)
    rc = dvmt_join_take(&r->join, rec, r->err);
  return rc > 0 ? keep_step(r) : rc;
}

/* ---- the socket --------------------------------------------------------------------------------------------------------------------- */

struct live_rank *live_rank_create(int fd, uint32_t rank, struct dvmt_shape *shape) {
  struct live_rank *r = calloc(1, sizeof(*r));
  if (!r)
    return NULL;
  r->sink = (struct dvmt_sink){.site = take_site, .object = take_object, .record = take_record};
  r->fd = fd;
  r->rank = rank;
  r->shape = shape;
  r->join = (struct dvmt_join_rank){.shape = shape, .step = {.construct = -1}};
  r->collector = dvmt_collector_create(&r->sink);
  r->buffer = malloc(sizeof(struct dvmt_live_head) + DVMT_RING_CHUNK);
  if (r->collector && r->buffer)
    return r;
  live_rank_destroy(r);
  return NULL;
}

void live_rank_destroy(struct live_rank *r) {
  if (!r)
    return;
  dvmt_collector_destroy(r->collector);
  dvmt_join_rank_fini(&r->join);
  for (size_t i = 0; i < r->nsites; i++)
    free((char *)r->sites[i].text);
  for (size_t i = 0; i < r->nobjects; i++)
    free((char *)r->objects[i].name);
  for (size_t i = r->taken; i < r->nrow; i++) {
    free(r->row[i].parts);
    free(r->row[i].results);
  }
  free(r->sites);
  free(r->objects);
  free(r->row);
  free(r->wants);
  free(r->buffer);
  close(r->fd);
  free(r);
}

/* A whole chunk. */
static int take_chunk(struct live_rank *r, const struct dvmt_live_head *h) {
  int rc = dvmt_collector_take(r->collector, (const uint64_t *)(const void *)(r->buffer + sizeof(*h)), h->bytes / 8);
  r->wants_result = h->asks == DVMT_LIVE_RESULT;
  r->waits |= h->asks == DVMT_LIVE_STEP;
  r->n = 0;
  return rc;
}

int live_rank_read(struct live_rank *r, struct dvm_error *err) {
  struct dvmt_live_head h;
  size_t want = sizeof(h);
  if (r->n >= sizeof(h)) {
    memcpy(&h, r->buffer, sizeof(h));
    want += h.bytes;
  }
  ssize_t got = want > r->n ? recv(r->fd, r->buffer + r->n, want - r->n, 0) : 0;
  if (got < 0 && errno == EINTR)
    return 0;
  r->over = got <= 0; /* killed, perhaps */
  r->n += got > 0 ? (size_t)got : 0;
  if (r->over || r->n < sizeof(h))
    return 0;
  memcpy(&h, r->buffer, sizeof(h));
  if (h.bytes > DVMT_RING_CHUNK || h.bytes % 8)
    return dvm_error_set(err, -EBADMSG, "rank %u sends what is no record", r->rank);
  r->err = err;
  int rc = r->n == sizeof(h) + h.bytes ? take_chunk(r, &h) : 0;
  return rc && !err->code ? dvm_error_set(err, rc, "comparison stopped: %s", strerror(-rc)) : rc;
}

bool live_rank_over(const struct live_rank *r) { return r->over; }
int live_rank_fd(const struct live_rank *r) { return r->fd; }
size_t live_rank_ahead(const struct live_rank *r) { return r->nrow - r->taken; }
bool live_rank_waits(const struct live_rank *r) { return r->waits; }

int live_rank_take(struct live_rank *r, struct dvmt_join_step *step) {
  free(step->parts);
  free(step->results);
  *step = (struct dvmt_join_step){.construct = -1};
  if (r->taken < r->nrow)
    *step = r->row[r->taken++];
  return 0;
}

const char *live_rank_wants(const struct live_rank *r, uint64_t *number, uint64_t *execution) {
  if (!r->wants_result || !r->last || r->over)
    return NULL;
  *number = r->last->number;
  *execution = r->last->count;
  return dvmt_shape_text(r->shape, r->last->construct);
}

void live_rank_answer(struct live_rank *r, const void *answer, size_t n) {
  r->wants_result = r->waits = false;
  if (!r->over && send(r->fd, answer, n, MSG_NOSIGNAL) != (ssize_t)n)
    r->over = true;
}

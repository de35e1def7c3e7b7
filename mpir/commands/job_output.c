#include "mpir/commands/job_output.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 4096, HELD_MAX = 1 << 20 }; /* PIECE: so much a pipe that can be written to takes without blocking */

struct mpir_output {
  int to, read[2], write[2];
  uint64_t taken;       /* bytes that have come from the replica that leads, or led */
  uint64_t position[2]; /* of each replica: the next byte that it will give */
  char *held;           /* of those taken, what is not out yet */
  size_t nheld, room;
  bool flush;           /* a piece of a line goes out, too */
  char *kept;           /* taken, and not yet compared with what the shadow printed; NULL: is not compared */
  size_t nkept, kept_room;
  bool checks, compares; /* compares: there is one to compare with */
  int failed;            /* errno of what could not be written; 0: nothing was lost */
};

struct mpir_output *mpir_output_create(int to, bool checks) {
  struct mpir_output *o = calloc(1, sizeof(*o));
  if (!o)
    return NULL;
  o->to = to;
  o->checks = checks;
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
      free(o);
      return NULL;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    o->read[i] = ends[0];
    o->write[i] = ends[1];
  }
  return o;
}

void mpir_output_destroy(struct mpir_output *o) {
  if (!o)
    return;
  for (int i = 0; i < 2; i++) {
    close(o->read[i]);
    close(o->write[i]);
  }
  free(o->held);
  free(o->kept);
  free(o);
}

int mpir_output_failed(const struct mpir_output *o) { return o->failed; }
int mpir_output_end(const struct mpir_output *o, unsigned replica) { return o->write[replica]; }
uint64_t mpir_output_bytes(const struct mpir_output *o) { return o->taken; }
uint64_t mpir_output_position(const struct mpir_output *o, unsigned replica) { return o->position[replica]; }

void mpir_output_resume(struct mpir_output *o, unsigned leader, uint64_t position, uint64_t known) {
  o->position[leader] = position;
  o->taken = known > position ? known : position;
}

static void append(char **to, size_t *n, size_t *room, const char *from, size_t more) {
  if (*n + more > *room) {
    *room = (*n + more) * 2;
    *to = realloc(*to, *room);
    if (!*to)
      abort();
  }
  memcpy(*to + *n, from, more);
  *n += more;
}

/* Bytes that may go out now: whole lines. */
static size_t ready(const struct mpir_output *o) {
  if (o->flush || o->nheld > HELD_MAX / 2)
    return o->nheld;
  const char *last = o->nheld ? memrchr(o->held, '\n', o->nheld) : NULL;
  return last ? (size_t)(last - o->held) + 1 : 0;
}

static bool takes_more(int fd, bool wait) {
  struct pollfd p = {fd, POLLOUT, 0};
  return poll(&p, 1, wait ? -1 : 0) > 0;
}

static void put_out(struct mpir_output *o, bool wait) {
  size_t n = ready(o), done = 0;
  while (done < n && takes_more(o->to, wait)) {
    ssize_t m = write(o->to, o->held + done, n - done < PIECE ? n - done : PIECE);
    if (m < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (m < 0 && !o->failed && errno != EPIPE) /* nobody reads: it is lost, as it would be without us */
      o->failed = errno;
    done += m < 0 ? n - done : (size_t)m;
  }
  memmove(o->held, o->held + done, o->nheld - done);
  o->nheld -= done;
  if (!o->nheld)
    o->flush = false;
}

/* From the replica that leads; what the other one had given before is not news. */
static void take(struct mpir_output *o, unsigned leader, size_t held_max) {
  char piece[65536];
  ssize_t n;
  while (o->nheld < held_max && (n = read(o->read[leader], piece, sizeof(piece))) > 0) {
    uint64_t from = o->position[leader], known = o->taken > from ? o->taken - from : 0;
    size_t skip = known < (uint64_t)n ? (size_t)known : (size_t)n;
    o->position[leader] += (uint64_t)n;
    append(&o->held, &o->nheld, &o->room, piece + skip, (size_t)n - skip);
    if (o->compares)
      append(&o->kept, &o->nkept, &o->kept_room, piece + skip, (size_t)n - skip);
    o->taken += (size_t)n - skip;
  }
}

/* From the other one: as far as the first has come. */
static bool pass_over(struct mpir_output *o, unsigned other, uint64_t *at) {
  char piece[65536];
  while (o->position[other] < o->taken) {
    uint64_t open = o->taken - o->position[other];
    ssize_t n = read(o->read[other], piece, open < sizeof(piece) ? (size_t)open : sizeof(piece));
    if (n <= 0)
      return true;
    *at = o->position[other];
    o->position[other] += (uint64_t)n;
    if (o->compares && o->nkept >= open) { /* what is kept begins 'open' bytes before 'taken' */
      const char *kept = o->kept + (o->nkept - open);
      for (ssize_t i = 0; i < n; i++, ++*at)
        if (kept[i] != piece[i])
          return false;
      memmove(o->kept, kept + n, (size_t)(open - (uint64_t)n));
      o->nkept = (size_t)(open - (uint64_t)n);
    }
  }
  return true;
}

unsigned mpir_output_poll(const struct mpir_output *o, unsigned leader, struct pollfd *fds) {
  unsigned n = 0;
  if (ready(o))
    fds[n++] = (struct pollfd){o->to, POLLOUT, 0};
  else if (o->nheld < HELD_MAX)
    fds[n++] = (struct pollfd){o->read[leader], POLLIN, 0};
  if (o->position[1 - leader] < o->taken)
    fds[n++] = (struct pollfd){o->read[1 - leader], POLLIN, 0};
  return n;
}

bool mpir_output_move(struct mpir_output *o, unsigned leader, bool all, uint64_t *at) {
  do {
    put_out(o, all);
    take(o, leader, HELD_MAX);
  } while (all && ready(o));
  put_out(o, all);
  return pass_over(o, 1 - leader, at);
}

void mpir_output_flush(struct mpir_output *o) {
  o->flush = o->nheld > 0;
  put_out(o, false);
}

void mpir_output_take_all(struct mpir_output *o, unsigned leader) { take(o, leader, SIZE_MAX); }

void mpir_output_finish(struct mpir_output *o) {
  o->flush = true;
  put_out(o, true);
}

void mpir_output_clone(struct mpir_output *o, unsigned replica) {
  char rest[4096];
  take(o, 1 - replica, SIZE_MAX);
  while (read(o->read[replica], rest, sizeof(rest)) > 0)
    ;
  o->position[replica] = o->position[1 - replica]; /* less than was taken, where its main itself repeats what another one had printed */
  o->nkept = 0;
  o->compares = o->checks;
}

void mpir_output_compare(struct mpir_output *o) { o->compares = o->checks; }

void mpir_output_drop(struct mpir_output *o) {
  o->compares = false;
  o->nkept = 0;
}

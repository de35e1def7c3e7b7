#include "runtime/parallel/plan.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/guard.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/profile.h"
#include <stdlib.h>
#include <string.h>

/* ---- plans ---------------------------------------------------------------------------------------------------------------------- */

static int meet_all(struct dvmp_arena *m, const struct dvmp_set *own, const struct dvmp_set *needs, int n, struct dvmp_set *to) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    struct dvmp_set s = dvmp_set_meet(m, own, &needs[i]);
    if (!dvmp_set_empty(&s))
      to[found++] = s;
  }
  return found;
}

static struct dvmp_set *keep_sets(struct dvmp_arena *m, const struct dvmp_set *sets, int n) {
  struct dvmp_set *kept = dvmp_arena_get(m, (size_t)(n ? n : 1) * sizeof(*kept));
  for (int i = 0; i < n; i++)
    kept[i] = dvmp_set_copy(m, &sets[i]);
  return kept;
}

struct dvmp_plan *dvmp_plan_make(const struct dvmp_array *a, dvmp_need_f *need, void *arg) {
  struct dvmp_plan *p = calloc(1, sizeof(*p));
  struct dvmp_set mine[DVMP_NEEDS_MAX], theirs[DVMP_NEEDS_MAX], send[DVMP_NEEDS_MAX], receive[DVMP_NEEDS_MAX];
  struct dvmp_arena now = {NULL};
  int nmine, me = dvmp_job.rank;
  if (!p)
    dvmp_out_of_memory();
  if (dvmp_array_everywhere(a))
    return p;
  p->links = dvmp_arena_get(&p->memory, (size_t)dvmp_job.size * sizeof(*p->links));
  nmine = need(arg, &now, a, me, mine);
  for (int q = 0; q < dvmp_job.size; q++) {
    struct dvmp_arena m = {NULL};
    struct dvmp_link link = {.peer = q};
    if (q == me || dvmp_group_place(dvmp_job.group, q) < 0)
      continue;
    if (dvmp_array_gives(&a->layout, q, me)) {
      struct dvmp_set own = dvmp_array_own(&m, a, q);
      link.nreceive = meet_all(&m, &own, mine, nmine, receive);
    }
    if (dvmp_array_gives(&a->layout, me, q) && !dvmp_set_empty(&a->own)) {
      int n = need(arg, &m, a, q, theirs);
      link.nsend = meet_all(&m, &a->own, theirs, n, send);
    }
    if (link.nsend || link.nreceive) {
      link.send = keep_sets(&p->memory, send, link.nsend);
      link.receive = keep_sets(&p->memory, receive, link.nreceive);
      p->links[p->n++] = link;
    }
    dvmp_arena_free(&m);
  }
  dvmp_arena_free(&now);
  return p;
}

void dvmp_plan_destroy(struct dvmp_plan *p) {
  if (p)
    dvmp_arena_free(&p->memory);
  free(p);
}

void dvmp_plan_drop(struct dvmp_array *a) {
  while (a->plans) {
    struct dvmp_plan *p = a->plans;
    a->plans = p->next;
    dvmp_plan_destroy(p);
  }
}

/* ---- traffic -------------------------------------------------------------------------------------------------------------------- */

struct piece {
  const struct dvmp_array *a;
  const struct dvmp_set *set;
};

struct side {
  struct piece *at;
  int n, room;
  size_t bytes, room_bytes;
  char *buffer;
};

struct dvmp_traffic {
  int tag;
  bool remote, pending;
  struct side *send, *receive; /* [size] */
};

struct dvmp_traffic *dvmp_traffic_create(int tag) {
  struct dvmp_traffic *t = calloc(1, sizeof(*t));
  if (t)
    t->send = calloc(2 * (size_t)dvmp_job.size, sizeof(*t->send));
  if (!t || !t->send)
    dvmp_out_of_memory();
  t->receive = t->send + dvmp_job.size;
  t->tag = tag;
  return t;
}

static void add(struct side *s, const struct dvmp_array *a, const struct dvmp_set *set) {
  if (s->n == s->room) {
    s->room = s->room ? 2 * s->room : 4;
    s->at = realloc(s->at, (size_t)s->room * sizeof(*s->at));
    if (!s->at)
      dvmp_out_of_memory();
  }
  s->at[s->n++] = (struct piece){a, set};
  s->bytes += (size_t)dvmp_set_count(set) * a->element_bytes;
}

void dvmp_traffic_send(struct dvmp_traffic *t, const struct dvmp_array *a, int to, const struct dvmp_set *s) { add(&t->send[to], a, s); }

void dvmp_traffic_receive(struct dvmp_traffic *t, const struct dvmp_array *a, int from, const struct dvmp_set *s) {
  add(&t->receive[from], a, s);
}

void dvmp_traffic_add(struct dvmp_traffic *t, const struct dvmp_array *a, const struct dvmp_plan *p) {
  for (int i = 0; i < p->n; i++) {
    for (int k = 0; k < p->links[i].nsend; k++)
      dvmp_traffic_send(t, a, p->links[i].peer, &p->links[i].send[k]);
    for (int k = 0; k < p->links[i].nreceive; k++)
      dvmp_traffic_receive(t, a, p->links[i].peer, &p->links[i].receive[k]);
  }
}

void dvmp_traffic_remote(struct dvmp_traffic *t) { t->remote = true; }

static void each_received(struct dvmp_traffic *t, void (*f)(struct dvmp_array *a, const struct dvmp_set *s)) {
  for (int q = 0; q < dvmp_job.size; q++)
    for (int i = 0; i < t->receive[q].n; i++)
      f((struct dvmp_array *)t->receive[q].at[i].a, t->receive[q].at[i].set);
}

void dvmp_traffic_pending(struct dvmp_traffic *t) {
  t->pending = true;
  each_received(t, dvmp_poison_pending);
}

static void note_remote(struct dvmp_array *a, const struct dvmp_set *s) { dvmp_poison_brought(a, s, true); }
static void note_edge(struct dvmp_array *a, const struct dvmp_set *s) { dvmp_poison_brought(a, s, false); }

struct packing {
  char *array, *buffer;
  size_t element_bytes;
  bool out;
};

static void pack_line(void *arg, int64_t offset, int64_t count, int64_t step, int64_t n) {
  struct packing *p = arg;
  char *at = p->array + (size_t)offset * p->element_bytes, *buffer = p->buffer;
  size_t bytes = (size_t)count * p->element_bytes, apart = (size_t)step * p->element_bytes;
  p->buffer += (size_t)n * bytes;
  /* Loops of their own, of moves alone: single elements miss the caches, many at a time. */
  if (bytes == 8 && p->out)
    for (int64_t i = 0; i < n; i++, at += apart, buffer += 8)
      memcpy(buffer, at, 8);
  else if (bytes == 8)
    for (int64_t i = 0; i < n; i++, at += apart, buffer += 8)
      memcpy(at, buffer, 8);
  else
    for (int64_t i = 0; i < n; i++, at += apart, buffer += bytes)
      memcpy(p->out ? buffer : at, p->out ? at : buffer, bytes);
}

void dvmp_plan_pack(const struct dvmp_array *a, const struct dvmp_set *s, char *buffer, bool out) {
  struct packing p = {(char *)a->address, buffer, a->element_bytes, out};
  dvmp_set_lines(s, a->stride, a->extent, pack_line, &p);
}

static void pack(struct side *s, bool out) {
  char *buffer = s->buffer;
  for (int i = 0; i < s->n; i++) {
    dvmp_plan_pack(s->at[i].a, s->at[i].set, buffer, out);
    buffer += (size_t)dvmp_set_count(s->at[i].set) * s->at[i].a->element_bytes;
  }
}

struct only {
  int64_t offset, count;
  int n;
};

static void see_run(void *arg, int64_t offset, int64_t count) {
  struct only *o = arg;
  o->offset = offset;
  o->count = count;
  o->n++;
}

/* What lies together goes as it lies. */
static char *as_it_lies(const struct side *s) {
  struct only o = {0, 0, 0};
  if (s->n != 1 || s->bytes < 1024)
    return NULL;
  const struct dvmp_array *a = s->at[0].a;
  const struct dvmp_set *set = s->at[0].set;
  for (int d = 0; d < a->ndims - 1; d++) /* more than one run: not worth walking */
    if (dvmp_list_count(set->dim[d]) > 1 && dvmp_list_count(set->dim[d + 1]) < a->extent[d + 1])
      return NULL;
  dvmp_set_runs(set, a->stride, a->extent, see_run, &o);
  return o.n == 1 ? (char *)a->address + (size_t)o.offset * a->element_bytes : NULL;
}

/* Buffers are kept for the next exchange: what malloc gives back to the system costs a page fault for each 4 KB again, more than packing. */
enum { KEPT = 16, KEPT_BYTES_MAX = 64 << 20 };
static struct kept {
  char *buffer;
  size_t room;
  uint64_t used; /* when it was released last */
} kept[KEPT];
static size_t kept_bytes;
static uint64_t releases;

static void make_buffer(struct side *s) {
  struct kept *best = NULL;
  for (struct kept *k = kept; k < kept + KEPT; k++)
    if (k->buffer && k->room >= s->bytes && k->room / 4 <= s->bytes && (!best || k->room < best->room))
      best = k;
  s->room_bytes = best ? best->room : s->bytes;
  s->buffer = best ? best->buffer : malloc(s->bytes ? s->bytes : 1);
  if (!s->buffer)
    dvmp_out_of_memory();
  if (!best)
    return;
  kept_bytes -= best->room;
  best->buffer = NULL;
}

/* A free place; if there is none the one that has not been used for longest. */
static struct kept *oldest(bool any_buffer) {
  struct kept *best = NULL;
  for (struct kept *k = kept; k < kept + KEPT; k++) {
    if (!k->buffer && !any_buffer)
      return k;
    if (k->buffer && (!best || k->used < best->used))
      best = k;
  }
  return best;
}

static void evict(struct kept *k) {
  free(k->buffer);
  kept_bytes -= k->buffer ? k->room : 0;
  k->buffer = NULL;
}

static void release_buffer(struct side *s) {
  if (!s->buffer || s->room_bytes > KEPT_BYTES_MAX) {
    free(s->buffer);
    return;
  }
  while (s->room_bytes > KEPT_BYTES_MAX - kept_bytes)
    evict(oldest(true));
  struct kept *k = oldest(false);
  evict(k);
  *k = (struct kept){s->buffer, s->room_bytes, ++releases};
  kept_bytes += s->room_bytes;
}

/* Before anything is sent; of a profile. */
static void say_ready(struct dvmp_traffic *t) {
  for (int q = 0; q < dvmp_job.size; q++) {
    if (t->receive[q].n && q != dvmp_job.rank)
      dvmp_job_expect(q, t->tag);
    if (t->send[q].n && q != dvmp_job.rank)
      dvmp_job_tell_ready(q, t->tag);
  }
}

static void start_receiving(struct dvmp_traffic *t) {
  int me = dvmp_job.rank;
  for (int q = 0; q < dvmp_job.size; q++) {
    char *there = t->receive[q].n && q != me ? as_it_lies(&t->receive[q]) : NULL;
    if (t->receive[q].n && q != me && !there)
      make_buffer(&t->receive[q]);
    if (t->receive[q].n && q != me)
      dvmp_job_receive(there ? there : t->receive[q].buffer, t->receive[q].bytes, q, t->tag);
  }
}

static void start_sending(struct dvmp_traffic *t) {
  int me = dvmp_job.rank;
  for (int i = 0; i < dvmp_job.size; i++) {
    int q = (me + i) % dvmp_job.size;
    struct side *s = &t->send[q];
    char *there = s->n && q != me ? as_it_lies(s) : NULL;
    if (!s->n)
      continue;
    if (!there) {
      make_buffer(s);
      pack(s, true);
    }
    if (q != me)
      dvmp_job_send(there ? there : s->buffer, s->bytes, q, t->tag);
  }
}

/* A profile tells waiting for others from what is then transferred: while nothing is received, nothing can come.  What is waited for later is
 * received from the start all the same. */
void dvmp_traffic_start(struct dvmp_traffic *t) {
  bool first = !dvmp_profiling || t->pending;
  each_received(t, dvmp_guard_open);
  if (dvmp_profiling)
    say_ready(t);
  if (first)
    start_receiving(t);
  start_sending(t);
  if (first)
    return;
  dvmp_job_wait_ready();
  start_receiving(t);
}

void dvmp_traffic_end(struct dvmp_traffic *t) {
  if (dvmp_profiling)
    dvmp_job_wait_ready();
  dvmp_job_finish();
  if (t->receive[dvmp_job.rank].n) {
    t->receive[dvmp_job.rank].buffer = t->send[dvmp_job.rank].buffer;
    t->receive[dvmp_job.rank].room_bytes = t->send[dvmp_job.rank].room_bytes;
  }
  t->send[dvmp_job.rank].buffer = t->receive[dvmp_job.rank].n ? NULL : t->send[dvmp_job.rank].buffer;
  for (int q = 0; q < dvmp_job.size; q++) {
    if (t->receive[q].buffer)
      pack(&t->receive[q], false);
  }
  if (dvmp_job.poison)
    each_received(t, t->remote ? note_remote : note_edge);
  for (int q = 0; q < dvmp_job.size; q++) {
    release_buffer(&t->receive[q]);
    free(t->receive[q].at);
    release_buffer(&t->send[q]);
    free(t->send[q].at);
  }
  free(t->send);
  free(t);
}

/* ---- all of an array to other places --------------------------------------------------------------------------------------------- */

static bool covers(struct dvmp_arena *m, const struct dvmp_set *a, const struct dvmp_set *b) {
  struct dvmp_set both = dvmp_set_meet(m, a, b);
  return dvmp_set_count(&both) == dvmp_set_count(b);
}

void dvmp_plan_move(struct dvmp_array *a, const struct dvmp_set *before) {
  struct dvmp_arena m = {NULL};
  int why = dvmp_profile_why(DVMP_WHY_REDISTRIBUTE);
  struct dvmp_traffic *t = dvmp_traffic_create(dvmp_job_tag());
  int me = dvmp_job.rank;
  for (int q = 0; q < dvmp_job.size; q++) {
    struct dvmp_set theirs = dvmp_array_own(&m, a, q);
    struct dvmp_set *keep = dvmp_arena_get(&m, 2 * sizeof(*keep));
    if (q == me)
      continue;
    keep[0] = dvmp_set_meet(&m, &before[q], &a->own);
    keep[1] = dvmp_set_meet(&m, &before[me], &theirs);
    /* Who had them all along asks nobody. */
    if (!dvmp_set_empty(&keep[0]) && !covers(&m, &before[me], &a->own))
      dvmp_traffic_receive(t, a, q, &keep[0]);
    if (!dvmp_set_empty(&keep[1]) && !covers(&m, &before[q], &theirs))
      dvmp_traffic_send(t, a, q, &keep[1]);
  }
  dvmp_traffic_start(t);
  dvmp_traffic_end(t);
  dvmp_profile_back(why);
  dvmp_arena_free(&m);
}

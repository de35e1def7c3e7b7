/* A node of a set of replicas.  Of ranks whose replicas here lead, the log goes to the controller; of the others it comes from there. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/process.h"
#include "mpir/commands/where.h"
#include "mpir/proxy/proxy_fresh.h"
#include "mpir/replica/shared.h"

enum { STEP_NS = 200000, LOOK_NS = 1000000, REPLAYED = 1024, BEAT_MS = 100 };

struct rank {
  uint64_t told, told_step; /* entries and steps, or what is replayed of them, that the controller knows */
  int64_t step_ns; /* when that was */
  int64_t stopped_ms; /* since then it stands; 0: it does not */
  struct proxy_counted counted; /* as the controller knows it */
  bool differs; /* that was told */
};
static struct rank *ranks; /* of this node */
static struct proxy_log packet;
_Static_assert(sizeof(packet.entries[0]) == sizeof(struct replica_entry), "entries are sent as they are");

size_t proxy_replicas_size(uint32_t nranks) { return replica_size(nranks) + nranks * sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES; }

void proxy_replicas_fill(struct proxy *p, size_t at) {
  const uint32_t n = p->job->nranks;
  p->job->replicas_at = at;
  struct replica_job *r = replica_job(p->job);
  *r = (struct replica_job){.protocol = REPLICA_SHARED,
                            .mode = p->mode,
                            .determinants = p->determinants,
                            .set = p->set,
                            .controller = getpid(),
                            .log_at = at + replica_size(n),
                            .log_stride = sizeof(struct replica_entry) * REPLICA_LOG_ENTRIES};
  for (uint32_t i = 0; i < n; i++) {
    r->ranks[i].alive = 3;
    r->ranks[i].readers = 3;
  }
}

int proxy_replicas_open(struct proxy *p) {
  ranks = calloc(p->end - p->first + 1, sizeof(*ranks));
  return proxy_outputs_open(p);
}

void proxy_replicas_resume(struct proxy *p) {
  for (uint32_t i = p->first; i < p->end; i++) {
    ranks[i - p->first].told = atomic_load(&replica_job(p->job)->ranks[i].logged);
    ranks[i - p->first].told_step = atomic_load(&replica_job(p->job)->ranks[i].step);
  }
}

void proxy_replicas_become(void *arg, uint32_t rank) {
  struct proxy *p = arg;
  const char *before = getenv("LD_PRELOAD");
  char *preload;
  if (asprintf(&preload, "%s/libdvmreplica.so%s%s", p->library, before && *before ? ":" : "", before ? before : "") > 0)
    setenv("LD_PRELOAD", preload, 1);
  if (p->checkpointable) /* no thread of the checkpointer's own until it is saved, as where it is only made anew */
    setenv("DVMCR_JOB", "set", 1);
  proxy_outputs_become(p, rank);
}

/* --- logs --- */

/* What would follow is another course than the main's: the set is given up. */
_Noreturn void proxy_replicas_gap(uint32_t rank) {
  fprintf(stderr,
          "dvm run: error: what a host says of the log of rank %u does not go on from what it has said before; the set is given up\n",
          rank);
  _exit(1);
}

/* The number of steps first: what these have logged is there then. */
static bool send_log(struct proxy *p, uint32_t rank, bool idle) {
  struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  struct rank *mine = &ranks[rank - p->first];
  const struct replica_entry *log = replica_log(p->job, rank);
  packet.step = atomic_load_explicit(&k->step, memory_order_acquire);
  uint64_t n = atomic_load_explicit(&k->logged, memory_order_acquire) - mine->told;
  const bool late = packet.step != mine->told_step && idle && dvm_clock_ns() - mine->step_ns > STEP_NS;
  if (n > REPLICA_LOG_ENTRIES) { /* something has written over its memory */
    kill(atomic_load(&mpl_state(p->job, rank)->pid), SIGKILL);
    return false;
  }
  if ((!n && !late) || !proxy_wire_has_room())
    return false;
  n = n < PROXY_ENTRIES ? n : PROXY_ENTRIES;
  for (uint64_t i = 0; i < n; i++)
    memcpy(&packet.entries[i], &log[(mine->told + i) % REPLICA_LOG_ENTRIES], sizeof(*log));
  const struct proxy_head head = {PROXY_LOG, rank, 0, (uint32_t)(sizeof(packet.step) + n * sizeof(*log)), mine->told};
  if (mine->told + n < atomic_load_explicit(&k->logged, memory_order_relaxed))
    packet.step = mine->told_step; /* entries of these steps are still to come */
  proxy_wire_send(0, &head, &packet);
  mine->told += n;
  mine->told_step = packet.step;
  mine->step_ns = dvm_clock_ns();
  return n > 0;
}

static bool send_replayed(struct proxy *p, uint32_t rank, bool idle) {
  const struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  struct rank *mine = &ranks[rank - p->first];
  const uint64_t entries = atomic_load(&k->replayed), step = atomic_load(&k->replayed_step);
  const bool late = idle && (entries != mine->told || step != mine->told_step) && dvm_clock_ns() - mine->step_ns > STEP_NS;
  if ((entries - mine->told < REPLAYED && !late) || !proxy_wire_has_room())
    return false;
  proxy_wire_send(0, &(struct proxy_head){PROXY_REPLAYED, rank, 0, sizeof(step), entries}, &step);
  mine->told = entries;
  mine->told_step = step;
  mine->step_ns = dvm_clock_ns();
  return false;
}

/* Entries first, then the steps that are passed with them. */
static void take_log(struct proxy *p, const struct proxy_head *head, const char *data) {
  struct replica_rank *k = &replica_job(p->job)->ranks[head->from];
  struct replica_entry *log = replica_log(p->job, head->from);
  const uint64_t n = (head->bytes - sizeof(uint64_t)) / sizeof(*log), logged = atomic_load(&k->logged);
  uint64_t step;
  const uint64_t behind = logged - atomic_load(&k->replayed);
  if (head->position != logged || behind > REPLICA_LOG_ENTRIES || n > REPLICA_LOG_ENTRIES - behind)
    proxy_replicas_gap(head->from);
  memcpy(&step, data, sizeof(step));
  for (uint64_t i = 0; i < n; i++)
    memcpy(&log[(logged + i) % REPLICA_LOG_ENTRIES], data + sizeof(step) + i * sizeof(*log), sizeof(*log));
  atomic_store_explicit(&k->logged, logged + n, memory_order_release);
  atomic_store_explicit(&k->step, step, memory_order_release);
  struct mpl_rank_state *s = mpl_state(p->job, head->from);
  proxy_ring_bell(&s->bell, &s->sleeping);
}

/* A main writes over what was replayed. */
static void take_replayed(struct proxy *p, const struct proxy_head *head, const char *data) {
  struct replica_rank *k = &replica_job(p->job)->ranks[head->from];
  const uint64_t before = atomic_load(&k->replayed);
  uint64_t step;
  if (head->position < before || head->position - before > ranks[head->from - p->first].told - before)
    proxy_replicas_gap(head->from);
  memcpy(&step, data, sizeof(step));
  atomic_store(&k->replayed_step, step);
  atomic_store(&k->replayed, head->position);
}

/* --- what is told at the end --- */

static void tell_counted(struct proxy *p, uint32_t rank) {
  const struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  struct proxy_counted now, *told = &ranks[rank - p->first].counted;
  memcpy(&now.counters, &k->counters[p->set - 1], sizeof(now.counters));
  now.lag_max = atomic_load(&k->lag_max);
  now.leads = atomic_load(&k->took_over_ns) != 0;
  if (!memcmp(&now, told, sizeof(now)))
    return;
  memcpy(told, &now, sizeof(now));
  proxy_wire_send(0, &(struct proxy_head){PROXY_COUNTED, rank, 0, sizeof(now), 0}, &now);
}

/* The process waits, so that its place can be looked up. */
static void tell_difference(struct proxy *p, uint32_t rank) {
  static struct proxy_differs d;
  const struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  if (ranks[rank - p->first].differs || !atomic_load(&k->differs))
    return;
  ranks[rank - p->first].differs = true;
  d = (struct proxy_differs){.difference = k->difference};
  if (d.difference.place)
    mpir_where(atomic_load(&mpl_state(p->job, rank)->pid), d.difference.place, d.place, sizeof(d.place));
  proxy_wire_send(0, &(struct proxy_head){PROXY_DIFFERS, rank, 0, sizeof(d), 0}, &d);
}

bool proxy_replicas_progress(struct proxy *p, bool idle) {
  static int64_t looked;
  const bool looks = dvm_clock_ns() - looked > LOOK_NS;
  bool moved = false;
  looked = looks ? dvm_clock_ns() : looked;
  for (uint32_t i = p->first; i < p->end; i++) {
    moved |= proxy_leads(p, i) ? send_log(p, i, idle) : send_replayed(p, i, idle);
    if (!ranks[i - p->first].counted.leads && atomic_load(&replica_job(p->job)->ranks[i].took_over_ns))
      tell_counted(p, i);
    if (looks)
      moved |= proxy_outputs_send(p, i);
  }
  return moved;
}

bool proxy_replicas_told(struct proxy *p, uint32_t rank) {
  struct rank *mine = &ranks[rank - p->first];
  if (!proxy_outputs_are_sent(p, rank))
    return false;
  mine->step_ns = 0; /* also what is told late */
  while (proxy_leads(p, rank) && send_log(p, rank, true))
    ;
  if (proxy_leads(p, rank) && atomic_load(&replica_job(p->job)->ranks[rank].logged) != mine->told)
    return false;
  tell_counted(p, rank);
  return true;
}

bool proxy_replicas_take(struct proxy *p, const struct proxy_head *head, const char *data) {
  if (head->kind == PROXY_LOG && !proxy_leads(p, head->from))
    take_log(p, head, data);
  else if (head->kind == PROXY_REPLAYED && proxy_leads(p, head->from))
    take_replayed(p, head, data);
  else if (head->kind == PROXY_ROLE)
    proxy_replicas_role(p, head->from, head->to);
  else if (head->kind == PROXY_PRINTED)
    proxy_outputs_printed(p, head);
  else
    return false;
  return true;
}

/* Its log begins where the one ends that it has followed. */
static void lead(struct proxy *p, uint32_t rank) {
  struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  if (rank >= p->first && rank < p->end) {
    ranks[rank - p->first].told = atomic_load(&k->logged);
    ranks[rank - p->first].told_step = atomic_load(&k->step);
  }
  atomic_store(&k->leader, p->set - 1);
}

/* A replica of the rank is gone.  First what others need of this one is kept.  One that leads has all that the log says by now. */
void proxy_replicas_role(struct proxy *p, uint32_t rank, uint32_t bits) {
  struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  const bool led = proxy_leads(p, rank);
  proxy_cross_gone(p, rank, (uint8_t)bits);
  if (proxy_is_gone(p, rank, false) && (led || bits & PROXY_LEADS))
    atomic_store(&k->alive, 1u << (p->set - 1));
  if (bits & PROXY_LEADS && !led)
    lead(p, rank);
  proxy_ring_bell(&s->bell, &s->sleeping);
}

/* The other set is gone: no rank has a replica there. */
void proxy_replicas_lead(struct proxy *p, const struct proxy_flags *f) {
  if (!f->leads && !f->alone)
    return;
  for (uint32_t i = 0; i < p->job->nranks; i++)
    proxy_replicas_role(p, i, 1u << (2 - p->set) | PROXY_LEADS);
  proxy_fresh_release(p);
}

void proxy_replicas_begin(struct proxy *p, uint32_t rank, const struct fresh_cut *cut) {
  struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  struct rank *mine = &ranks[rank - p->first];
  atomic_store(&k->leader, 2 - p->set);
  atomic_store(&k->alive, 3);
  atomic_store(&k->finalized[p->set - 1], 0);
  atomic_store(&k->took_over_ns, 0);
  atomic_store(&k->wanted, 0);
  atomic_store(&k->logged, cut->logged);
  atomic_store(&k->replayed, cut->logged);
  atomic_store(&k->step, cut->step);
  atomic_store(&k->replayed_step, cut->step);
  atomic_store(&k->fork_state, REPLICA_IS_FRESH);
  memcpy(k->printed, cut->printed, sizeof(k->printed));
  mine->told = cut->logged;
  mine->told_step = cut->step;
  mine->stopped_ms = 0;
  mine->differs = false;
}

void proxy_replicas_followed(struct proxy *p, uint32_t rank, const struct fresh_cut *cut) {
  struct replica_rank *k = &replica_job(p->job)->ranks[rank];
  atomic_store(&k->replayed, cut->logged);
  atomic_store(&k->replayed_step, cut->step);
  atomic_store(&k->alive, 3);
  ranks[rank - p->first].told = cut->logged;
  ranks[rank - p->first].told_step = cut->step;
}

/* One that is stopped looks to the others like one that computes. */
static void end_stopped(struct proxy *p, uint32_t rank) {
  const struct mpl_rank_state *s = mpl_state(p->job, rank);
  int64_t *since = &ranks[rank - p->first].stopped_ms, now = dvm_clock_ns() / 1000000;
  if (!p->heartbeat_ms || atomic_load(&s->ended) || dvm_process_state(atomic_load(&s->pid)) != 'T')
    *since = 0;
  else if (!*since)
    *since = now;
  else if (now - *since >= p->heartbeat_ms)
    kill(atomic_load(&s->pid), SIGKILL);
}

void proxy_replicas_beat(struct proxy *p) {
  static int64_t last;
  if (dvm_clock_ns() - last < BEAT_MS * 1000000)
    return;
  last = dvm_clock_ns();
  for (uint32_t i = p->first; i < p->end; i++) {
    end_stopped(p, i);
    tell_counted(p, i);
    tell_difference(p, i);
  }
  proxy_wire_send(0, &(struct proxy_head){PROXY_ALIVE, 0, 0, 0, 0}, NULL);
}

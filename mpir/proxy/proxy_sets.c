/* The controller's end of one of two sets of replicas (mpir/replica/sets.h).  Of ranks whose replica in this set leads: entries of logs come here from all hosts, and
   are committed when all that they depend on has come; what was printed goes out when the entries before it are committed: then no other course can be taken after
   a loss.  Of the others: committed entries go to their hosts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/process.h"
#include "mpir/proxy/proxy_fresh.h"
#include "mpir/replica/sets.h"

enum { SILENT_MS = 30000, LATE_NS = 200000, REPLAYED = 1024 };

static struct {
  struct sets *shared;
  unsigned side;
  uint32_t nranks, nnodes;
  int64_t *heard_ms, looked_ms; /* by node; when this process looked at that last */
  uint64_t *steps; /* of those that lead here: with all entries that have come */
  uint64_t *told, *told_step; /* entries that the host has of one that follows, or as the other's knows them to be replayed */
  int64_t told_ns;
  bool all_told;
} here;

static bool of_mains(void) { return here.side == SETS_MAINS; }
static struct sets_rank *rank_at(uint32_t rank) { return &here.shared->ranks[rank]; }
static bool leads(uint32_t rank) { return atomic_load(&rank_at(rank)->leader) == here.side; }
static bool is_lost(uint32_t rank, unsigned side) { return sets_is_lost(here.shared, rank, side); }
bool proxy_sets_is_alone(void) { return atomic_load(of_mains() ? &here.shared->alone : &here.shared->leads); }

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "dvm run: error: the proxy cannot open %s of 'dvm run': %s\n", what, strerror(errno));
  exit(1);
}

int proxy_sets_descriptor(pid_t process, int fd, int flags, const char *what) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, fd);
  const int opened = open(path, flags | O_CLOEXEC);
  if (opened < 0)
    fail(what);
  return opened;
}

void proxy_sets_open(struct proxy *p, pid_t controller, int fd, unsigned side) {
  struct stat st;
  const int memory = proxy_sets_descriptor(controller, fd, O_RDWR, "the memory of two sets");
  if (fstat(memory, &st) ||
      (here.shared = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0)) == MAP_FAILED)
    fail("the memory of two sets");
  here.side = side;
  here.nranks = p->job->nranks;
  here.nnodes = p->nnodes;
  here.heard_ms = calloc(p->nnodes, sizeof(*here.heard_ms));
  here.steps = calloc(here.nranks, sizeof(*here.steps));
  here.told = calloc(here.nranks, sizeof(*here.told));
  here.told_step = calloc(here.nranks, sizeof(*here.told_step));
  for (uint32_t i = 0; i < here.nranks && here.shared->sides[side].begins == SETS_BEGIN_SNAPSHOT; i++)
    proxy_sets_begin(i, atomic_load(&rank_at(i)->committed), atomic_load(&rank_at(i)->step));
  proxy_prints_open(p, here.shared, side);
  p->set = side + 1;
  proxy_roles_open(p, here.shared, side);
  proxy_ways_open(here.shared, side);
  proxy_fresh_head_open(p, here.shared, side);
  atomic_store(&here.shared->sides[side].head_start, dvm_process_stat(getpid(), DVM_STAT_START));
  atomic_store(&here.shared->sides[side].head, getpid());
}

/* --- hosts that say nothing --- */

void proxy_sets_heard(int from) {
  if (from > 0 && (uint32_t)from <= here.nnodes)
    here.heard_ms[from - 1] = dvm_clock_ns() / 1000000;
}

static void look_for_silence(void) {
  const int64_t now = dvm_clock_ns() / 1000000, limit = here.shared->heartbeat_ms ? here.shared->heartbeat_ms : SILENT_MS;
  const bool was_away = now - here.looked_ms > limit / 2; /* it is this process that did not run */
  struct sets_side *side = &here.shared->sides[here.side];
  here.looked_ms = now;
  atomic_fetch_add(&side->beat, 1);
  for (uint32_t k = 0; k < here.nnodes; k++)
    if (was_away || !here.heard_ms[k]) {
      here.heard_ms[k] = now;
    } else if (now - here.heard_ms[k] > limit && !atomic_load(&side->lost)) {
      atomic_store(&side->node, k);
      atomic_store(&side->lost, SETS_SILENT);
    }
}

/* --- logs --- */

static void take_log(const struct proxy_head *head, const char *data) {
  struct sets_rank *k = rank_at(head->from);
  struct replica_entry *log = sets_log(here.shared, head->from);
  const uint64_t n = (head->bytes - sizeof(uint64_t)) / sizeof(*log), logged = atomic_load(&k->logged);
  const uint64_t behind = logged - atomic_load(&k->replayed);
  if (head->position != logged || behind > REPLICA_LOG_ENTRIES || n > REPLICA_LOG_ENTRIES - behind)
    proxy_replicas_gap(head->from);
  memcpy(&here.steps[head->from], data, sizeof(uint64_t));
  for (uint64_t i = 0; i < n; i++)
    memcpy(&log[(logged + i) % REPLICA_LOG_ENTRIES], data + sizeof(uint64_t) + i * sizeof(*log), sizeof(*log));
  atomic_store(&k->logged, logged + n);
}

/* A record that was taken must have been told of by who sent it. */
static bool can_be_followed(uint32_t rank, const struct replica_entry *e) {
  const uint32_t other = (uint32_t)(e->what >> 8) & 0xffffff;
  if (other >= here.nranks)
    return true;
  if ((e->what & 0xff) == REPLICA_RECORD)
    atomic_store(sets_sent(here.shared, rank, other), e->value + 1);
  return (e->what & 0xff) != REPLICA_IN || atomic_load(sets_sent(here.shared, other, rank)) > e->value ||
         sets_is_single(here.shared, other);
}

static bool commit_rank(uint32_t rank) {
  struct sets_rank *k = rank_at(rank);
  const struct replica_entry *log = sets_log(here.shared, rank);
  const uint64_t logged = atomic_load(&k->logged), before = atomic_load(&k->committed);
  uint64_t n = before, step = here.steps[rank];
  while (n < logged && can_be_followed(rank, &log[n % REPLICA_LOG_ENTRIES]))
    n++;
  if (n < logged) {
    const uint64_t open = sets_step_of(&log[n % REPLICA_LOG_ENTRIES], step);
    step = open < step ? open : step;
  }
  atomic_store_explicit(&k->committed, n, memory_order_release);
  if (step > atomic_load(&k->step))
    atomic_store_explicit(&k->step, step, memory_order_release);
  if (n == logged && is_lost(rank, here.side)) /* which is told after the log */
    atomic_store(&k->whole, 1);
  return n > before;
}

static bool commit(void) {
  bool moved = false;
  for (bool again = true; again; moved |= again) {
    again = false;
    for (uint32_t i = 0; i < here.nranks; i++)
      again |= leads(i) && commit_rank(i);
  }
  return moved;
}

/* A rank's only replica waits for those of others that follow: each entry is urgent. */
static bool some_are_single(void) {
  bool any = false;
  for (uint32_t i = 0; i < here.nranks; i++)
    any |= is_lost(i, SETS_MAINS) || is_lost(i, SETS_SHADOWS);
  return any;
}

static int host_of(const struct proxy *p, uint32_t rank) { return (int)mpl_state(p->job, rank)->node + 1; }

/* To the host of one that follows. */
static bool hand_on(const struct proxy *p, uint32_t rank, bool late) {
  static struct proxy_log packet;
  const struct sets_rank *k = rank_at(rank);
  const struct replica_entry *log = sets_log(here.shared, rank);
  packet.step = atomic_load_explicit(&k->step, memory_order_acquire);
  const uint64_t open = atomic_load_explicit(&k->committed, memory_order_acquire) - here.told[rank],
                 n = open < PROXY_ENTRIES ? open : PROXY_ENTRIES;
  if (is_lost(rank, here.side))
    return false;
  late |= is_lost(rank, 1 - here.side);
  here.all_told &= !open && packet.step == here.told_step[rank];
  if ((!n && (!late || packet.step == here.told_step[rank])) || !proxy_wire_has_room())
    return false;
  if (n < open)
    packet.step = here.told_step[rank];
  for (uint64_t i = 0; i < n; i++)
    memcpy(&packet.entries[i], &log[(here.told[rank] + i) % REPLICA_LOG_ENTRIES], sizeof(*log));
  const struct proxy_head head = {PROXY_LOG, rank, 0, (uint32_t)(sizeof(packet.step) + n * sizeof(*log)), here.told[rank]};
  proxy_wire_send(host_of(p, rank), &head, &packet);
  here.told[rank] += n;
  here.told_step[rank] = packet.step;
  return true;
}

/* What the other one has logged and nobody may follow is nothing any more. */
void proxy_sets_lead(uint32_t rank) {
  struct sets_rank *k = rank_at(rank);
  here.steps[rank] = atomic_load(&k->step);
  atomic_store(&k->logged, atomic_load(&k->committed));
  atomic_store(&k->leader, here.side);
}

void proxy_sets_begin(uint32_t rank, uint64_t logged, uint64_t step) {
  here.told[rank] = logged;
  here.told_step[rank] = here.steps[rank] = step;
}

bool proxy_sets_has_all(uint32_t rank) {
  return here.told[rank] == atomic_load(&rank_at(rank)->committed) && here.told_step[rank] == atomic_load(&rank_at(rank)->step);
}

/* To the host of one that leads: how far the other one is. */
static void tell_replayed(const struct proxy *p, uint32_t rank, bool late) {
  const struct sets_rank *k = rank_at(rank);
  const uint64_t entries = atomic_load(&k->replayed), step = atomic_load(&k->replayed_step);
  const bool differs = entries != here.told[rank] || step != here.told_step[rank];
  if (is_lost(rank, 1 - here.side))
    return;
  if (!(entries - here.told[rank] >= REPLAYED || (late && differs)) || !proxy_wire_has_room())
    return;
  proxy_wire_send(host_of(p, rank), &(struct proxy_head){PROXY_REPLAYED, rank, 0, sizeof(step), entries}, &step);
  here.told[rank] = entries;
  here.told_step[rank] = step;
}

/* --- what is told at the end --- */

static void take_counted(struct sets_rank *k, const char *data) {
  struct proxy_counted c;
  memcpy(&c, data, sizeof(c));
  memcpy(&k->counters[here.side], &c.counters, sizeof(c.counters));
  if (!of_mains())
    atomic_store(&k->lag_max, c.lag_max);
  if (c.leads && !atomic_load(&k->leads_ns))
    atomic_store(&k->leads_ns, dvm_clock_ns());
}

static void take_difference(struct sets_rank *k, const char *data) {
  struct proxy_differs d;
  memcpy(&d, data, sizeof(d));
  d.place[sizeof(d.place) - 1] = 0;
  k->difference = d.difference;
  memcpy(k->place, d.place, sizeof(k->place));
  atomic_store(&k->differs, 1);
}

/* --- all of it --- */

bool proxy_sets_take(struct proxy *p, const struct proxy_head *head, const char *data) {
  if (head->kind == PROXY_LOG && leads(head->from)) {
    take_log(head, data);
  } else if (head->kind == PROXY_REPLAYED && !leads(head->from)) {
    uint64_t step;
    memcpy(&step, data, sizeof(step));
    atomic_store(&rank_at(head->from)->replayed_step, step);
    atomic_store(&rank_at(head->from)->replayed, head->position);
  } else if (head->kind == PROXY_COUNTED) {
    take_counted(rank_at(head->from), data);
  } else if (head->kind == PROXY_DIFFERS) {
    take_difference(rank_at(head->from), data);
  } else if (head->kind == PROXY_OUTPUT) {
    proxy_prints_take(head, data);
  } else if (head->kind == PROXY_CROSS || head->kind == PROXY_ENDS) {
    proxy_ways_put(head, data);
  } else if (head->kind == PROXY_FRESH) {
    proxy_fresh_head_take(p, head, data);
  } else {
    return head->kind == PROXY_ALIVE;
  }
  return true;
}

bool proxy_sets_progress(struct proxy *p, bool idle) {
  const int64_t now = dvm_clock_ns();
  const bool alone = proxy_sets_is_alone(), late = alone || (idle && now - here.told_ns > LATE_NS);
  bool moved = commit();
  if (moved && some_are_single())
    proxy_ways_wake();
  here.told_ns = late ? now : here.told_ns;
  here.all_told = true;
  for (uint32_t i = 0; i < here.nranks; i++) {
    if (leads(i))
      tell_replayed(p, i, late);
    else
      moved |= hand_on(p, i, late);
    for (int s = 0; s < REPLICA_STREAMS; s++)
      moved |= proxy_prints_move(p, i, s, late);
  }
  here.all_told &= alone;
  moved |= proxy_fresh_head_progress(p);
  proxy_roles_tell(p);
  proxy_roles_copy(p);
  moved |= proxy_ways_progress(p);
  look_for_silence();
  return moved;
}

/* Who follows leads when he has all that is committed. */
void proxy_sets_flags(struct proxy_flags *f) {
  f->alone = of_mains() && here.all_told;
  f->leads = !of_mains() && here.all_told;
}

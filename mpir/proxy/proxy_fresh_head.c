/* At the controller of a set: a replica is made anew, as one of the two sees it that take part: the set of the one that is left ("left"), and that in which it is
   made ("fresh").  Each takes the steps that are its own when 'state' in the memory of both says that the one before is done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "mpir/proxy/proxy_fresh.h"

enum { LIMIT_MS = 60000 };
enum phase { RESTS, REACHES, MAKES, MADE, RETURNS, WAITS };

static struct {
  struct sets *shared;
  unsigned side;
  uint32_t nranks, nnodes;
  uint8_t *told, *asks; /* by rank */
  enum phase phase;
  bool has_cut;
  uint32_t bytes, answers; /* of the cut; of nodes, in this phase */
  int64_t since_ms;
  struct fresh_cut cut;
} here;

static struct sets_fresh *fresh(void) { return &here.shared->fresh; }
static struct sets_rank *rank_at(uint32_t rank) { return &here.shared->ranks[rank]; }
static uint32_t state(void) { return atomic_load(&fresh()->state); }
static bool is_left(void) { return fresh()->left == here.side; }
static int host_of(const struct proxy *p, uint32_t rank) { return (int)mpl_state(p->job, rank)->node + 1; }

void proxy_fresh_head_open(const struct proxy *p, struct sets *shared, unsigned side) {
  here.shared = shared;
  here.side = side;
  here.nranks = p->job->nranks;
  here.nnodes = p->nnodes;
  here.told = calloc(here.nranks, 1);
  here.asks = calloc(here.nranks, 1);
}

static void tell(const struct proxy *p, uint32_t rank, enum fresh_step step, const char *text) {
  const uint32_t bytes = text ? (uint32_t)strlen(text) + 1 : 0;
  proxy_wire_send(host_of(p, rank), &(struct proxy_head){PROXY_FRESH, rank, step, bytes, 0}, text);
}

static void tell_all(const struct proxy *p, enum fresh_step step, enum phase next) {
  here.answers = 0;
  here.phase = next;
  for (uint32_t k = 0; k < p->nnodes; k++)
    proxy_wire_send((int)k + 1, &(struct proxy_head){PROXY_FRESH, fresh()->rank, step, here.bytes, 0}, &here.cut);
}

static void fail(const char *why) {
  snprintf(fresh()->text, sizeof(fresh()->text), "%s", why);
  atomic_store(&fresh()->state, SETS_FRESH_FAILED);
}

/* --- the set of the one that is left --- */

static void tell_wanted(const struct proxy *p) {
  for (uint32_t i = 0; i < here.nranks; i++) {
    const struct sets_rank *k = rank_at(i);
    const bool wanted = atomic_load(&k->wanted) && atomic_load(&k->leader) == here.side && !proxy_sets_is_alone();
    if (wanted && !here.told[i])
      tell(p, i, FRESH_WANTED, NULL);
    here.told[i] = wanted;
  }
}

/* One at a time, of both sets. */
static void let_one_begin(const struct proxy *p) {
  uint32_t i = 0, none = SETS_FRESH_NONE;
  char folder[sizeof(here.cut.folder)];
  while (i < here.nranks && !here.asks[i])
    i++;
  if (i == here.nranks || state() != none || !atomic_compare_exchange_strong(&fresh()->state, &none, SETS_FRESH_BEGINS))
    return;
  here.asks[i] = 0;
  here.has_cut = false;
  fresh()->rank = i;
  fresh()->left = here.side;
  atomic_store(&fresh()->state, SETS_FRESH_BEGUN);
  snprintf(folder, sizeof(folder), "%s", here.shared->folder);
  tell(p, i, FRESH_MAY, folder);
}

/* The image knows nothing that might have been otherwise: each record that went into it has been told of by who sent it. */
static bool is_settled(void) {
  for (uint32_t k = 0; k < here.nranks; k++)
    if (k != fresh()->rank && !sets_is_single(here.shared, k) &&
        atomic_load(sets_sent(here.shared, k, fresh()->rank)) < here.cut.rings[k].last)
      return false;
  return true;
}

static void hand_over(void) {
  if (!here.has_cut)
    return;
  if (!is_settled() || !proxy_prints_are_out(fresh()->rank)) {
    if (dvm_clock_ms() - here.since_ms > LIMIT_MS)
      fail("not all is told of what it has taken and printed");
    return;
  }
  here.phase = WAITS;
  proxy_ways_put(&(struct proxy_head){PROXY_FRESH, fresh()->rank, FRESH_CUT, here.bytes, 0}, (const char *)&here.cut);
  atomic_store(&fresh()->state, SETS_FRESH_SAVED);
}

/* From here on the rank's entries are followed again. */
static void begin_log(void) {
  struct sets_rank *k = rank_at(fresh()->rank);
  for (uint32_t i = 0; i < here.nranks; i++)
    atomic_store(sets_sent(here.shared, fresh()->rank, i), here.cut.rings[i].out);
  atomic_store(&k->step, here.cut.step);
  atomic_store(&k->replayed, here.cut.logged);
  atomic_store(&k->replayed_step, here.cut.step);
  atomic_store(&k->committed, here.cut.logged);
  atomic_store(&k->whole, 0);
  proxy_sets_begin(fresh()->rank, here.cut.logged, here.cut.step);
}

static void progress_left(const struct proxy *p) {
  switch ((enum sets_fresh_state)state()) {
  case SETS_FRESH_BEGUN: hand_over(); break;
  case SETS_FRESH_RESTORED:
    if (here.phase == WAITS) {
      proxy_roles_returns(fresh()->rank);
      tell_all(p, FRESH_BACK, RETURNS);
    }
    if (here.phase == RETURNS && here.answers == p->nnodes) {
      here.phase = WAITS;
      begin_log();
      atomic_store(&fresh()->state, SETS_FRESH_JOINED);
    }
    break;
  case SETS_FRESH_LIVES:
    here.phase = RESTS;
    here.told[fresh()->rank] = 0;
    proxy_roles_back(fresh()->rank);
    tell(p, fresh()->rank, FRESH_GO, NULL);
    atomic_store(&fresh()->state, SETS_FRESH_OVER);
    break;
  case SETS_FRESH_FAILED:
    here.phase = RESTS;
    proxy_roles_back(fresh()->rank); /* it may have been told to be back */
    tell(p, fresh()->rank, FRESH_FAILED, fresh()->text);
    atomic_store(&fresh()->state, SETS_FRESH_REFUSED);
    break;
  default: break;
  }
}

/* --- the set in which it is made --- */

static void begin_life(struct proxy *p) {
  struct sets_rank *k = rank_at(fresh()->rank);
  struct mpl_rank_state *s = mpl_state(p->job, fresh()->rank);
  proxy_sets_begin(fresh()->rank, here.cut.logged, here.cut.step);
  proxy_prints_begin(fresh()->rank);
  proxy_roles_back(fresh()->rank);
  atomic_store(&s->ended, 0);
  atomic_store(&k->leads_ns, 0);
  atomic_store(&k->lost_ns, 0);
  atomic_fetch_add(&k->made, 1);
  atomic_store(&k->wanted, 0);
  atomic_store(&k->lost[here.side], 0);
  here.phase = RESTS;
  atomic_store(&fresh()->state, SETS_FRESH_LIVES);
  tell(p, fresh()->rank, FRESH_GO, NULL);
}

/* Whatever is there of it is not wanted any more. */
static void give_up(const struct proxy *p) {
  here.phase = RESTS;
  tell(p, fresh()->rank, FRESH_FAILED, "");
}

static void progress_fresh(struct proxy *p) {
  const uint32_t now = state();
  if (here.phase != RESTS && now < SETS_FRESH_RESTORED && dvm_clock_ms() - here.since_ms > LIMIT_MS)
    fail("the ranks there do not come to where it stands");
  if (now == SETS_FRESH_CLONED && here.phase == REACHES && here.answers == p->nnodes) {
    here.phase = MAKES;
    tell(p, fresh()->rank, FRESH_MAKE, NULL);
  }
  if (here.phase == MADE)
    tell_all(p, FRESH_BACK, RETURNS);
  if (here.phase == RETURNS && here.answers == p->nnodes && now == SETS_FRESH_CLONED) {
    here.phase = WAITS;
    atomic_store(&fresh()->state, SETS_FRESH_RESTORED);
  }
  if (here.phase == WAITS && now == SETS_FRESH_JOINED)
    begin_life(p);
}

static void take_cut(struct proxy *p, const struct proxy_head *head, const char *data) {
  here.bytes = head->bytes;
  memcpy(&here.cut, data, head->bytes);
  here.has_cut = true;
  here.since_ms = dvm_clock_ms();
  if (!is_left())
    tell_all(p, FRESH_CUT, REACHES);
}

/* --- both --- */

void proxy_fresh_head_take(struct proxy *p, const struct proxy_head *head, const char *data) {
  switch ((enum fresh_step)head->to) {
  case FRESH_ASKS: here.asks[head->from] = 1; break;
  case FRESH_CUT: take_cut(p, head, data); break;
  case FRESH_REACHED:
  case FRESH_JOINED: here.answers++; break;
  case FRESH_MADE:
    if (here.phase == MAKES)
      here.phase = MADE;
    break;
  case FRESH_FAILED: fail(data); break;
  case FRESH_LATER:
    if (is_left() && fresh()->rank == head->from && state() == SETS_FRESH_BEGUN)
      atomic_store(&fresh()->state, SETS_FRESH_NONE);
    break;
  default: break;
  }
}

bool proxy_fresh_head_progress(struct proxy *p) {
  const uint32_t before = state();
  if (here.phase != RESTS && !is_left() && (before == SETS_FRESH_NONE || before >= SETS_FRESH_FAILED))
    give_up(p);
  tell_wanted(p);
  let_one_begin(p);
  if (state() == SETS_FRESH_NONE || state() == SETS_FRESH_BEGINS || state() == SETS_FRESH_HELD)
    return false;
  if (is_left())
    progress_left(p);
  else
    progress_fresh(p);
  return state() != before;
}

/* A set that is lost as a whole begins anew, without ranks: those that it had count as lost one by one, go on in the other set, and get fresh replicas here.  Nothing of what its hosts
   had told, and nobody may follow, counts any more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_sets_private.h"

enum { TIMES = 3 };

static unsigned count_hosts(const char *list) {
  unsigned n = *list != 0;
  for (; *list; list++)
    n += *list == ',';
  return n;
}

/* With all hosts first, or without the one that says nothing; then, if it could not be started, without each of them in turn. */
bool mpir_sets_can_begin_anew(const struct run *r, unsigned side) {
  const struct side *k = &r->sides[side];
  const struct sets_side *mine = mpir_sets_side(r, side), *other = mpir_sets_side(r, 1 - side);
  const unsigned hosts = count_hosts(k->all_hosts[0] ? k->all_hosts : k->set.hosts);
  const bool runs = atomic_load(&mine->runs), more = k->left_out < hosts && hosts > 1;
  return r->shared->refresh && r->sides[1 - side].controller > 0 && !atomic_load(&other->lost) && atomic_load(&other->runs) &&
         (runs ? k->anew < TIMES : mine->begins == SETS_BEGIN_EMPTY && more);
}

/* Numbers of ranks are left out, too: there are fewer hosts for them. */
static void leave_out(struct side *k) {
  char *to = k->set.hosts;
  const char *from = k->all_hosts;
  for (unsigned i = 0; *from; i++) {
    const size_t length = strcspn(from, ":,");
    if (i != k->left_out)
      to += sprintf(to, "%s%.*s", to == k->set.hosts ? "" : ",", (int)length, from);
    from += strcspn(from, ",");
    from += *from == ',';
  }
  *to = 0;
  k->left_out++;
}

static void choose_hosts(struct run *r, unsigned side) {
  struct side *k = &r->sides[side];
  if (!k->all_hosts[0])
    memcpy(k->all_hosts, k->set.hosts, sizeof(k->all_hosts));
  if (!atomic_load(&mpir_sets_side(r, side)->runs)) {
    leave_out(k);
    return;
  }
  const struct sets_side *s = mpir_sets_side(r, side);
  const bool is_silent = atomic_load(&s->lost) == SETS_SILENT && !strcmp(k->set.hosts, k->all_hosts) && count_hosts(k->all_hosts) > 1;
  k->anew++;
  k->left_out = is_silent ? atomic_load(&s->node) : 0;
  memcpy(k->set.hosts, k->all_hosts, sizeof(k->all_hosts));
  if (is_silent)
    leave_out(k);
}

/* What was being made is not made: who stands for it is told so by its own set, if that is there. */
static void leave_fresh(struct run *r, unsigned side) {
  struct sets_fresh *fresh = &r->shared->fresh;
  const uint32_t state = atomic_load(&fresh->state);
  if (state == SETS_FRESH_NONE || state == SETS_FRESH_HELD)
    return;
  fresh->text[0] = 0;
  atomic_store(&fresh->state, fresh->left == side ? SETS_FRESH_NONE : SETS_FRESH_FAILED);
}

static void lose_ranks(struct run *r, unsigned side) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct sets_rank *k = &r->shared->ranks[i];
    atomic_store(&k->wanted, 0); /* until the set is there again */
    if (atomic_load(&k->lost[side]) || atomic_load(&k->ended[side]))
      continue;
    r->ranks[i].told[side] = true;
    atomic_store(&k->lost[side], 1 + SIGKILL);
    if (atomic_load(&k->leader) == side)
      atomic_store(&k->whole, 1);
  }
}

static int renew_ways(struct run *r) {
  for (unsigned k = 0; k < SETS; k++) {
    struct sets_side *s = mpir_sets_side(r, k);
    close(s->way[0]);
    close(s->way[1]);
    if (pipe2(s->way, O_CLOEXEC))
      return -errno;
  }
  return 0;
}

int mpir_sets_begin_anew(struct run *r, unsigned side) {
  struct sets_side *s = mpir_sets_side(r, side);
  leave_fresh(r, side);
  lose_ranks(r, side);
  const int rc = renew_ways(r);
  if (rc)
    return rc;
  choose_hosts(r, side);
  s->begins = SETS_BEGIN_EMPTY;
  atomic_store(&s->controller, 0);
  atomic_store(&s->memory, 0);
  atomic_store(&s->head, 0);
  atomic_store(&s->beat, 0);
  atomic_store(&s->mpirun, 0);
  atomic_store(&s->runs, 0);
  atomic_store(&s->done, 0);
  atomic_store(&s->rests, 0);
  atomic_store(&s->lost, SETS_RUNS);
  atomic_fetch_add(&s->life, 1);
  r->sides[side].set.snapshot = NULL;
  r->sides[side].beat = 0;
  close(r->sides[side].set.said);
  return mpir_sets_start(r, side);
}

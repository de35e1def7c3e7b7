/* At the controller of a set of replicas: which replicas are lost, and what its nodes are told of that. */
#include <stdlib.h>
#include <string.h>
#include "mpir/proxy/proxy.h"

static struct {
  struct sets *shared;
  unsigned side;
  uint8_t *told;
  uint32_t *copied; /* versions of states */
  uint32_t returns; /* 1 + the rank whose fresh replica counts for the nodes of this set, but not yet in its own; or 0 */
} here;

void proxy_roles_open(const struct proxy *p, struct sets *shared, unsigned side) {
  here.shared = shared;
  here.side = side;
  here.told = calloc(p->job->nranks, sizeof(*here.told));
  here.copied = calloc(p->job->nranks, sizeof(*here.copied));
}

/* One that follows leads when it has all that the other one has logged; until then that one is there for its set, too. */
static uint8_t role_of(uint32_t rank) {
  struct sets_rank *k = &here.shared->ranks[rank];
  const unsigned other = 1 - here.side;
  uint8_t bits = atomic_load(&k->lost[here.side]) ? (uint8_t)(1u << here.side) : 0;
  if (atomic_load(&k->leader) == here.side)
    return atomic_load(&k->lost[other]) && here.returns != rank + 1 ? (uint8_t)(bits | 1u << other) : bits;
  if (!bits && here.shared->mode != REPLICA_CHECK && atomic_load(&k->lost[other]) && atomic_load(&k->whole) && proxy_sets_has_all(rank)) {
    proxy_sets_lead(rank);
    bits = (uint8_t)(1u << other | PROXY_LEADS);
  }
  return bits;
}

void proxy_roles_returns(uint32_t rank) {
  here.told[rank] = 0;
  here.returns = rank + 1;
}

void proxy_roles_back(uint32_t rank) {
  here.told[rank] = 0;
  here.returns = 0;
}

void proxy_roles_tell(struct proxy *p) {
  for (uint32_t i = 0; i < p->job->nranks; i++) {
    const uint8_t bits = here.told[i] | role_of(i);
    if (bits == here.told[i])
      continue;
    here.told[i] = bits;
    for (uint32_t k = 0; k < p->nnodes; k++)
      proxy_wire_send((int)k + 1, &(struct proxy_head){PROXY_ROLE, i, bits, 0, 0}, NULL);
  }
}

/* One that follows does not know what it waits for.  It is the mains' controller that is told. */
static bool follows_a_shadow(uint32_t rank) {
  return here.side == SETS_MAINS && atomic_load(&here.shared->ranks[rank].leader) == SETS_SHADOWS;
}

/* The other set shall know of it, should it lose its own replica. */
bool proxy_roles_state(struct proxy *p, const struct proxy_head *head, const char *data) {
  struct sets_rank *k = &here.shared->ranks[head->from];
  struct mpl_rank_state *mine = mpl_state(p->job, head->from), now;
  if (atomic_load(&k->lost[here.side]))
    return true;
  memcpy(&now, data, sizeof(now));
  memcpy(&k->states[here.side], &now, sizeof(now));
  atomic_fetch_add(&k->versions[here.side], 1);
  if (!follows_a_shadow(head->from))
    return false;
  atomic_store(&mine->pid, atomic_load(&now.pid));
  atomic_store(&mine->phase, atomic_load(&now.phase));
  atomic_store(&mine->ended, atomic_load(&now.ended));
  return true;
}

/* For who looks for a deadlock.  A question for queues does not go to the other set. */
static void copy(struct proxy *p, uint32_t rank) {
  const struct sets_rank *k = &here.shared->ranks[rank];
  struct mpl_rank_state *mine = mpl_state(p->job, rank), now;
  const uint32_t version = atomic_load(&k->versions[1 - here.side]);
  if (version != here.copied[rank]) {
    here.copied[rank] = version;
    memcpy(&now, &k->states[1 - here.side], sizeof(now));
    now.node = mine->node;
    atomic_store(&now.pid, atomic_load(&mine->pid));
    atomic_store(&now.ended, atomic_load(&mine->ended));
    if (!atomic_load(&k->lost[here.side]))
      atomic_store(&now.phase, atomic_load(&mine->phase));
    memcpy(mine, &now, sizeof(now));
  }
  atomic_store(&mine->told, atomic_load(&p->job->asked));
}

void proxy_roles_copy(struct proxy *p) {
  for (uint32_t i = 0; i < p->job->nranks; i++)
    if (atomic_load(&here.shared->ranks[i].lost[here.side]) || follows_a_shadow(i))
      copy(p, i);
}

/* At the controller of a set of replicas: which replicas are lost, and what its nodes are told of that. */
#include <stdlib.h>
#include <string.h>
#include "mpir/proxy/proxy.h"

static struct {
  struct sets *shared;
  unsigned side;
  uint8_t *told;
  uint32_t *copied; /* versions of states */
} here;

void proxy_roles_open(const struct proxy *p, struct sets *shared, unsigned side) {
  here.shared = shared;
  here.side = side;
  here.told = calloc(p->job->nranks, sizeof(*here.told));
  here.copied = calloc(p->job->nranks, sizeof(*here.copied));
}

/* A shadow leads when it has all that its main has logged; until then the main is there for its set, too. */
static uint8_t role_of(uint32_t rank) {
  const struct sets_rank *k = &here.shared->ranks[rank];
  uint8_t bits = atomic_load(&k->lost[SETS_SHADOWS]) ? SETS_NO_SHADOW : 0;
  if (here.side == SETS_MAINS)
    return atomic_load(&k->lost[SETS_MAINS]) ? bits | SETS_NO_MAIN : bits;
  if (!bits && here.shared->mode != REPLICA_CHECK && atomic_load(&k->whole) && proxy_sets_has_all(rank))
    bits |= SETS_NO_MAIN | PROXY_LEADS;
  return bits;
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

/* The other set shall know of it, should it lose its own replica. */
bool proxy_roles_state(const struct proxy_head *head, const char *data) {
  struct sets_rank *k = &here.shared->ranks[head->from];
  if (atomic_load(&k->lost[here.side]))
    return true;
  memcpy(&k->states[here.side], data, sizeof(k->states[0]));
  atomic_fetch_add(&k->versions[here.side], 1);
  return false;
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
    memcpy(mine, &now, sizeof(now));
  }
  atomic_store(&mine->told, atomic_load(&p->job->asked));
}

void proxy_roles_copy(struct proxy *p) {
  for (uint32_t i = 0; i < p->job->nranks; i++)
    if (atomic_load(&here.shared->ranks[i].lost[here.side]))
      copy(p, i);
}

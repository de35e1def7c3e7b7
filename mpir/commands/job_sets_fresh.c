/* A rank of two sets that has lost a replica gets a fresh one: the hosts make it (mpir/proxy/proxy_fresh.h), the command says of which, and takes what it prints. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_sets_private.h"
#include "mpir/commands/list.h"
#include "mpir/image/image_set.h"

static struct sets_fresh *fresh(const struct run *r) { return &r->shared->fresh; }

static bool is_empty(int fd) {
  struct stat st;
  return fstat(fd, &st) || S_ISCHR(st.st_mode) || (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) >= st.st_size);
}

void mpir_sets_refresh_begin(struct run *r) {
  char folder[sizeof(r->shared->folder) - 32];
  if (mpir_list_folder(folder, sizeof(folder)))
    r->shared->refresh = 0;
  else
    snprintf(r->shared->folder, sizeof(r->shared->folder), "%s/replica-%d", folder, (int)getpid());
  r->has_input = !is_empty(0) || isatty(0);
}

/* Where its process would have begun to read anew is not known. */
static bool may_have_read(const struct run *r, uint32_t rank) { return rank == 0 && r->has_input; }

static bool set_is_there(const struct run *r, unsigned side) {
  return r->sides[side].controller > 0 && atomic_load(&mpir_sets_side(r, side)->runs) && !atomic_load(&mpir_sets_side(r, side)->lost);
}

bool mpir_sets_returns(const struct run *r, uint32_t rank) {
  const uint32_t state = atomic_load(&fresh(r)->state);
  return r->shared->refresh && state >= SETS_FRESH_RESTORED && state <= SETS_FRESH_OVER && fresh(r)->rank == rank &&
         set_is_there(r, SETS_MAINS) && set_is_there(r, SETS_SHADOWS);
}

static void refuse(struct run *r, uint32_t rank, const char *why) {
  fprintf(stderr, "dvm run: note: rank %u goes on without a fresh replica: %s\n", rank, why);
  r->ranks[rank].refused = true;
  atomic_store(&r->shared->ranks[rank].wanted, 0);
}

/* The one that is left has to lead, as itself and for its set. */
static void look_at_rank(struct run *r, uint32_t rank, unsigned lost) {
  struct sets_rank *k = &r->shared->ranks[rank];
  if (!r->ranks[rank].told[lost] || r->ranks[rank].refused || atomic_load(&k->wanted) || !sets_is_lost(r->shared, rank, lost) ||
      sets_is_lost(r->shared, rank, 1 - lost) || atomic_load(&k->ended[1 - lost]) || atomic_load(&k->leader) == lost)
    return;
  if (may_have_read(r, rank))
    refuse(r, rank, "what it has read of standard input is not known; '< /dev/null' says that it reads nothing");
  else
    atomic_store(&k->wanted, 1);
}

/* What the image knows has been printed by the other one. */
static void clone_streams(struct run *r) {
  struct run_rank *k = &r->ranks[fresh(r)->rank];
  for (int s = 0; s < REPLICA_STREAMS; s++)
    mpir_output_clone(k->streams[s], 1 - fresh(r)->left);
  k->leader = fresh(r)->left;
  uint32_t saved = SETS_FRESH_SAVED; /* it may have failed */
  atomic_compare_exchange_strong(&fresh(r)->state, &saved, SETS_FRESH_CLONED);
}

void mpir_sets_refresh(struct run *r) {
  if (!r->shared->refresh || r->over || !set_is_there(r, SETS_MAINS) || !set_is_there(r, SETS_SHADOWS))
    return;
  switch ((enum sets_fresh_state)atomic_load(&fresh(r)->state)) {
  case SETS_FRESH_SAVED: clone_streams(r); break;
  case SETS_FRESH_OVER:
    fprintf(stderr, "dvm run: note: rank %u has a fresh replica\n", fresh(r)->rank);
    r->sides[1 - fresh(r)->left].anew = 0;
    r->ranks[fresh(r)->rank].told[1 - fresh(r)->left] = false;
    atomic_store(&fresh(r)->state, SETS_FRESH_NONE);
    break;
  case SETS_FRESH_REFUSED:
    if (fresh(r)->text[0]) /* else its set is begun anew */
      refuse(r, fresh(r)->rank, fresh(r)->text);
    atomic_store(&fresh(r)->state, SETS_FRESH_NONE);
    break;
  default: break;
  }
  for (uint32_t i = 0; i < r->nranks; i++)
    for (unsigned side = 0; side < SETS; side++)
      look_at_rank(r, i, side);
}

void mpir_sets_refresh_end(struct run *r) {
  if (r->shared->refresh && !access(r->shared->folder, F_OK))
    mpir_set_remove(r->shared->folder);
}

/* The controller of one of two sets of replicas (job_sets.h): it has the ranks of its own set, and looks at those of the other one that are alone there. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/process.h"
#include "mpir/commands/client.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_replicas.h"
#include "mpir/commands/job_sets.h"

enum { LOST = 68, TURN_MS = 10000 };

const char *mpir_half_words(const struct mpir_half *s) {
  static char words[64];
  snprintf(words, sizeof(words), "%u,%u,%u,%u,%u,%u", s->side, s->shared->determinants, s->shared->heartbeat_ms, s->shared->mode,
           s->shared->refresh, s->shared->sides[s->side].begins);
  return words;
}

/* Two mpiruns that begin at once on a host may both make the folder that they share there, and Open MPI 4.1 takes it for an error that it is there already: the second one
   waits until the first one has children, who come after that. */
void mpir_half_await_turn(const struct mpir_half *s) {
  const int64_t begun = dvm_clock_ms();
  while (s->side == SETS_SHADOWS && dvm_clock_ms() - begun < TURN_MS) {
    const pid_t first = atomic_load(&s->shared->sides[SETS_MAINS].mpirun);
    const char state = first > 0 ? dvm_process_state(first) : 0;
    if (first && (!state || state == 'Z' || mpir_client_has_children(first)))
      break;
    usleep(1000);
  }
}

void mpir_half_opened(const struct mpir_half *s, int memory) {
  atomic_store(&s->shared->sides[s->side].controller, getpid());
  atomic_store(&s->shared->sides[s->side].memory, memory);
}

bool mpir_half_is_empty(const struct mpir_half *s) { return s->shared->sides[s->side].begins == SETS_BEGIN_EMPTY; }
bool mpir_half_has_head(const struct mpir_half *s) { return atomic_load(&s->shared->sides[s->side].head); }

void mpir_half_started(const struct mpir_half *s, pid_t mpirun) { atomic_store(&s->shared->sides[s->side].mpirun, mpirun); }

void mpir_half_runs(const struct mpir_half *s) { atomic_store(&s->shared->sides[s->side].runs, 1); }
bool mpir_half_is_lost(const struct mpir_half *s) { return atomic_load(&s->shared->sides[s->side].lost); }

/* No child of ours: it may have ended long ago, and its number be another process's. */
void mpir_half_end_head(const struct sets_side *side) { dvm_process_end(atomic_load(&side->head), atomic_load(&side->head_start)); }

/* Its head writes what is printed and what the others follow: it must have ended before anybody takes over.  The rest ends with us. */
_Noreturn void mpir_half_leave(const struct mpir_half *s, uint32_t lost) {
  struct sets_side *side = &s->shared->sides[s->side];
  mpir_half_end_head(side);
  if (!atomic_load(&side->lost))
    atomic_store(&side->lost, lost);
  _exit(LOST);
}

/* It waits for signals of its children. */
static void wake_command(const struct mpir_half *s) { kill(s->shared->command, SIGCHLD); }

void mpir_half_lost_rank(const struct mpir_half *s, uint32_t rank, int how) {
  struct sets_rank *k = &s->shared->ranks[rank];
  if (s->side == atomic_load(&k->leader) && !atomic_load(&k->lost_ns))
    atomic_store(&k->lost_ns, dvm_clock_ns());
  atomic_store(&k->lost[s->side], how + 1);
  wake_command(s);
}
void mpir_half_ended_rank(const struct mpir_half *s, uint32_t rank, int how) {
  atomic_store(&s->shared->ranks[rank].ended[s->side], how + 1);
  wake_command(s);
}
bool mpir_half_is_elsewhere(const struct mpir_half *s, uint32_t rank) { return atomic_load(&s->shared->ranks[rank].lost[s->side]); }
int mpir_half_ended(const struct mpir_half *s, uint32_t rank) { return atomic_load(&s->shared->ranks[rank].ended[1 - s->side]); }

static bool all_are_lost(const struct sets *shared, unsigned side) {
  bool all = true;
  for (uint32_t i = 0; i < shared->nranks; i++)
    all &= atomic_load(&shared->ranks[i].lost[side]) != 0;
  return all;
}

/* The mains' controller, as long as there is a main. */
bool mpir_half_tells_deadlock(const struct mpir_half *s) {
  const bool no_mains = atomic_load(&s->shared->leads) || all_are_lost(s->shared, SETS_MAINS);
  return (s->side == SETS_MAINS) != no_mains;
}

/* What its ranks have sent may still be on its way to mains. */
bool mpir_half_must_stay(const struct mpir_half *s) {
  const struct sets_side *mains = &s->shared->sides[SETS_MAINS];
  if (s->side == SETS_MAINS || atomic_load(&mains->lost) || atomic_load(&mains->done))
    return false;
  for (uint32_t i = 0; i < s->shared->nranks; i++)
    if (atomic_load(&s->shared->ranks[i].lost[SETS_MAINS]))
      return true;
  return false;
}

void mpir_half_done(const struct mpir_half *s) { atomic_store(&s->shared->sides[s->side].done, 1); }

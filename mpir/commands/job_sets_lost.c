/* What becomes of a job in two sets of replicas when some of them are lost. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_sets_private.h"

static const char *name_of(unsigned side) { return side == SETS_SHADOWS ? "shadows" : "mains"; }
static int lost_rank(const struct run *r, unsigned side, uint32_t rank) { return atomic_load(&r->shared->ranks[rank].lost[side]); }
static bool set_is_lost(const struct run *r, unsigned side) { return atomic_load(&mpir_sets_side(r, side)->lost); }

/* It is needed no more. */
static bool has_ended(const struct run *r, unsigned side, uint32_t rank) { return atomic_load(&r->shared->ranks[rank].ended[side]); }

static bool is_gone(const struct run *r, unsigned side, uint32_t rank) {
  return !has_ended(r, side, rank) && (lost_rank(r, side, rank) || set_is_lost(r, side));
}

static const char *describe_set(const struct run *r, unsigned side, char *text, size_t size) {
  const struct sets_side *s = mpir_sets_side(r, side);
  if (atomic_load(&s->lost) == SETS_SILENT)
    snprintf(text, size, "host %u of theirs has said nothing for too long", atomic_load(&s->node) + 1);
  else
    snprintf(text, size, "a host, a proxy or mpirun was lost");
  return text;
}

static const char *describe(const struct run *r, unsigned side, uint32_t rank, char *text, size_t size) {
  const int how = lost_rank(r, side, rank) - 1;
  if (how < 0)
    return describe_set(r, side, text, size);
  if (WIFSIGNALED(how))
    snprintf(text, size, "rank %u was killed by signal %d (%s)", rank, WTERMSIG(how), strsignal(WTERMSIG(how)));
  else
    snprintf(text, size, "rank %u ended with status %d before MPI_Finalize", rank, WEXITSTATUS(how));
  return text;
}

static void tell_last_event(const struct run *r, uint32_t rank) {
  const struct sets_rank *k = &r->shared->ranks[rank];
  const uint64_t n = atomic_load(&k->committed);
  fprintf(stderr, "; last event: step %llu", (unsigned long long)atomic_load(&k->step));
  for (uint64_t i = n; i > 0 && n - i < REPLICA_LOG_ENTRIES; i--) {
    const struct replica_entry *e = &sets_log(r->shared, rank)[(i - 1) % REPLICA_LOG_ENTRIES];
    if ((e->what & 0xff) != REPLICA_IN)
      continue;
    fprintf(stderr, ", took a record from rank %u", (unsigned)(e->what >> 8) & 0xffffff);
    break;
  }
  fputc('\n', stderr);
}

static void tell_said(const struct run *r, unsigned side) {
  char text[4096];
  ssize_t n;
  for (off_t at = 0; (n = pread(r->sides[side].set.said, text, sizeof(text), at)) > 0; at += n)
    if (write(2, text, (size_t)n) < 0)
      return;
}

/* --- both replicas --- */

/* The program itself ends so: its second execution did the same. */
static bool is_same_end(const struct run *r, uint32_t rank) {
  const int a = lost_rank(r, SETS_MAINS, rank), b = lost_rank(r, SETS_SHADOWS, rank);
  return a && a == b && WIFEXITED(a - 1);
}

static void both_lost(struct run *r, unsigned last, uint32_t rank) {
  char text[160], other[160];
  if (is_same_end(r, rank)) {
    mpir_sets_end(r, WEXITSTATUS(lost_rank(r, last, rank) - 1));
    return;
  }
  fprintf(stderr, "dvm run: error: both replicas of rank %u are lost: of the %s %s; of the %s, before, %s", rank, name_of(last),
          describe(r, last, rank, text, sizeof(text)), name_of(1 - last), describe(r, 1 - last, rank, other, sizeof(other)));
  tell_last_event(r, rank);
  mpir_sets_end(r, LOST);
}

/* No way back: '--mode check' compares, and no more. */
static void lost_unreplaced(struct run *r, uint32_t rank) {
  char text[160];
  fprintf(stderr, "dvm run: error: rank %u is lost: of the mains %s, and with '--mode=check' the shadows do not take over", rank,
          describe(r, SETS_MAINS, rank, text, sizeof(text)));
  tell_last_event(r, rank);
  mpir_sets_end(r, LOST);
}

/* --- one of them --- */

static void drop_streams(struct run *r, uint32_t rank) {
  for (int s = 0; s < REPLICA_STREAMS; s++)
    mpir_output_drop(r->ranks[rank].streams[s]);
}

/* From now on what this replica prints is what goes out. */
static bool let_print(struct run *r, unsigned side, uint32_t rank) {
  if (r->ranks[rank].leader == side)
    return false;
  for (int s = 0; s < REPLICA_STREAMS; s++)
    mpir_output_take_all(r->ranks[rank].streams[s], 1 - side);
  drop_streams(r, rank);
  r->ranks[rank].leader = side;
  return true;
}

static void let_lead(struct run *r, unsigned side, uint32_t rank) {
  struct sets_rank *k = &r->shared->ranks[rank];
  if (!let_print(r, side, rank))
    return;
  const int64_t noticed = atomic_load(&k->lost_ns);
  r->ranks[rank].lost_ns = noticed ? noticed : dvm_clock_ns();
  k->takeovers++;
}

static void let_all_lead(struct run *r, unsigned side) {
  for (uint32_t i = 0; i < r->nranks; i++)
    let_lead(r, side, i);
}

/* Those that were made anew have come to the end, or will without the others. */
static void let_fresh_print(struct run *r) {
  for (uint32_t i = 0; i < r->nranks; i++)
    if (!lost_rank(r, SETS_MAINS, i))
      let_print(r, SETS_MAINS, i);
}

/* It ended by itself, or was never there. */
static int own_status(const struct run *r, unsigned side) {
  const int how = r->sides[side].how;
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* The shadows have come to the end of the program, all of them. */
static void end_with_shadows(struct run *r) {
  let_all_lead(r, SETS_SHADOWS);
  mpir_sets_end(r, own_status(r, SETS_SHADOWS));
}

static void lost_leader(struct run *r, unsigned side, uint32_t rank) {
  char text[160];
  fprintf(stderr, "dvm run: note: of the %s %s; %s takes over\n", name_of(side), describe(r, side, rank, text, sizeof(text)),
          side == SETS_MAINS ? "its shadow" : "its replica among the mains");
  if (r->sides[1 - side].controller)
    let_lead(r, 1 - side, rank);
  else if (side == SETS_MAINS)
    end_with_shadows(r);
}

static void lost_follower(struct run *r, unsigned side, uint32_t rank) {
  char text[160];
  fprintf(stderr, "dvm run: note: of the %s %s; the rank goes on without it\n", name_of(side), describe(r, side, rank, text, sizeof(text)));
  r->shared->ranks[rank].followers_lost++;
  drop_streams(r, rank);
}

/* A replica, its host being there. */
static void rank_lost(struct run *r, unsigned side, uint32_t rank) {
  if (!rank)
    mpir_input_drop(r->input, side);
  if (has_ended(r, 1 - side, rank) && side != r->ranks[rank].leader)
    return;
  if (r->waits_ms)
    mpir_sets_end(r, r->status);
  else if (is_gone(r, 1 - side, rank))
    both_lost(r, side, rank);
  else if (side == SETS_MAINS && r->options->mode == REPLICA_CHECK)
    lost_unreplaced(r, rank);
  else if (side == r->ranks[rank].leader)
    lost_leader(r, side, rank);
  else
    lost_follower(r, side, rank);
}

void mpir_sets_look_at_ranks(struct run *r) {
  for (uint32_t i = 0; i < r->nranks; i++)
    for (unsigned side = 0; side < SETS && !r->over && !mpir_sets_returns(r, i); side++)
      if (lost_rank(r, side, i) && !r->ranks[i].told[side]) {
        r->ranks[i].told[side] = true;
        rank_lost(r, side, i);
      }
}

/* --- a set --- */

/* A rank that has no replica any more, or -1. */
static int none_left(const struct run *r) {
  for (uint32_t i = 0; i < r->nranks; i++)
    if (is_gone(r, SETS_MAINS, i) && is_gone(r, SETS_SHADOWS, i))
      return (int)i;
  return -1;
}

static void set_lost(struct run *r, unsigned side) {
  char text[160];
  const int rank = none_left(r);
  const bool runs = atomic_load(&mpir_sets_side(r, side)->runs);
  if (r->waits_ms) {
    mpir_sets_end(r, r->status);
  } else if (!runs && mpir_sets_can_begin_anew(r, side)) {
    if (mpir_sets_begin_anew(r, side))
      mpir_sets_end(r, 1);
  } else if (!runs && mpir_sets_side(r, side)->begins == SETS_BEGIN_SNAPSHOT) {
    tell_said(r, side);
    fprintf(stderr, "dvm run: error: the snapshot could not be restarted at %s\n", r->sides[side].set.hosts);
    mpir_sets_end(r, LOST);
  } else if (!runs && mpir_sets_side(r, side)->begins == SETS_BEGIN_PROGRAM) {
    tell_said(r, side);
    fprintf(stderr, "dvm run: error: the %s at %s could not be started\n", name_of(side), r->sides[side].set.hosts);
    mpir_sets_end(r, 1);
  } else if (rank >= 0) {
    both_lost(r, side, (uint32_t)rank);
  } else if (side == SETS_MAINS && r->options->mode == REPLICA_CHECK) {
    lost_unreplaced(r, 0);
  } else if (side == SETS_MAINS) {
    fprintf(stderr, "dvm run: note: of the mains %s; the shadows at %s take over\n", describe_set(r, side, text, sizeof(text)),
            r->sides[SETS_SHADOWS].set.hosts);
    let_all_lead(r, SETS_SHADOWS);
    if (mpir_sets_can_begin_anew(r, side) && !mpir_sets_begin_anew(r, side))
      return;
    atomic_store(&r->shared->leads, 1);
    if (!r->sides[SETS_SHADOWS].controller)
      end_with_shadows(r);
  } else {
    fprintf(stderr, "dvm run: note: of the shadows %s; the job goes on without them\n", describe_set(r, side, text, sizeof(text)));
    let_all_lead(r, SETS_MAINS);
    for (uint32_t i = 0; i < r->nranks; i++)
      drop_streams(r, i);
    if (!mpir_sets_can_begin_anew(r, side) || mpir_sets_begin_anew(r, side))
      atomic_store(&r->shared->alone, 1);
  }
}

static bool some_lead(const struct run *r) {
  bool any = set_is_lost(r, SETS_MAINS);
  for (uint32_t i = 0; i < r->nranks; i++)
    any |= lost_rank(r, SETS_MAINS, i) != 0;
  return any;
}

/* The mains' end, which their controller has seen of those that shadows lead, too, is the job's. */
static void mains_ended(struct run *r) {
  if (!atomic_load(&mpir_sets_side(r, SETS_MAINS)->runs))
    tell_said(r, SETS_MAINS);
  let_fresh_print(r);
  if (r->options->mode & REPLICA_CHECK && !own_status(r, SETS_MAINS) && r->sides[SETS_SHADOWS].controller &&
      !atomic_load(&r->shared->leads))
    r->waits_ms = dvm_clock_ms();
  else
    mpir_sets_end(r, own_status(r, SETS_MAINS));
}

static void shadows_ended(struct run *r) {
  const bool runs = atomic_load(&mpir_sets_side(r, SETS_SHADOWS)->runs);
  if (own_status(r, SETS_SHADOWS) && !runs) {
    tell_said(r, SETS_SHADOWS);
    mpir_sets_end(r, own_status(r, SETS_SHADOWS));
  } else if (some_lead(r)) {
    end_with_shadows(r);
  } else if (r->waits_ms) {
    mpir_sets_move(r, false);
    mpir_sets_end(r, 0);
  } else {
    atomic_store(&r->shared->alone, 1); /* they have come to the end, and so will the mains */
    let_fresh_print(r);
  }
}

void mpir_sets_ended(struct run *r, unsigned side) {
  struct side *k = &r->sides[side];
  k->controller = 0;
  mpir_input_drop(r->input, side);
  mpir_sets_leave_saving(r, side);
  if (r->over)
    return;
  if (!set_is_lost(r, side) && WIFSIGNALED(k->how))
    atomic_store(&mpir_sets_side(r, side)->lost, SETS_LOST_HOST);
  if (set_is_lost(r, side))
    set_lost(r, side);
  else if (side == SETS_MAINS)
    mains_ended(r);
  else
    shadows_ended(r);
}

/* What the command says of replicas that are lost, differ, or were never there. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include "mpir/commands/job_replicas_private.h"

const char *mpir_replicas_describe(int how, char *text, size_t size) {
  if (WIFSIGNALED(how))
    snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
  else
    snprintf(text, size, "ended with status %d before MPI_Finalize", WEXITSTATUS(how));
  return text;
}

static void tell_event(const struct mpir_replicas *r, uint32_t rank) {
  static const char *const words[] = {[REPLICA_IN] = "took a record from rank",
                                      [REPLICA_OUT] = "sent data that had waited for room to rank",
                                      [REPLICA_FULL] = "found no room in the ring to rank"};
  const struct replica_rank *k = &r->shared->ranks[rank];
  uint64_t logged = atomic_load(&k->logged);
  const struct mpl_wait *w = &mpl_state(r->job, rank)->wait;
  fprintf(stderr, "; last event: step %llu", (unsigned long long)atomic_load(&k->step));
  if (logged) {
    const struct replica_entry *e = &replica_log(r->job, rank)[(logged - 1) % REPLICA_LOG_ENTRIES];
    unsigned event = e->what & 0xff;
    if (event >= REPLICA_IN && event <= REPLICA_FULL)
      fprintf(stderr, ", %s %u", words[event], (unsigned)(e->what >> 8) & 0xffffff);
    else if (event == REPLICA_VALUE)
      fputs(", read the time or a name", stderr);
  }
  if (atomic_load(&w->blocked))
    fprintf(stderr, ", in %s", w->call);
  fputc('\n', stderr);
}

static const char *why_none(const struct mpir_replicas *r, uint32_t rank) {
  if (atomic_load(&r->shared->ranks[rank].threads))
    return " because it has several threads";
  return atomic_load(&mpl_state(r->job, rank)->phase) == MPL_ABSENT ? " yet, as it has not called MPI_Init" : " yet";
}

void mpir_replicas_tell_lost(struct mpir_replicas *r, uint32_t rank, int how) {
  struct mpir_replicated_rank *mine = &r->ranks[rank];
  char text[128], other[128];
  if (r->options.mode == REPLICA_CHECK)
    fprintf(stderr, "dvm run: error: rank %u is lost: it %s, and with '--mode=check' its shadow does not take over", rank,
            mpir_replicas_describe(how, text, sizeof(text)));
  else if (mine->takeovers && mine->main_how == how && WIFSIGNALED(how) && WTERMSIG(how) != SIGKILL)
    fprintf(stderr, "dvm run: error: both replicas of rank %u are lost: each %s, so the program itself is the likely cause", rank,
            mpir_replicas_describe(how, text, sizeof(text)));
  else if (mine->takeovers || mine->shadows_lost || mine->shadow_over)
    fprintf(stderr, "dvm run: error: both replicas of rank %u are lost: the last one %s, the other one %s", rank,
            mpir_replicas_describe(how, text, sizeof(text)),
            mpir_replicas_describe(mine->last_lost ? mine->main_how : mine->shadow_how, other, sizeof(other)));
  else
    fprintf(stderr, "dvm run: error: rank %u is lost, and had no shadow%s: it %s", rank, why_none(r, rank),
            mpir_replicas_describe(how, text, sizeof(text)));
  tell_event(r, rank);
}

void mpir_replicas_tell_difference(uint32_t rank, const struct replica_difference *d, const char *place) {
  fprintf(stderr, "dvm run: error: the replicas of rank %u differ: ", rank);
  if (d->kind == 1)
    fprintf(stderr, "message %llu to rank %u, offset %llu: the main sent 0x%016llx, the shadow has 0x%016llx",
            (unsigned long long)d->message, d->to, (unsigned long long)d->offset, (unsigned long long)d->expected,
            (unsigned long long)d->found);
  else if (d->kind == 3)
    fprintf(stderr, "message %llu to rank %u: the main sent %llu bytes with tag %d, the shadow has %llu bytes with tag %d",
            (unsigned long long)d->message, d->to, (unsigned long long)d->expected, (int)(d->offset >> 32), (unsigned long long)d->found,
            (int)(uint32_t)d->offset);
  else if (d->kind == 4)
    fprintf(stderr, "message %llu to rank %u: the bytes from offset %llu on have the sum 0x%016llx at the main, 0x%016llx at the shadow",
            (unsigned long long)d->message, d->to, (unsigned long long)d->offset, (unsigned long long)d->expected,
            (unsigned long long)d->found);
  else
    fprintf(stderr, "the shadow makes a different call from its main at step %llu", (unsigned long long)d->message);
  if (*place)
    fprintf(stderr, ", sent at %s", place);
  fputc('\n', stderr);
}

void mpir_replicas_tell_output(uint32_t rank, int stream, uint64_t at) {
  fprintf(stderr, "dvm run: error: the replicas of rank %u differ: standard %soutput, byte %llu\n", rank, stream ? "error " : "",
          (unsigned long long)at);
}

/* It may be a program of another MPI, or of none. */
void mpir_replicas_tell_unprotected(const struct mpir_replicas *r) {
  for (uint32_t i = 0; i < r->nranks; i++)
    if (atomic_load(&mpl_state(r->job, i)->phase) != MPL_ABSENT)
      return;
  fputs("dvm run: note: no rank has called MPI_Init, which makes the shadows: there were none\n", stderr);
}

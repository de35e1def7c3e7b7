/* What a replicated job says of itself at its end. */
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include "base/clock.h"
#include "mpir/commands/job_replicas_private.h"

static const char *const protocols[] = {"shared", "receiver-forwarding", "sender-forwarding"};
static const char *const modes[] = {[REPLICA_CRASH] = "crash", [REPLICA_CHECK] = "check", [REPLICA_BOTH] = "both"};

#define COUNTERS(X)                                                                                                                        \
  X(points)                                                                                                                                \
  X(messages)                                                                                                                              \
  X(message_bytes)                                                                                                                         \
  X(collectives)                                                                                                                           \
  X(records)                                                                                                                               \
  X(copies)                                                                                                                                \
  X(forwarded)                                                                                                                             \
  X(wildcards)                                                                                                                             \
  X(tests)                                                                                                                                 \
  X(times) X(names) X(syncs) X(entries) X(blocked_by_log_ns) X(blocked_by_shadow_ns) X(fork_ns) X(forks) X(compared) X(compared_bytes)

struct totals {
#define X(name) uint64_t name;
  COUNTERS(X)
#undef X
  uint64_t takeovers, leaps, shadows_lost;
  int64_t takeover_ns_max;
};

static void add(struct totals *t, const struct replica_counters *n) {
#define X(name) t->name += atomic_load(&n->name);
  COUNTERS(X)
#undef X
}

static void write_totals(FILE *to, const struct totals *t, const char *end) {
  const char *comma = "";
#define X(name)                                                                                                                            \
  fprintf(to, "%s\"" #name "\": %llu", comma, (unsigned long long)t->name);                                                                \
  comma = ", ";
  COUNTERS(X)
#undef X
  fprintf(to, ", \"takeovers\": %llu, \"leaps\": %llu, \"shadows_lost\": %llu, \"takeover_ns_max\": %lld%s",
          (unsigned long long)t->takeovers, (unsigned long long)t->leaps, (unsigned long long)t->shadows_lost,
          (long long)t->takeover_ns_max, end);
}

/* Ways for messages between mains and shadows: rings or streams that a shadow reads and that are there for it alone. */
static unsigned long links(const struct mpir_replicas *r) {
  unsigned long n = r->nranks;
  return r->options.nodes                                     ? n * n
         : r->options.protocol == REPLICA_SHARED              ? 0
         : r->options.protocol == REPLICA_RECEIVER_FORWARDING ? n
                                                              : n * n;
}

static struct totals totals_of(const struct mpir_replicas *r, uint32_t rank) {
  const struct mpir_replicated_rank *mine = &r->ranks[rank];
  struct totals t = {
      .takeovers = mine->takeovers, .leaps = mine->leaps, .shadows_lost = mine->shadows_lost, .takeover_ns_max = mine->takeover_ns_max};
  for (int i = 0; i < 2; i++)
    add(&t, &r->shared->ranks[rank].counters[i]);
  return t;
}

static void write_report(FILE *to, const struct mpir_replicas *r, int status, const struct totals *all) {
  fprintf(to,
          "{\n  \"version\": 1, \"ranks\": %u, \"placement\": \"%s\", \"protocol\": \"%s\", \"mode\": \"%s\", \"status\": %d, "
          "\"milliseconds\": %lld, \"links\": "
          "%lu,\n  ",
          r->nranks, r->options.nodes ? "nodes" : "node", protocols[r->options.protocol], modes[r->options.mode], status,
          (long long)(dvm_clock_ms() - r->begin_ms), links(r));
  fputs("\"total\": {", to);
  write_totals(to, all, "},\n  \"per_rank\": [\n");
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct replica_rank *k = &r->shared->ranks[i];
    struct totals t = totals_of(r, i);
    fprintf(to,
            "    {\"rank\": %u, \"replica_points\": [%llu, %llu], \"lag_entries_max\": %llu, \"lag_bytes_max\": %llu, \"threads\": %u, ", i,
            (unsigned long long)atomic_load(&k->counters[0].points), (unsigned long long)atomic_load(&k->counters[1].points),
            (unsigned long long)atomic_load(&k->lag_max), (unsigned long long)atomic_load(&k->lag_bytes_max), atomic_load(&k->threads));
    write_totals(to, &t, i + 1 < r->nranks ? "},\n" : "}\n");
  }
  fputs("  ]\n}\n", to);
}

static void write_summary(const struct mpir_replicas *r, const struct totals *t) {
  fprintf(stderr,
          "dvm run: %u ranks, each twice (%s): %llu messages, %llu copies, %llu forwarded; %llu takeovers (the longest %.1f ms), %llu "
          "shadows made\n",
          r->nranks, protocols[r->options.protocol], (unsigned long long)t->messages, (unsigned long long)t->copies,
          (unsigned long long)t->forwarded, (unsigned long long)t->takeovers, (double)t->takeover_ns_max / 1e6,
          (unsigned long long)t->forks);
  fprintf(
      stderr,
      "dvm run: determinants: %llu wildcards, %llu tests and probes, %llu times and names; %llu log entries; blocked %.1f ms by shadows\n",
      (unsigned long long)t->wildcards, (unsigned long long)t->tests, (unsigned long long)(t->times + t->names),
      (unsigned long long)t->entries, (double)(t->blocked_by_log_ns + t->blocked_by_shadow_ns) / 1e6);
}

void mpir_replicas_report(const struct mpir_replicas *r, int status) {
  struct totals all = {0};
  for (uint32_t i = 0; i < r->nranks; i++) {
    for (int k = 0; k < 2; k++)
      add(&all, &r->shared->ranks[i].counters[k]);
    all.takeovers += r->ranks[i].takeovers;
    all.leaps += r->ranks[i].leaps;
    all.shadows_lost += r->ranks[i].shadows_lost;
    if (r->ranks[i].takeover_ns_max > all.takeover_ns_max)
      all.takeover_ns_max = r->ranks[i].takeover_ns_max;
  }
  if (r->options.summary)
    write_summary(r, &all);
  if (!r->options.report)
    return;
  FILE *to = fopen(r->options.report, "we");
  if (to)
    write_report(to, r, status, &all);
  if (!to || fclose(to))
    fprintf(stderr, "dvm run: error: cannot write the report '%s': %s\n", r->options.report, strerror(errno));
}

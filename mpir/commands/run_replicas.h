/* The options of 'dvm run --replicate'. */
#ifndef MPIR_RUN_REPLICAS_H
#define MPIR_RUN_REPLICAS_H
#include "mpir/commands/job_replicas.h"

enum {
  RUN_REPLICATE = 512,
  RUN_PROTOCOL,
  RUN_MODE,
  RUN_CHECK,
  RUN_REFRESH,
  RUN_WHEN_FULL,
  RUN_LAG,
  RUN_HEARTBEAT,
  RUN_REPORT,
  RUN_SUMMARY,
  RUN_SHADOW_CPU,
  RUN_PLACEMENT,
  RUN_DETERMINANTS,
  RUN_REPLICAS_END
};
#define RUN_REPLICA_OPTIONS                                                                                                                \
  {"replicate", 0, NULL, RUN_REPLICATE}, {"protocol", 1, NULL, RUN_PROTOCOL}, {"mode", 1, NULL, RUN_MODE}, {"check", 0, NULL, RUN_CHECK},  \
      {"refresh", 1, NULL, RUN_REFRESH}, {"when-full", 1, NULL, RUN_WHEN_FULL}, {"lag-bytes", 1, NULL, RUN_LAG},                           \
      {"heartbeat", 1, NULL, RUN_HEARTBEAT}, {"report", 1, NULL, RUN_REPORT}, {"summary", 0, NULL, RUN_SUMMARY},                           \
      {"shadow-cpu", 1, NULL, RUN_SHADOW_CPU}, {"determinants", 1, NULL, RUN_DETERMINANTS}, {                                              \
    "placement", 1, NULL, RUN_PLACEMENT                                                                                                    \
  }
#define RUN_REPLICA_USAGE                                                                                                                  \
  "each rank twice, so that the run outlives its processes:\n"                                                                             \
  "  --replicate                 a main and a shadow of each rank; with '--checkpointable', if both are lost, on from the last snapshot\n" \
  "  --protocol NAME             how shadows get messages: shared, receiver-forwarding, sender-forwarding\n"                               \
  "  --mode NAME                 crash: a shadow takes over; check: compare what both send; both\n"                                        \
  "  --check                     the same as '--mode both'\n"                                                                              \
  "  --refresh on|off            make a fresh replica after a loss (on)\n"                                                                 \
  "  --when-full block|spool|leap  a shadow that is far behind is waited for, gets more room, or is replaced\n"                            \
  "  --lag-bytes BYTES           how far a shadow may fall behind in the messages between two ranks (262144; spool: 67108864)\n"           \
  "  --heartbeat SECONDS         a replica that is stopped for this long counts as dead\n"                                                 \
  "  --shadow-cpu idle|LIST      shadows run when nothing else does, or on these processors\n"                                             \
  "  --determinants LIST         what shadows get as their mains got it, of: time, pid, random; or none (all)\n"                           \
  "  --placement node|nodes      shadows run where their mains do (node), or on the second half of '--hosts'\n"                            \
  "  --report FILE.json          counters of the run\n"                                                                                    \
  "  --summary                   print the main counters in two lines at the end\n"

/* Takes option 'c' with its argument.  0, or the status with which the command is to end. */
int mpir_run_replica_option(struct mpir_replicas_options *o, bool *replicate, int c, const char *argument);
/* What cannot be together.  'first': an option of these that was given, or 0. */
int mpir_run_replica_check(const struct mpir_replicas_options *o, bool replicate, bool any);
#endif

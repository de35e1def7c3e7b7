/* The diagnostics' names, in one list. */
#ifndef DVMRT_IDS_H
#define DVMRT_IDS_H

/*      symbol                   name                     severity */
#define DVMRT_IDS(X)                                                                                                                       \
  X(UNINITIALIZED, "uninitialized", ERROR)                                                                                                 \
  X(PRIVATE_UNINITIALIZED, "private-uninitialized", ERROR)                                                                                 \
  X(READONLY_WRITE, "readonly-write", ERROR)                                                                                               \
  X(UNDECLARED_PRIVATE, "undeclared-private", WARNING)                                                                                     \
  X(LOOP_DEPENDENCE, "loop-dependence", ERROR)                                                                                             \
  X(TASK_DEPENDENCE, "task-dependence", ERROR)                                                                                             \
  X(ACROSS_DISTANCE, "across-distance", ERROR)                                                                                             \
  X(OUT_OF_BOUNDS, "out-of-bounds", ERROR)                                                                                                 \
  X(NONLOCAL_ACCESS, "nonlocal-access", ERROR)                                                                                             \
  X(SHADOW_STALE, "shadow-stale", ERROR)                                                                                                   \
  X(SHADOW_PENDING, "shadow-pending", ERROR)                                                                                               \
  X(SHADOW_WRITE, "shadow-write", ERROR)                                                                                                   \
  X(EXCHANGE_WRITE, "exchange-write", ERROR)                                                                                               \
  X(REMOTE_WRITE, "remote-write", ERROR)                                                                                                   \
  X(REMOTE_UNCOVERED, "remote-uncovered", ERROR)                                                                                           \
  X(SEQUENTIAL_ACCESS, "sequential-access", ERROR)                                                                                         \
  X(REDUCTION_PENDING, "reduction-pending", ERROR)                                                                                         \
  X(REDUCTION_PROTOCOL, "reduction-protocol", ERROR)                                                                                       \
  X(REDUCTION_MISMATCH, "reduction-mismatch", ERROR)                                                                                       \
  X(REDUCTION_ESCAPE, "reduction-escape", ERROR)                                                                                           \
  X(USAGE, "usage", ERROR)

enum dvmrt_severity { DVMRT_ERROR, DVMRT_WARNING };
enum dvmrt_id {
#define DVMRT_ID_ENUM(sym, name, severity) DVMRT_ID_##sym,
  DVMRT_IDS(DVMRT_ID_ENUM)
#undef DVMRT_ID_ENUM
      DVMRT_ID_COUNT
};
enum { DVMRT_CHECK_ANTI = 63 }; /* among the bits of what is wanted: anti dependences too */

const char *dvmrt_id_name(enum dvmrt_id id); /* without "dvm-" */
enum dvmrt_severity dvmrt_id_severity(enum dvmrt_id id);
#endif

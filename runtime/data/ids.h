/* The diagnostics, one row each. */
#ifndef DVMRT_IDS_H
#define DVMRT_IDS_H

/*  symbol, name, severity, meaning: what a viewer of reports shows for the id */
#define DVMRT_IDS(X)                                                                                                                       \
  X(UNINITIALIZED, "uninitialized", ERROR, "a variable or element is read before any value was assigned to it")                            \
  X(PRIVATE_UNINITIALIZED, "private-uninitialized", ERROR,                                                                                 \
    "a private variable is read in an iteration that has not assigned it, or after the loop")                                              \
  X(READONLY_WRITE, "readonly-write", ERROR, "a replicated variable that the loop has read is written in it")                              \
  X(UNDECLARED_PRIVATE, "undeclared-private", WARNING, "iterations assign a replicated variable that is in no 'private' clause")           \
  X(LOOP_DEPENDENCE, "loop-dependence", ERROR, "an element is written in one iteration and accessed in another")                           \
  X(TASK_DEPENDENCE, "task-dependence", ERROR, "an element is written in one task and accessed in another")                                \
  X(ACROSS_DISTANCE, "across-distance", ERROR, "a dependence that 'across' does not cover")                                                \
  X(OUT_OF_BOUNDS, "out-of-bounds", ERROR, "an index of some dimension is out of its range")                                               \
  X(NONLOCAL_ACCESS, "nonlocal-access", ERROR, "an element outside the iteration's own part and its shadow edges is read")                 \
  X(SHADOW_STALE, "shadow-stale", ERROR, "a shadow edge is read that does not hold the present values")                                    \
  X(SHADOW_PENDING, "shadow-pending", ERROR, "a shadow edge, or the target of a copy, is read while it is being brought")                  \
  X(SHADOW_WRITE, "shadow-write", ERROR, "an element of a shadow edge is written")                                                         \
  X(EXCHANGE_WRITE, "exchange-write", ERROR, "an array is written while it is being exchanged, fetched or copied")                         \
  X(REMOTE_WRITE, "remote-write", ERROR, "the copy that 'remote_access' has made is written")                                              \
  X(REMOTE_UNCOVERED, "remote-uncovered", ERROR, "a reference to an array under 'remote_access' that the clause does not cover")           \
  X(SEQUENTIAL_ACCESS, "sequential-access", ERROR, "a distributed element is used outside parallel loops where only its owner has it")     \
  X(REDUCTION_PENDING, "reduction-pending", ERROR, "a reduction variable is used before its reduction has finished")                       \
  X(REDUCTION_PROTOCOL, "reduction-protocol", ERROR, "the steps of an asynchronous reduction are out of order")                            \
  X(REDUCTION_MISMATCH, "reduction-mismatch", ERROR, "the loop does not compute the declared operation")                                   \
  X(REDUCTION_ESCAPE, "reduction-escape", ERROR, "a partial value of a reduction is used for something other than its update")             \
  X(HOST_STALE, "host-stale", ERROR, "the host reads what is newer on the device")                                                         \
  X(DEVICE_STALE, "device-stale", ERROR, "a region reads what the host has written since the device got it")                               \
  X(REGION_CLAUSE, "region-clause", ERROR, "a clause does not say what its region does with the data")                                     \
  X(USAGE, "usage", ERROR, "a directive is executed with values that do not fit, or in a wrong order")

enum dvmrt_severity { DVMRT_ERROR, DVMRT_WARNING };
enum dvmrt_id {
#define DVMRT_ID_ENUM(sym, name, severity, meaning) DVMRT_ID_##sym,
  DVMRT_IDS(DVMRT_ID_ENUM)
#undef DVMRT_ID_ENUM
      DVMRT_ID_COUNT
};
enum { DVMRT_CHECK_ANTI = 63 }; /* among the bits of what is wanted: anti dependences too */

const char *dvmrt_id_name(enum dvmrt_id id); /* without "dvm-" */
enum dvmrt_severity dvmrt_id_severity(enum dvmrt_id id);
#endif

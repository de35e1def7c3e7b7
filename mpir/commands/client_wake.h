/* Waking a process's checkpointer, where it has no thread that listens all the time (crs/crs_demand.h). */
#ifndef DVM_MPIR_CLIENT_WAKE_H
#define DVM_MPIR_CLIENT_WAKE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Sends the signal that has the helper thread made, if the process catches it and has none.  Harmless else. */
void mpir_client_wake(pid_t pid);
/* Whether the checkpointer's library is in the process. */
bool mpir_client_holds_library(pid_t pid);
/* Why the process, which has been woken, has no helper thread yet: "" if it has one. */
void mpir_client_why_asleep(pid_t pid, char *why, size_t size);
#endif

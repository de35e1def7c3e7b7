/* Named faults for tests: DVM_FAULT=NAME in the environment of the checkpointed program, or NAME@N: in its image number N alone. */
#ifndef DVM_MPIR_CRS_FAULT_H
#define DVM_MPIR_CRS_FAULT_H

/* Remembers the environment's word; called once, early. */
void mpir_crs_fault_init(void);
/* Kills the calling process if 'name' is the fault asked for.  Async-signal-safe. */
void mpir_crs_fault(const char *name);
/* The same while image 'number' is written. */
void mpir_crs_fault_in(const char *name, unsigned long number);
#endif

#include "runtime/report/facts.h"
#include "runtime/data/facts.h"
#include "runtime/export.h"
#include "runtime/report/stats.h"

void dvmrt_facts_init(void) {
  dvmrt_shared_facts(&__dvm_facts);
  dvmrt_construct_facts(&__dvm_facts);
  dvmrt_array_facts(&__dvm_facts);
  dvmrt_group_facts(&__dvm_facts);
  dvmrt_finding_facts(&__dvm_facts);
  dvmrt_stats_facts(&__dvm_facts);
  __dvm_facts.accesses = (uintptr_t)&dvmrt_stats_looked_at;
}

DVMRT_EXPORT __attribute__((noinline)) void __dvm_diagnostic(void) { __asm__ volatile(""); }

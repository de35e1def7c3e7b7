#include "runtime/report/facts.h"
#include "runtime/report/stats.h"

DVMRT_EXPORT struct dvm_facts __dvm_facts = {
    .magic = DVM_FACTS_MAGIC, .version = DVM_FACTS_VERSION, .bytes = sizeof(struct dvm_facts), .nfields = DVM_FACTS_COUNT};

static void frames(struct dvm_facts *f) {
  DVMRT_FACT(f, FRAME_OUTER, struct dvmrt_frame, outer);
  DVMRT_FACT(f, FRAME_DIRECTIVE, struct dvmrt_frame, d);
  DVMRT_FACT(f, FRAME_LEFT, struct dvmrt_frame, left);
  DVMRT_FACT(f, FRAME_NEST, struct dvmrt_frame, nest);
  DVMRT_FACT(f, FRAME_PROVED, struct dvmrt_frame, proved);
  DVMRT_FACT(f, DIRECTIVE_KIND, struct dvmrt_directive, kind);
  DVMRT_FACT(f, DIRECTIVE_FILE, struct dvmrt_directive, pos.file);
  DVMRT_FACT(f, DIRECTIVE_LINE, struct dvmrt_directive, pos.line);
  DVMRT_FACT(f, DIRECTIVE_RANK, struct dvmrt_directive, rank);
  DVMRT_FACT(f, DIRECTIVE_NAMES, struct dvmrt_directive, names);
  DVMRT_FACT(f, NOW_WRITE, struct dvmrt_now, write);
  DVMRT_FACT(f, NOW_BASE, struct dvmrt_now, base);
  DVMRT_FACT(f, NOW_INDEX, struct dvmrt_now, iv);
  DVMRT_FACT(f, SITE_ACCESS, struct dvmrt_site, cache);
  DVMRT_FACT(f, ACCESS_FILE, struct dvmrt_access, pos.file);
  DVMRT_FACT(f, ACCESS_LINE, struct dvmrt_access, pos.line);
}

void dvmrt_facts_init(void) {
  frames(&__dvm_facts);
  dvmrt_array_facts(&__dvm_facts);
  dvmrt_group_facts(&__dvm_facts);
  dvmrt_diag_facts(&__dvm_facts);
  dvmrt_stats_facts(&__dvm_facts);
  __dvm_facts.accesses = (uintptr_t)&dvmrt_stats_looked_at;
}

DVMRT_EXPORT __attribute__((noinline)) void __dvm_diagnostic(void) { __asm__ volatile(""); }

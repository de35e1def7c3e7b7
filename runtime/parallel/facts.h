/* What debuggers see of a parallel program (base/facts.h), and the diagnostics that they may stop at. */
#ifndef DVMP_FACTS_H
#define DVMP_FACTS_H
#include "runtime/data/site.h"

/* When the ranks are known. */
void dvmp_facts_begin(void);
/* Turns the message just printed, "... [dvm-id]\nhelp: ..", into a record, at which debuggers may stop. */
void dvmp_facts_tell(const struct dvmrt_pos *at, const char *message);
/* Nothing, for the breakpoints of debuggers. */
void __dvm_diagnostic(void);
#endif

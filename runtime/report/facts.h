/* The block that debuggers read, as a whole. */
#ifndef DVMRT_REPORT_FACTS_H
#define DVMRT_REPORT_FACTS_H

/* Once, when the process begins. */
void dvmrt_facts_init(void);
/* Nothing, for the breakpoints of debuggers; see base/facts.h. */
void __dvm_diagnostic(void);
#endif

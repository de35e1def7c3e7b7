/* The block that debuggers read (base/facts.h): each module tells where its lists begin and how its records lie. */
#ifndef DVMRT_FACTS_H
#define DVMRT_FACTS_H
#include "base/facts.h"
#include "runtime/rules/construct.h"

extern struct dvm_facts __dvm_facts;

#define DVMRT_FACT(facts, id, type, member) \
  ((facts)->fields[DVM_FACTS_##id] = (struct dvm_facts_field){offsetof(type, member), sizeof(((type *)0)->member)})

/* The thread that is checked has entered a construct. */
static inline void dvmrt_facts_at(const struct dvmrt_frame *top) {
  __dvm_facts.frame = (uintptr_t)top;
  __dvm_facts.now = (uintptr_t)&__dvmrt_now;
}
static inline void dvmrt_facts_left(const struct dvmrt_frame *f) {
  if (__dvm_facts.frame == (uintptr_t)f)
    __dvm_facts.frame = (uintptr_t)dvmrt_construct_top();
}
/* Once, when the process begins. */
void dvmrt_facts_init(void);
/* Nothing, for the breakpoints of debuggers; see base/facts.h. */
void __dvm_diagnostic(void);

/* One a module. */
void dvmrt_array_facts(struct dvm_facts *f);
void dvmrt_diag_facts(struct dvm_facts *f);
void dvmrt_group_facts(struct dvm_facts *f);
void dvmrt_stats_facts(struct dvm_facts *f);
#endif

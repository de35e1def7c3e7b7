/* The block that debuggers read (base/facts.h): each module tells where its lists begin and how its records lie. */
#ifndef DVMRT_FACTS_H
#define DVMRT_FACTS_H
#include "base/facts.h"
#include <stddef.h>

extern struct dvm_facts __dvm_facts;

#define DVMRT_FACT(facts, id, type, member)                                                                                                \
  ((facts)->fields[DVM_FACTS_##id] = (struct dvm_facts_field){offsetof(type, member), sizeof(((type *)0)->member)})

/* Of records that all run-time libraries have: directives, places. */
void dvmrt_shared_facts(struct dvm_facts *f);
/* One a module. */
void dvmrt_array_facts(struct dvm_facts *f);
void dvmrt_finding_facts(struct dvm_facts *f);
void dvmrt_construct_facts(struct dvm_facts *f);
void dvmrt_group_facts(struct dvm_facts *f);
void dvmrt_stats_facts(struct dvm_facts *f);
#endif

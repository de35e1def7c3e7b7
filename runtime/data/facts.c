#include "runtime/data/facts.h"
#include "runtime/export.h"

DVMRT_EXPORT struct dvm_facts __dvm_facts = {
    .magic = DVM_FACTS_MAGIC, .version = DVM_FACTS_VERSION, .bytes = sizeof(struct dvm_facts), .nfields = DVM_FACTS_COUNT};

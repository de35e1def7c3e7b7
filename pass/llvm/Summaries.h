// Nests whose checks can be answered at their entry, for all iterations together: they get a second body, without checks.
#ifndef DVM_LLVM_SUMMARIES_H
#define DVM_LLVM_SUMMARIES_H
#include "Function.h"

namespace dvmir {

// After the unmarked stores have been collected and the reductions mirrored (the plain body evaluates them twice, too), before
// anything of the nest is lowered.
void summarizeNests(FunctionState &S);

} // namespace dvmir
#endif

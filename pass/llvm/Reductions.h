// Reductions evaluated a second time, as if each iteration ran on a processor of its own (dvm-reduction-mismatch), and uses
// of partial values for something else (dvm-reduction-escape).
#ifndef DVM_LLVM_REDUCTIONS_H
#define DVM_LLVM_REDUCTIONS_H
#include "Function.h"

namespace dvmir {

// Mirrors the updates of the reduction variables of each nest.  Before any marker is lowered, after
// findVariables and after the unmarked stores have been collected (what it adds must not be instrumented).
void mirrorReductions(FunctionState &S);

} // namespace dvmir
#endif

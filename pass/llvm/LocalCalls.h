// Functions that touch nothing but what they are given: the solver of a small block, a norm, a flux.  Where a parallel nest, or a function that one calls,
// gives them what is born in the same iteration, they are put inline and judged as if their text stood there: what no other
// iteration can see is asked for its value alone, once for rows of it, and mostly not at all.
#ifndef DVM_LLVM_LOCALCALLS_H
#define DVM_LLVM_LOCALCALLS_H
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

namespace dvmir {

// Before any marker is lowered.  Not at -O0, where a debugger is to find the calls.
void expandLocalCalls(llvm::Module &M, const llvm::DenseSet<const llvm::Function *> &InLoops);

} // namespace dvmir
#endif

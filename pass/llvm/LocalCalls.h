// Calls in parallel nests of functions that touch nothing but what they are given, where that is born in the same iteration: the solver of a small
// block, a norm, a flux.  Put inline they are judged as if their text stood in the nest: what no other iteration can see is
// asked for its value alone, once for rows of it, and mostly not at all.
#ifndef DVM_LLVM_LOCALCALLS_H
#define DVM_LLVM_LOCALCALLS_H
#include "llvm/IR/Module.h"

namespace dvmir {

// Before any marker is lowered.  Not at -O0, where a debugger is to find the calls.
void expandLocalCalls(llvm::Module &M);

} // namespace dvmir
#endif

#ifndef DVM_LLVM_NESTLOADS_H
#define DVM_LLVM_NESTLOADS_H
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace dvmir {

// Reads of what a nest does not change are done once before it: bounds that are dummy arguments or in COMMON, addresses and strides in
// descriptors.  'Passes' says which calls change nothing that the program reads.  The loop has a preheader.  True: something has moved.
bool hoistLoads(llvm::Loop &L, llvm::DominatorTree &DT, llvm::AAResults &AA, llvm::function_ref<bool(const llvm::CallBase &)> Passes);

} // namespace dvmir
#endif

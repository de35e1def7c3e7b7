// Locals that every turn of a counting loop moves by the same distance: what is read of them is taken for where they began, and the counter.  So
//
//   for (int j = 1, *p = &a[i][1]; j < n; j++, p++)  *p = ..          for (int j = 1; j < n; j++)  *(&a[i][1] + (j - 1)) = ..
//
// and subscripts that go by way of them are seen as what they are.
#ifndef DVM_LLVM_MOVINGLOCALS_H
#define DVM_LLVM_MOVINGLOCALS_H
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace dvmir {

// Before any marker is lowered, and locals that are given a value once are forwarded.  But for pointers to the 'Results' of reductions.
void countMovingLocals(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::SmallPtrSetImpl<const llvm::Value *> &Results);

} // namespace dvmir
#endif

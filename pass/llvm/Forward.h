// Locals that are given a value once, and read behind that alone: what is read is that value.  Subscripts that go by way of a local ('int im = i - 1;',
// 'double *row = a[i];') or of a parameter are seen as what they are; that a read of it comes behind its assignment is proved.
#ifndef DVM_LLVM_FORWARD_H
#define DVM_LLVM_FORWARD_H
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"

namespace llvm {
class AllocaInst;
class DominatorTree;
class StoreInst;
} // namespace llvm

namespace dvmir {

// The one store to a variable of an integer or pointer type that is read as a whole and else only told to marks; null: it is another one.
llvm::StoreInst *onlyStore(llvm::AllocaInst *A);
// Before any marker is lowered.  But for pointers to the 'Results' of reductions, which have rules of their own where they are named.
void forwardLocals(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::SmallPtrSetImpl<const llvm::Value *> &Results);

} // namespace dvmir
#endif

// 'if (m < d) m = q;': what an iteration on a processor of its own would store, whose 'm' is the neutral element at first.
#ifndef DVM_LLVM_REDUCTIONGUARD_H
#define DVM_LLVM_REDUCTIONGUARD_H
#include "Function.h"

namespace dvmir {

// A comparison of a variable with some other value decides whether the variable gets a new value, which comes from elsewhere.
struct ReductionGuard {
  llvm::BranchInst *Branch = nullptr; // null: it is of no such form, or the value is the one that is compared
  llvm::CmpInst *Compare = nullptr;
  llvm::Value *New = nullptr;         // 'q', computed before the branch by code that has been inserted
  bool WhenTrue = true;
  llvm::PHINode *Phi = nullptr;       // where the two ways meet, if the store stands there
};

// Of a store in the nest.  'Depends': values computed from the variable.  Inserts the computation if it is safe whichever way the
// program goes: nothing is written or called on the way to the store, and no element is read that other variables select than those
// of the comparison and the nest's own.
ReductionGuard findGuard(const Construct &K, llvm::StoreInst *Store, const llvm::SmallSetVector<llvm::Instruction *, 16> &Depends);

// Is what the store gives the variable the greater (or the less) of what it was and another value, and nothing else?  Then the result is the
// same in any order of the iterations.  'Used' gets the values computed from the variable that this needs.
bool isExtremeOf(llvm::StoreInst *Store, const llvm::SmallSetVector<llvm::Instruction *, 16> &Depends, bool Greatest, bool Unsigned,
                 llvm::SmallPtrSetImpl<llvm::Instruction *> &Used);

// Is what the store gives the variable what it was and other values added or subtracted, in operations that round once?  Then orders of
// the iterations differ by what rounding explains, or by what is infinite.  'Used' as above.
bool isSumOf(llvm::StoreInst *Store, const llvm::SmallSetVector<llvm::Instruction *, 16> &Depends,
             llvm::SmallPtrSetImpl<llvm::Instruction *> &Used);

} // namespace dvmir
#endif

// What a nest writes, told row by row while it is in the cache, so that comparisons by sums need not read it again when the construct ends.
// A row is what a store reaches while the innermost loop that moves it runs: from the first to the last turn, in even steps.  Either
// every store of the construct that an array may feel is told, always behind it, or none is: then the run-time library may add up what
// has been told and no later row meets, and the rest when the construct ends.
#ifndef DVM_LLVM_ROW_SUMS_H
#define DVM_LLVM_ROW_SUMS_H
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class DominatorTree;
class Loop;
} // namespace llvm

namespace dvmir {

// A value without the marks around it.
llvm::Value *behindAll(llvm::Value *V);
// What an address is in or behind: a variable, a loaded pointer.
llvm::Value *rootOf(llvm::Value *P);
// Its address is used for loads and stores, and told to marks.
bool isPrivate(const llvm::AllocaInst *A);
// What an index variable of Fortran is given before each turn of the loop, and nowhere else in it: a number that begins somewhere and makes one step
// a turn.  Null: it is none.  'Step' is what is added (Add) or taken off.
const llvm::PHINode *turnOf(const llvm::AllocaInst *A, const llvm::Loop &L, const llvm::DominatorTree &DT,
                            const llvm::BinaryOperator **Step);
// Its only way in and its only way out are where its condition is asked, before each turn.
bool isCounted(const llvm::Loop &L);

// Variables of the entry block.
using RowSlot = llvm::function_ref<llvm::AllocaInst *(llvm::Type *T, llvm::StringRef Name)>;
// Where the first turn has stored, where the turn behind the last one would have (the same: there was no turn), bytes of a value.
using RowTell = llvm::function_ref<void(llvm::IRBuilder<> &B, llvm::Value *First, llvm::Value *Behind, llvm::Value *Bytes)>;
// Before any mark is lowered.  False: not every store could be followed, nothing has been inserted.
bool tellRows(llvm::CallInst *Enter, llvm::ArrayRef<llvm::CallInst *> Leaves, RowSlot Slot, RowTell Tell);
// The function that the rows of a module are told to: (first, behind, bytes).  'Wanted' makes the test whether anybody asks, 'Name' is called then.
llvm::Function *rowFunction(llvm::Module &M, llvm::StringRef Name, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &B)> Wanted);

} // namespace dvmir
#endif

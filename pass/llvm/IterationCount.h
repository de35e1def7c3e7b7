// Which iterations of a nest are executed, for comparisons by sums: how many, and a sum over them that depends neither on their order nor
// on who executes which.  Code for a row of the innermost loop, so that the loop itself only adds up its index variable.
#ifndef DVM_LLVM_ITERATION_COUNT_H
#define DVM_LLVM_ITERATION_COUNT_H
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace dvmir {

struct IterationMarks {
  llvm::CallInst *Enter; // DVMM_ENTER, with the others of the construct
  llvm::ArrayRef<llvm::CallInst *> Iters, Rows, Leaves;
};
// An alloca of 64 bits in the entry block.
using IterationSlot = llvm::function_ref<llvm::AllocaInst *(llvm::StringRef Name)>;
// Number and sum, before a mark of the end of the construct.
using IterationTell = llvm::function_ref<void(llvm::IRBuilder<> &B, llvm::CallInst *Leave, llvm::Value *Count, llvm::Value *Sum)>;
// Before any mark is lowered; they stay.  False: index variables that cannot be followed, nothing has been inserted.
bool countIterations(const IterationMarks &Marks, IterationSlot Slot, IterationTell Tell);

} // namespace dvmir
#endif

// Local structs, complex values and small arrays that are only used by their members become a variable for each member, as long as nothing
// has been looked at.
#ifndef DVM_LLVM_SPLITS_H
#define DVM_LLVM_SPLITS_H
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace dvmir {

// 'InLoops': parallel loops may call the function.
void splitVariables(llvm::Function &F, bool InLoops);
// Does the store put there what it has loaded to copy a struct, so that it may lack a value?
const llvm::LoadInst *copiedValue(const llvm::Instruction *Store);

} // namespace dvmir
#endif

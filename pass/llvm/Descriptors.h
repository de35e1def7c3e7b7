#ifndef DVM_LLVM_DESCRIPTORS_H
#define DVM_LLVM_DESCRIPTORS_H
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace dvmir {

bool isFromFlang(const llvm::Module &M);

// The stride in bytes of the first dimension, read from a descriptor; null: it is something else.
llvm::LoadInst *firstStride(llvm::Value *V);

// Descriptors that only serve to be read are left out, in modules of flang; before anything else looks at the function.
void readDescriptorsInPlace(llvm::Function &F);

} // namespace dvmir
#endif

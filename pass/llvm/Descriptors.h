#ifndef DVM_LLVM_DESCRIPTORS_H
#define DVM_LLVM_DESCRIPTORS_H
#include "llvm/IR/Dominators.h"

namespace dvmir {

bool isFromFlang(const llvm::Module &M);

// Copies of descriptors that only serve to be read are left out, in modules of flang; before anything else looks at the function.
void readDescriptorsInPlace(llvm::Function &F);

} // namespace dvmir
#endif

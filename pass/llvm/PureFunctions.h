// Functions that compute a value from their arguments alone, and so may be called twice.
#ifndef DVM_LLVM_PUREFUNCTIONS_H
#define DVM_LLVM_PUREFUNCTIONS_H
#include "Runtime.h"

namespace dvmir {

// Before any marker is lowered.
void findPureFunctions(llvm::Module &M, Runtime &RT);

} // namespace dvmir
#endif

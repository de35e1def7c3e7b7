// DO loops of flang in the form that clang gives 'for' loops, which the analyses of nests know.
#ifndef DVM_LLVM_COUNTED_LOOPS_H
#define DVM_LLVM_COUNTED_LOOPS_H
#include "llvm/IR/Function.h"

namespace dvmir {
// Before anything is collected: in parallel loops, and innermost ones elsewhere if the function is optimised.
void rewriteCountedLoops(llvm::Function &F);
} // namespace dvmir
#endif

// How far rounding may take the two evaluations of a floating reduction apart.
#ifndef DVM_LLVM_ROUNDINGS_H
#define DVM_LLVM_ROUNDINGS_H
#include "llvm/IR/Instruction.h"

namespace dvmir {

// Roundings to the precision of 'T' that the instruction makes when it is executed: one for an addition, more for a function, many
// where it rounds to less than 'T' holds, none for what is exact.
uint64_t roundingsOf(const llvm::Instruction &I, llvm::Type *T);

} // namespace dvmir
#endif

#ifndef DVM_LLVM_DUMMYTAGS_H
#define DVM_LLVM_DUMMYTAGS_H
#include "llvm/IR/Module.h"

namespace dvmir {

// Dummy arguments of Fortran that share their data with nothing ('noalias', set by pass/fortran/Dummies.cpp): calls may change them all the
// same, as in flang, so the attribute goes and is remembered.
void keepDummies(llvm::Module &M);
// When the marks have gone: reads and writes of such arguments get types of their own, as flang gives them.
void tagDummies(llvm::Module &M);

} // namespace dvmir
#endif

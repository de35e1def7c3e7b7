// Where values are recorded or many ranks execute: what the functions assign that a parallel nest calls.
#ifndef DVM_LLVM_REACHED_H
#define DVM_LLVM_REACHED_H
#include "llvm/IR/Module.h"

namespace dvmir {

// Adds to the text of each nest the arrays (DVMRT_DIRECTIVE_USE) and other global variables (DVMRT_DIRECTIVE_SHARED) that are assigned by what it
// calls in this module, and drops of its variables that are given to calls those that each iteration has assigned before it reads them.  Before
// anything of the module is lowered.
void tellReached(llvm::Module &M);

} // namespace dvmir
#endif

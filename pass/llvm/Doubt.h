// Accesses outside of the parallel loops of their function: what is not in doubt (runtime/abi.h) has nothing to say there.
#ifndef DVM_LLVM_DOUBT_H
#define DVM_LLVM_DOUBT_H
#include "Chain.h"
#include "Function.h"

namespace dvmir {

// At the entry of the function, before other code goes there; and at the end, if nobody has asked.
void loadDoubt(FunctionState &S);
void dropDoubt(FunctionState &S);

// Goes to 'Slow' if one of the 'Size' bytes at 'P' may be in doubt.  'Aligned': to their size.
void askDoubt(FunctionState &S, Chain &Row, llvm::Value *P, uint64_t Size, bool Aligned, llvm::BasicBlock *Slow);

// A call of the slow path from there: it changes nothing that the function knows of, and reads what it is given.
void touchesNothing(llvm::CallInst *Call);

// Functions of the module that its parallel loops may execute.
llvm::DenseSet<const llvm::Function *> findLoopFunctions(llvm::Module &M);

} // namespace dvmir
#endif

// What execution by many ranks needs besides the marks of constructs: second bodies of functions, in which accesses are checked
// (DVM_OPTIONS=poison=1), and globals of which no element is read that the program does not read.
#ifndef DVM_LLVM_PARALLEL_PARTS_H
#define DVM_LLVM_PARALLEL_PARTS_H
#include "Runtime.h"

namespace dvmir {

// A global that says whether second bodies are to be executed: set by the run-time library.
class CheckedBodies {
  llvm::Module &M;
  llvm::GlobalVariable *Flag = nullptr;
  llvm::MapVector<llvm::Function *, llvm::Function *> Bodies;

public:
  explicit CheckedBodies(llvm::Module &Mod) : M(Mod) {}
  // Makes the second body, if the function has anything to check.
  void add(llvm::Function &F);
  llvm::Function *of(llvm::Function &F) const { return Bodies.lookup(&F); }
  // The first body asks for the second one where code that is not in this module may call it.  After all marks have gone.
  void connect();
  llvm::GlobalVariable *flag();
  llvm::SmallVector<llvm::Function *, 16> all() const;
};

// Calls of functions that read or write so many bytes (pass/Ranges.h): memset, memcpy and their like become ours, of others what they read
// is looked at before.
void lowerRangesInParallel(Runtime &RT, llvm::Function &F, llvm::function_ref<llvm::GlobalVariable *(llvm::Value *)> Site);

// Calls of the run-time library of Fortran: input and output of the sequential part, clocks, DEALLOCATE.
void lowerFortranCalls(Runtime &RT, llvm::Function &F);

// Memory of another rank may not be accessible: the compiler must not think that each element of a static array can be read at any time.
// It is so wherever it sees the size of a global; here references go through a name without one.
void hideExtents(llvm::Module &M, llvm::ArrayRef<llvm::GlobalVariable *> Arrays);

} // namespace dvmir
#endif

// Recording: what calls of code that is not recorded write.  Of functions of the library that we know the range is recorded; what others
// are given is looked at before and after (runtime/record/foreign.c).
#ifndef DVM_LLVM_TRACECALLS_H
#define DVM_LLVM_TRACECALLS_H
#include "Function.h"

namespace dvmir {

// What the recording of a module has to offer.
class TraceParts {
public:
  virtual ~TraceParts() = default;
  virtual llvm::GlobalVariable *givenSite(llvm::Value *Pointer, llvm::Constant *Text, bool WithBefore, llvm::StringRef More) = 0;
  virtual llvm::GlobalVariable *callSite(llvm::Constant *Text) = 0;
  virtual llvm::CallInst *call(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::Type *Result, llvm::ArrayRef<llvm::Value *> Args) = 0;
  // Code for where values are recorded goes before what this returns.
  virtual llvm::Instruction *whereRecorded(llvm::Instruction *At) = 0;
};

// The module's calls in 'F' that have marks, before anything of it is lowered.
llvm::SmallVector<llvm::CallInst *, 8> findGivingCalls(llvm::Function &F);
// Of a header of the system: an inline function, and not recorded.
bool isOfLibrary(const llvm::Function &F);
// Null: it is called through a pointer.
const llvm::Function *calledFunction(const llvm::CallInst *Call);
// Whether more than what it is given may be written by it.
bool mayWriteAnything(const llvm::CallInst *Call);
// Whether the callee is a function of the C library that keeps no pointer that it is given, nor hands it on.
bool keepsNothing(const llvm::CallInst *Call);
void recordCall(TraceParts &T, FunctionState &S, llvm::CallInst *Call);
// The variable, or whatever else, that an address with marks is computed from.
const llvm::Value *variableAt(const llvm::Value *P);
// The function of the C library from which the variable has values, if it is one whose values differ by nature: "clock_gettime" of
// '&t'.  Before any mark goes.
llvm::StringRef natureOf(const llvm::Value *Variable);

} // namespace dvmir
#endif

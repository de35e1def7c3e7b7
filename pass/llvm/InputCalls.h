// Functions of the standard library that read into variables: what exactly they write.
#ifndef DVM_LLVM_INPUTCALLS_H
#define DVM_LLVM_INPUTCALLS_H
#include "Function.h"

namespace dvmir {

struct Written {
  unsigned Argument;
  llvm::Value *Address;
  llvm::Value *Size; // i64, bytes; null: not known
};

// True if the call is one whose effect is known: 'Out' then holds all that it may write.
bool inputOf(const llvm::CallBase &Call, llvm::SmallVectorImpl<Written> &Out);
// True if the table of functions that we know has it: then 'Written' gets the pointers that it writes through, but for copies and
// memory management.
bool knownWrites(const llvm::CallBase *Call, llvm::SmallVectorImpl<llvm::Value *> &Written);

} // namespace dvmir
#endif

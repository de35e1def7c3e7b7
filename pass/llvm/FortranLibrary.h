#ifndef DVM_LLVM_FORTRANLIBRARY_H
#define DVM_LLVM_FORTRANLIBRARY_H
#include "llvm/IR/InstrTypes.h"

namespace dvmir {

// What a function of flang's run-time library does with its arguments, a letter each; the last one holds for all that follow:
//   r  it reads what lies there, also behind a descriptor
//   d  it assigns the elements of the descriptor
//   w  it writes there, where its pointers lead, too
//   1..9  it writes so many bytes; s: 16
//   n  it writes as many bytes as the number behind the address says
// Empty: nothing is known of it.
llvm::StringRef fortranLetters(const llvm::CallBase *Call);

} // namespace dvmir
#endif

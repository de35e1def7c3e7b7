// Distributed arrays as one nest sees them: looked up once at its entry.
#ifndef DVM_LLVM_VIEWS_H
#define DVM_LLVM_VIEWS_H
#include "Function.h"

namespace dvmir {

// The view for this access, made if need be; null if it goes without.
View *viewFor(FunctionState &S, Access &A);
// The view of an array whose elements are accessed by parts; null if this access is none of a part.
View *partViewFor(FunctionState &S, Access &A);
// Fills the copies at the nest's entry.
void loadViews(FunctionState &S, Construct &K, llvm::IRBuilderBase &B);

} // namespace dvmir
#endif

// The rule of 'derived(..)': which elements go where an element of another array or template is.
#ifndef DVM_CLANG_DERIVED_H
#define DVM_CLANG_DERIVED_H

#include "State.h"

namespace dvm {

// Tokens of the directive.
struct DerivedRule {
  llvm::SmallVector<std::pair<dvm_range, dvm_range>, 4> Values; // 'l:h', or one expression, twice
  dvm_range Target = {};                                        // the name
  unsigned Dim = 0, Index = ~0u;                                // which dimension of it is counted through, and the name of the index
};

// False: an error has been given.
bool readDerived(const State &St, const Directive &D, dvm_range R, DerivedRule &Rule);
} // namespace dvm
#endif

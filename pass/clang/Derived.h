// The rules of 'derived(..)' and 'shadow_add(..)': which elements go where an element of another array or template is, or lie in the edge of
// who has it.
#ifndef DVM_CLANG_DERIVED_H
#define DVM_CLANG_DERIVED_H

#include "State.h"

namespace dvm {

// A dimension of the target that is counted through.  Tokens of the directive.
struct RuleIndex {
  unsigned Dim, Name;
  llvm::SmallVector<unsigned, 2> Edges; // beside the own part: their names, in quotes
};

struct DerivedRule {
  llvm::SmallVector<std::pair<dvm_range, dvm_range>, 4> Values; // 'l:h', or one expression, twice
  dvm_range Target = {}; // the name
  llvm::SmallVector<RuleIndex, 2> Indices;
};

// False: an error has been given.
bool readDerived(const State &St, const Directive &D, dvm_range R, DerivedRule &Rule);
} // namespace dvm
#endif

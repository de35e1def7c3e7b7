// What is recorded when it is there as a whole, by its scalar parts.
#ifndef DVM_CLANG_WHOLE_H
#define DVM_CLANG_WHOLE_H
#include "Rewriter.h"

namespace dvm {

// From an element, or a variable that is none, to what is moved: ".x[].y", its distance in bytes, and the size of an element
// for each "[]".
struct Path {
  std::string Text;
  int64_t Offset = 0;
  llvm::SmallVector<uint64_t, 2> Strides;
  const clang::Expr *Pointer = nullptr; // that the access goes through
};

// An lvalue, or a variable where it is declared, and what the sites of its parts have in common.
struct Rewriter::Whole {
  clang::SourceLocation L;
  std::string Text;      // as the source has it
  std::string Common;    // lines of the site text
  Path P;
  unsigned Rank = 0;     // dimensions of the whole, which is an array
};

} // namespace dvm
#endif

// The references to variables in a piece of a statement, in the order in which
// flang evaluates them: the right side first, subscripts before what they
// belong to, then the left side.
#ifndef DVM_FORTRAN_REFERENCES_H
#define DVM_FORTRAN_REFERENCES_H
#include "Lines.h"

namespace dvmf {

struct Reference {
  std::string Root; // the first name, in small letters
  std::string Text; // as written, blanks folded
  std::string Name; // the first name, as written
  Position At;
  bool Subscripted = false;            // or with components
  std::vector<std::string> Subscripts; // of the root itself
  std::string Argument;          // it is all of an argument or subscript of that name, in small letters
};

// Of the characters [From, To) of the statement's text.
std::vector<Reference> referencesIn(const Statement &S, size_t From, size_t To);
} // namespace dvmf
#endif

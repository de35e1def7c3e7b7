// A(..) = B(..): a section of a distributed array, or all of it, that becomes one of another.  It is a copy, whoever has the elements.
#ifndef DVM_FORTRAN_SECTIONS_H
#define DVM_FORTRAN_SECTIONS_H
#include "Model.h"

namespace dvmf {

struct SectionCopy {
  struct Side {
    Variable *V;
    hlfir::DesignateOp Part; // null: all of it
  } To, From;
};

// Nothing where it is another statement: with a step, a vector of subscripts, an expression, other types, the same array on both sides.
std::optional<SectionCopy> sectionCopyOf(hlfir::AssignOp Assign, Model &Mo);
// Before the operation of 'E': the ranks copy it (array_copy).  'At': of the statement.
void copySection(Emitter &E, Model &Mo, const SectionCopy &C, Position At);

} // namespace dvmf
#endif

// WHERE, FORALL and assignments to vectors of subscripts in the sequential part.
#ifndef DVM_FORTRAN_MASKED_H
#define DVM_FORTRAN_MASKED_H
#include "Elements.h"

namespace dvmf {

// What a statement assigns, without marks; null: by a vector of subscripts.
mlir::Value targetOf(hlfir::RegionAssignOp S);
// Its first statement: a construct may have the place of what stands before it.
mlir::Operation *firstOf(mlir::Operation *Root);
// What the operation assigns or takes may be divided.
Variable *dividedIn(mlir::Operation *Root, Model &Mo);
// Of a kind that cannot be made loops here: assignments that the program defines, characters, derived types.
bool isUnusual(mlir::Operation *Root);
// Loops take its place: elements are assigned by their owners, who alone evaluate what these get.
void lowerMasked(mlir::Operation *Root, Model &Mo, Position P);

} // namespace dvmf
#endif

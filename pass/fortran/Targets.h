// WHERE and FORALL outside of parallel loops: each element is its owner's business, the masks and the right side of it too.  The checks are
// told of the element that is to be assigned before what is evaluated for it.
#ifndef DVM_FORTRAN_TARGETS_H
#define DVM_FORTRAN_TARGETS_H
#include "Mark.h"

namespace dvmf {

// Masks and right sides of WHERE that are whole arrays become expressions of their elements, whose loads can be marked.
void spreadMasked(mlir::func::FuncOp F);
// The statements of WHERE and FORALL that the operation is evaluated for, one element each; none: all ranks evaluate it.
llvm::SmallVector<hlfir::RegionAssignOp, 2> targetsOf(mlir::Operation *Op);
// The number that these have in common in roles.
int64_t expressionOf(mlir::Operation *Op, const Model &Mo);
// Before the operation of 'E', which is evaluated where 'Op' is: the element that the statement will assign.
void announceTarget(Emitter &E, Model &Mo, hlfir::RegionAssignOp S, mlir::Operation *Op);

} // namespace dvmf
#endif

// Statements over whole arrays as loops over elements that one rank each assigns: what loops of Divide and Masked are made of.
#ifndef DVM_FORTRAN_ELEMENTS_H
#define DVM_FORTRAN_ELEMENTS_H
#include "Parallel.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "mlir/IR/IRMapping.h"

namespace dvmf {

// Through the marks of accesses.
mlir::Value unmarked(mlir::Value V);
// The variable that the value is part of, if it may be divided.
Variable *dividedOf(Model &Mo, mlir::Value V);
// A statement that all ranks execute; 'P': where it stands.
bool isSequential(mlir::Operation *Op, const Model &Mo, const Constructs &Known, Position &P);
// "if (own(element))", before the operation of 'E'.
mlir::Value isOwn(Emitter &E, mlir::Value Address);
fir::IfOp ifOwn(Emitter &E, mlir::Value Address);
// One element of a variable or an expression, a scalar itself; operations that other expressions are made of go with it.
mlir::Value elementOf(fir::FirOpBuilder &B, mlir::Location L, hlfir::Entity From, mlir::ValueRange At);
// The loads in there of what may be divided: they need the element here.
void markLoads(mlir::Operation *In, Model &Mo, Position P);
// Does what is computed there take elements of 'To' from other places than the assigned ones?  'From': an entity, or a region's.
bool takesOthers(const Model &Mo, mlir::Value To, mlir::Value From);
bool takesOthers(const Model &Mo, mlir::Value To, mlir::Region &From);
// The element gets the value; or, with 'Kept', when the statement is over: 'assignKept', of what has been kept since 'keepFrom'.
void assignElement(fir::FirOpBuilder &B, mlir::Location L, mlir::Value Value, mlir::Value Element, bool Kept);
mlir::Value keepFrom(mlir::Operation *Statement);
void assignKept(mlir::Operation *Statement, mlir::Value From);
llvm::SmallVector<mlir::Value> extentsOf(mlir::Location L, fir::FirOpBuilder &B, hlfir::Entity Array);
// The extents of both must agree.
void checkExtents(Emitter &E, llvm::ArrayRef<mlir::Value> To, llvm::ArrayRef<mlir::Value> From);
// The elementals that an expression is made of; before it those that it applies.
void elementalsOf(mlir::Value Expression, llvm::SmallVectorImpl<mlir::Operation *> &Out);
// Of these operations elementals that nobody applies any more, with what frees them.
void dropUnused(llvm::ArrayRef<mlir::Operation *> Ops);

} // namespace dvmf
#endif

// Whole arrays and sections as operations of HLFIR read and write them.
#ifndef DVM_FORTRAN_ARRAYS_H
#define DVM_FORTRAN_ARRAYS_H
#include "Model.h"

namespace dvmf {

struct ArrayEvent {
  mlir::Value Entity; // a declaration's result, or a designator's
  mlir::Operation *At; // the mark goes before it
  char Kind;           // r w; 0: which elements is not known here
  bool Copied = false; // elements without a value may be copied so
  bool Paired = false; // each element goes to the one at the same place of the statement's target
  bool InParts = false; // in parallel execution: where each rank executes its own iterations
  bool Anywhere = false; // whoever has the elements
  bool Each = false;   // under a mask, or by a vector of subscripts: 'At' designates one element, the loads of which are to be marked
};

bool isArray(mlir::Type T);
// One element of an array in the body of an elemental operation: no reference of the text.
bool isElementwise(hlfir::DesignateOp D);
// Its operands are evaluated where its result is used, as far as the order of the text is concerned.
bool isDeferred(mlir::Operation *Op);
// What the operation does with arrays.
void arrayEvents(mlir::Operation *Op, llvm::SmallVectorImpl<ArrayEvent> &Out);
// False: of a type without words, or a shape that nobody knows.
bool markSection(Emitter &E, mlir::Value Entity, const std::string &Text, const ArrayEvent &Ev);
} // namespace dvmf
#endif

// One run through all elements that a statement of WHERE or FORALL assigns, or that a mask is kept of.
#ifndef DVM_FORTRAN_RUN_H
#define DVM_FORTRAN_RUN_H
#include "Elements.h"

namespace dvmf {

// What stands around a statement, from the outside.
struct Level {
  hlfir::ForallOp Loop; // or a mask:
  mlir::Region *Mask = nullptr;
  bool Scalar = false, Negated = false; // Scalar: of FORALL
  mlir::Value Kept = {};                // its values, if statements share them; else it is evaluated with each element
};
using Levels = llvm::SmallVector<Level, 4>;

class Run {
public:
  fir::FirOpBuilder B;

  Run(mlir::Operation *Root, const Levels &Around);
  void loops(); // of FORALL
  void testScalars(); // its masks
  // What the region gives, computed from here on.
  mlir::Value copy(mlir::Region &R);
  struct Target {
    mlir::Value Whole;              // an entity
    hlfir::ElementalAddrOp Indexed; // or with a vector of subscripts
  };
  Target target(hlfir::RegionAssignOp S);
  llvm::SmallVector<mlir::Value> extents(const Target &T);
  llvm::SmallVector<mlir::Value> extents(mlir::Value Entity) { return extentsOf(L, B, hlfir::Entity{Entity}); }
  void elements(llvm::ArrayRef<mlir::Value> Extents);
  mlir::Value element(const Target &T);
  mlir::Value element(mlir::Value Entity) { return elementOf(B, L, hlfir::Entity{Entity}, At); }
  void takeMasks(); // of WHERE, before the loops over elements
  void takeBits();  // .. in them
  void testMasks();
  void test(mlir::Value Bit, bool Negated = false);
  void assign(mlir::Value Value, mlir::Value Element, bool Kept) { assignElement(B, L, Value, Element, Kept); }
  Emitter here();
  void finish();

private:
  mlir::Operation *Root;
  mlir::Location L;
  const Levels &Around;
  mlir::IRMapping Map;
  llvm::SmallVector<mlir::Value> At;
  llvm::SmallVector<mlir::Operation *> Copied;
  llvm::SmallVector<std::pair<mlir::Block *, mlir::Region *>> Cleanups;
  std::map<const Level *, mlir::Value> Values; // bits of kept masks, entities of others
  void loop(hlfir::ForallOp F);
  mlir::Value next(const Level &X);
};

} // namespace dvmf
#endif

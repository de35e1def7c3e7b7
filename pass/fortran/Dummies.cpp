// Dummy arguments that nothing else leads to while their procedure runs: the LLVM pass gives what is read and written through them types
// of their own (DummyTags.cpp).  flang does so by the declarations, which it does not see behind marks.
#include "Mark.h"

using namespace dvmf;

// What Fortran lets be reached by another way, too, and what is a descriptor that may be set anew.
static bool isApart(hlfir::DeclareOp D) {
  using Flags = fir::FortranVariableFlagsEnum;
  const auto Attributes = D.getFortranAttrs().value_or(Flags::None);
  return !bitEnumContainsAny(Attributes, Flags::target | Flags::pointer | Flags::allocatable | Flags::fortran_volatile |
                                             Flags::asynchronous | Flags::host_assoc);
}

void dvmf::nameDummies(mlir::func::FuncOp F) {
  F.walk([&](hlfir::DeclareOp D) {
    auto Argument = mlir::dyn_cast<mlir::BlockArgument>(D.getMemref());
    if (!Argument || Argument.getOwner() != &F.front() || !isApart(D))
      return;
    const mlir::Type T = Argument.getType();
    if (mlir::isa<fir::ReferenceType>(T) && !mlir::isa<fir::BaseBoxType>(fir::unwrapRefType(T)))
      F.setArgAttr(Argument.getArgNumber(), "llvm.noalias", mlir::UnitAttr::get(F.getContext()));
  });
}

// Allocatable and pointer arrays of modules.  The file that has the module knows the directives, any file may allocate: behind each
// allocation stands a call of the procedure that declares the array (Place.cpp), which the pass makes a weak reference.
#include "Mark.h"

using namespace dvmf;

// The symbol of the procedure: "_QMm" .. "Ea" has "_QMm" .. "Pdvmma_m_a".  Empty: no variable of a module.
static std::string procedureOf(const Variable &V) {
  const size_t Tag = V.Unique.find_last_of('E');
  if (!V.Module || !V.Indirect || !V.Rank || Tag == std::string::npos)
    return "";
  const std::string Module = V.Unique.substr(0, Tag);
  const size_t Name = Module.find_last_of("MS") + 1; // that of a submodule stands behind those around it
  return Module + "P" + AllocatedPrefix + Module.substr(Name) + "_" + V.Unique.substr(Tag + 1);
}

static mlir::Value throughConversions(mlir::Value V) {
  while (auto Convert = V.getDefiningOp<fir::ConvertOp>())
    V = Convert.getValue();
  return V;
}

static bool isFresh(mlir::Value Box) {
  auto Embox = Box.getDefiningOp<fir::EmboxOp>();
  return Embox && throughConversions(Embox.getMemref()).getDefiningOp<fir::AllocMemOp>();
}

static bool allocates(fir::CallOp Call) {
  if (!Call.getCallee() || !Call.getNumOperands())
    return false;
  llvm::StringRef Name = Call.getCallee()->getRootReference().getValue();
  return Name.consume_front("_FortranA") &&
         (Name.starts_with("AllocatableAllocate") || Name.starts_with("PointerAllocate") || Name == "MoveAlloc");
}

namespace {
// What an operation leaves in a descriptor.
struct Change {
  mlir::Operation *Op;
  hlfir::DeclareOp Of;
  bool Perhaps; // an assignment to the whole: where it was unallocated, or of another shape
};
} // namespace

static void changeOf(mlir::Operation *Op, llvm::SmallVectorImpl<Change> &Out) {
  mlir::Value To;
  if (auto Store = mlir::dyn_cast<fir::StoreOp>(Op); Store && isFresh(Store.getValue()))
    To = Store.getMemref();
  else if (auto Call = mlir::dyn_cast<fir::CallOp>(Op); Call && allocates(Call))
    To = Call.getOperand(0);
  else if (auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Op); Assign && Assign.getRealloc())
    To = Assign.getLhs();
  if (auto D = To ? throughConversions(To).getDefiningOp<hlfir::DeclareOp>() : hlfir::DeclareOp())
    Out.push_back({Op, D, mlir::isa<hlfir::AssignOp>(Op)});
}

void dvmf::declareAllocated(mlir::func::FuncOp F, Model &Mo) {
  llvm::SmallVector<Change, 8> Changes;
  F.walk([&](mlir::Operation *Op) { changeOf(Op, Changes); });
  for (const Change &X : Changes) {
    Variable *V = Mo.of(X.Of);
    const std::string Name = procedureOf(*V);
    if (Name.empty())
      continue;
    Emitter Before(X.Op), E(X.Op->getNextNode());
    E.L = X.Op->getLoc();
    if (X.Perhaps) {
      mlir::Value Was = Before.toWord(Mo.base(Before, *V)), Is = E.toWord(Mo.base(E, *V));
      mlir::Value Moved = E.B.create<mlir::arith::CmpIOp>(E.L, mlir::arith::CmpIPredicate::ne, Was, Is);
      E.B.setInsertionPoint(E.B.create<fir::IfOp>(E.L, Moved, false).getThenRegion().front().getTerminator());
    }
    E.call(Name, {}, {});
  }
}

// Each element is assigned by its owner, who alone evaluates what it gets and whether it gets it:
//   where (m) a = x           for all elements: if (own(a(i))) if (m(i)) a(i) = x(i)
//   forall (i = 1:n, m(i)) a(i) = x(i)    likewise
// Of masks over several statements the values are kept before the first, in the order of the loops; what takes elements of the assigned
// array from elsewhere is kept, too, and assigned when the statement is over.
#include "Masked.h"
#include "Run.h"

using namespace dvmf;

namespace {
struct Masked {
  mlir::Operation *Root;
  Model &Mo;
  bool Shared; // several statements
  Levels Around = {};
  llvm::SmallVector<mlir::Value> Ends = {}; // masks that are kept

  void visit(mlir::Operation &Op);
  void body(mlir::Region &R);
  void mask(mlir::Region &R, mlir::Region &Body, bool Scalar, mlir::Operation *Tree);
  mlir::Value keep(mlir::Region &R, bool Scalar, mlir::Operation *Tree);
  void statement(hlfir::RegionAssignOp S);
  bool takesOthersIn(hlfir::RegionAssignOp S) const;
  bool isForOwners(mlir::Operation *Tree) const;
};
using Statements = llvm::SmallVector<hlfir::RegionAssignOp, 4>;
} // namespace

static Statements statementsOf(mlir::Operation *Tree) {
  Statements Out;
  Tree->walk([&](hlfir::RegionAssignOp S) { Out.push_back(S); });
  return Out;
}

mlir::Value dvmf::targetOf(hlfir::RegionAssignOp S) {
  auto Yield = mlir::dyn_cast<hlfir::YieldOp>(S.getLhsRegion().front().getTerminator());
  return Yield ? unmarked(Yield.getEntity()) : mlir::Value();
}

static bool isOfArray(hlfir::RegionAssignOp S) {
  mlir::Value To = targetOf(S);
  return !To || hlfir::Entity{To}.isArray();
}

// ---- masks -------------------------------------------------------------------------------------------------------------

// Elements that its statements assign are known where the mask is evaluated.
bool Masked::isForOwners(mlir::Operation *Tree) const {
  for (hlfir::RegionAssignOp S : statementsOf(Tree))
    if (S->getParentOp() != Tree || isOfArray(S))
      return false;
  return true;
}

static void testOwn(Run &R, llvm::ArrayRef<Run::Target> Targets) {
  mlir::Value Own;
  for (const Run::Target &T : Targets) {
    mlir::Value Element = R.element(T);
    Emitter E = R.here();
    mlir::Value One = isOwn(E, Element);
    Own = Own ? E.B.create<mlir::arith::OrIOp>(E.L, Own, One).getResult() : One;
  }
  if (Own)
    R.test(Own);
}

mlir::Value Masked::keep(mlir::Region &Mask, bool Scalar, mlir::Operation *Tree) {
  Emitter At(Root);
  mlir::Value Kept = At.call("__dvmp_mask_begin", At.pointer(), {})->getResult(0), Bit;
  Ends.push_back(Kept);
  Run R(Root, Around);
  llvm::SmallVector<Run::Target, 4> Targets;
  R.loops();
  if (Scalar) {
    R.here().call("__dvmp_mask_step", {}, {Kept});
    R.testScalars();
    for (hlfir::RegionAssignOp S : isForOwners(Tree) ? statementsOf(Tree) : Statements())
      Targets.push_back(R.target(S));
    testOwn(R, Targets);
    Bit = R.copy(Mask);
  } else {
    R.testScalars();
    mlir::Value Whole = R.copy(Mask);
    for (hlfir::RegionAssignOp S : statementsOf(Tree))
      Targets.push_back(R.target(S));
    R.elements(R.extents(Whole));
    R.here().call("__dvmp_mask_step", {}, {Kept});
    R.takeBits();
    R.testMasks();
    testOwn(R, Targets);
    Bit = R.element(Whole);
  }
  mlir::Value Word = R.B.createConvert(Root->getLoc(), R.B.getI32Type(), R.B.createConvert(Root->getLoc(), R.B.getI1Type(), Bit));
  R.here().call("__dvmp_mask_set", {}, {Kept, Word});
  R.finish();
  return Kept;
}

void Masked::mask(mlir::Region &R, mlir::Region &Body, bool Scalar, mlir::Operation *Tree) {
  Level X;
  X.Mask = &R;
  X.Scalar = Scalar;
  if (Shared)
    X.Kept = keep(R, Scalar, Tree);
  Around.push_back(X);
  body(Body);
  Around.pop_back();
}

// ---- statements --------------------------------------------------------------------------------------------------------

bool Masked::takesOthersIn(hlfir::RegionAssignOp S) const {
  mlir::Value To = targetOf(S);
  if (!To || takesOthers(Mo, To, S.getRhsRegion()) || takesOthers(Mo, To, S.getLhsRegion()))
    return true;
  for (const Level &X : Around)
    if (X.Mask && !X.Kept && takesOthers(Mo, To, *X.Mask))
      return true;
  return false;
}

void Masked::statement(hlfir::RegionAssignOp S) {
  const bool Array = isOfArray(S), Kept = takesOthersIn(S);
  mlir::Value Begin = Kept ? keepFrom(Root) : mlir::Value();
  Run R(Root, Around);
  R.loops();
  if (Array)
    R.testScalars();
  const Run::Target T = R.target(S);
  mlir::Value From;
  if (Array) {
    R.takeMasks();
    From = R.copy(S.getRhsRegion());
    const auto Extents = R.extents(T);
    Emitter E = R.here();
    if (hlfir::Entity{From}.isArray())
      checkExtents(E, Extents, R.extents(From));
    R.elements(Extents);
    R.takeBits();
  }
  mlir::Value Element = R.element(T);
  Emitter E = R.here();
  R.test(isOwn(E, Element));
  if (!Array)
    R.testScalars();
  R.testMasks();
  if (!Array)
    From = R.copy(S.getRhsRegion());
  R.assign(R.element(From), Element, Kept);
  R.finish();
  if (Kept)
    assignKept(Root, Begin);
}

// ---- the tree ----------------------------------------------------------------------------------------------------------

void Masked::body(mlir::Region &R) {
  for (mlir::Operation &Op : R.front())
    visit(Op);
}

void Masked::visit(mlir::Operation &Op) {
  if (auto S = mlir::dyn_cast<hlfir::RegionAssignOp>(Op)) {
    statement(S);
  } else if (auto F = mlir::dyn_cast<hlfir::ForallOp>(Op)) {
    Level X;
    X.Loop = F;
    Around.push_back(X);
    body(F.getBody());
    Around.pop_back();
  } else if (auto M = mlir::dyn_cast<hlfir::ForallMaskOp>(Op)) {
    mask(M.getMaskRegion(), M.getBody(), true, &Op);
  } else if (auto W = mlir::dyn_cast<hlfir::WhereOp>(Op)) {
    mask(W.getMaskRegion(), W.getBody(), false, &Op);
  } else if (auto Else = mlir::dyn_cast<hlfir::ElseWhereOp>(Op)) {
    Around.back().Negated = true; // the last in the body of that mask
    if (Else.getMaskRegion().empty())
      body(Else.getBody());
    else
      mask(Else.getMaskRegion(), Else.getBody(), false, &Op);
  }
}

mlir::Operation *dvmf::firstOf(mlir::Operation *Root) {
  Statements All = statementsOf(Root);
  return All.empty() ? Root : All.front().getOperation();
}

Variable *dvmf::dividedIn(mlir::Operation *Root, Model &Mo) {
  Variable *Found = nullptr;
  Root->walk([&](mlir::Operation *Op) {
    for (mlir::Value V : Op->getOperands())
      if (Variable *X = dividedOf(Mo, V); X && (!Found || Mo.Distributed.count(X->Unique)))
        Found = X;
  });
  return Found;
}

bool dvmf::isUnusual(mlir::Operation *Root) {
  for (hlfir::RegionAssignOp S : statementsOf(Root)) {
    mlir::Value To = targetOf(S);
    auto Indexed = mlir::dyn_cast<hlfir::ElementalAddrOp>(S.getLhsRegion().front().getTerminator());
    if (!To)
      To = mlir::cast<hlfir::YieldOp>(Indexed.getBody().front().getTerminator()).getEntity();
    if (!S.getUserDefinedAssignment().empty() || !bytesOf(hlfir::getFortranElementType(To.getType())))
      return true;
  }
  return false;
}

void dvmf::lowerMasked(mlir::Operation *Root, Model &Mo, Position P) {
  mlir::Operation *Before = Root->getPrevNode();
  Masked M{Root, Mo, statementsOf(Root).size() > 1};
  M.visit(*Root);
  Emitter E(Root);
  for (mlir::Value Kept : M.Ends)
    E.call("__dvmp_mask_end", {}, {Kept});
  mlir::Block *In = Root->getBlock();
  for (mlir::Operation *Op = Before ? Before->getNextNode() : &In->front(); Op != Root; Op = Op->getNextNode())
    markLoads(Op, Mo, P);
  Root->erase();
}

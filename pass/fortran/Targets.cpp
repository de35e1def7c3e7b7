#include "Targets.h"
#include "Masked.h"
#include "pass/markers.h"
#include "runtime/site_text.h"

using namespace dvmf;

static bool isTree(mlir::Operation *Op) {
  return mlir::isa_and_nonnull<hlfir::WhereOp, hlfir::ElseWhereOp, hlfir::ForallOp, hlfir::ForallMaskOp, hlfir::RegionAssignOp>(Op);
}

static bool isWholeInMask(hlfir::YieldOp Yield) {
  auto S = mlir::dyn_cast<hlfir::RegionAssignOp>(Yield->getParentOp());
  const bool Masked = S ? Yield->getParentRegion() == &S.getRhsRegion() && S->getParentOfType<hlfir::WhereOp>()
                        : mlir::isa<hlfir::WhereOp, hlfir::ElseWhereOp>(Yield->getParentOp());
  hlfir::Entity X{Yield.getEntity()};
  return Masked && X.isVariable() && X.isArray() && fir::isa_trivial(X.getFortranElementType()) && Yield.getCleanup().empty();
}

void dvmf::spreadMasked(mlir::func::FuncOp F) {
  llvm::SmallVector<hlfir::YieldOp, 4> Found;
  F.walk([&](hlfir::YieldOp Yield) {
    if (isWholeInMask(Yield))
      Found.push_back(Yield);
  });
  for (hlfir::YieldOp Yield : Found) {
    mlir::OpBuilder At(Yield);
    fir::FirOpBuilder B(At, F->getParentOfType<mlir::ModuleOp>());
    mlir::Location L = Yield->getLoc();
    hlfir::Entity Whole = hlfir::derefPointersAndAllocatables(L, B, hlfir::Entity{Yield.getEntity()});
    const auto Element = [&](mlir::Location L, fir::FirOpBuilder &B, mlir::ValueRange At) {
      return hlfir::loadTrivialScalar(L, B, hlfir::getElementAt(L, B, Whole, At));
    };
    auto Elemental = hlfir::genElementalOp(L, B, Whole.getFortranElementType(), hlfir::genShape(L, B, Whole), {}, Element, true);
    Yield->setOperand(0, Elemental);
    B.createBlock(&Yield.getCleanup());
    B.create<hlfir::DestroyOp>(L, Elemental);
    B.create<fir::FirEndOp>(L);
  }
}

// What the elemental operation around computes goes to the element at the same place of the statement.
static bool isOfElement(mlir::Operation *Elemental, int Depth = 0) {
  for (mlir::Operation *User : Elemental->getUsers()) {
    if (mlir::isa<hlfir::YieldOp>(User))
      return true;
    auto Outer = mlir::isa<hlfir::ApplyOp>(User) ? User->getParentOfType<hlfir::ElementalOp>() : hlfir::ElementalOp();
    if (Outer && Depth < 100 && isOfElement(Outer, Depth + 1))
      return true;
  }
  return false;
}

// The elemental operations around, up to the tree's.
static hlfir::ElementalOp elementalOf(mlir::Operation *Op, mlir::Region *&Of) {
  hlfir::ElementalOp Found;
  for (; !isTree(Op->getParentOp()); Op = Op->getParentOp())
    if (auto Elemental = mlir::dyn_cast<hlfir::ElementalOp>(Op->getParentOp()))
      Found = Elemental;
    else if (!Op->getParentOp() || mlir::isa<mlir::func::FuncOp>(Op->getParentOp()))
      return Of = nullptr, Found;
  Of = Op->getParentRegion();
  return Found;
}

llvm::SmallVector<hlfir::RegionAssignOp, 2> dvmf::targetsOf(mlir::Operation *Op) {
  llvm::SmallVector<hlfir::RegionAssignOp, 2> Out;
  mlir::Region *Of = nullptr;
  hlfir::ElementalOp Elemental = elementalOf(Op, Of);
  mlir::Operation *Tree = Of ? Of->getParentOp() : nullptr;
  if (!Tree || mlir::isa<hlfir::ForallOp>(Tree))
    return Out;
  auto Own = mlir::dyn_cast<hlfir::RegionAssignOp>(Tree);
  if (Own && Of != &Own.getRhsRegion())
    return Out;
  Tree->walk([&](hlfir::RegionAssignOp S) {
    mlir::Value To = targetOf(S);
    const int Rank = To ? hlfir::Entity{To}.getRank() : -1;
    const bool Right = Rank > 0 ? Elemental && isOfElement(Elemental) && int(Elemental.getIndices().size()) == Rank
                                : !Rank && (Own || S->getParentOp() == Tree);
    for (hlfir::RegionAssignOp Other : Out) // the same array
      if (Right && targetOf(Other) == To && To.getDefiningOp<hlfir::DeclareOp>())
        return;
    if (Right && (!Rank || !mlir::isa<hlfir::ForallMaskOp>(Tree)))
      Out.push_back(S);
  });
  return Out;
}

static mlir::Operation *rootOf(mlir::Operation *Op) {
  mlir::Operation *Root = Op;
  for (; Op && !mlir::isa<mlir::func::FuncOp>(Op); Op = Op->getParentOp())
    if (isTree(Op))
      Root = Op;
  return Root;
}

int64_t dvmf::expressionOf(mlir::Operation *Op, const Model &Mo) {
  std::string File;
  Position P;
  Mo.position(firstOf(rootOf(Op))->getLoc(), File, P);
  return int64_t(P.Line) * 1000 + P.Column;
}

// Its left side as it is there, without the marks.
static mlir::Value copyTarget(Emitter &E, hlfir::RegionAssignOp S) {
  mlir::IRMapping Map;
  for (mlir::Operation &Op : S.getLhsRegion().front().without_terminator()) {
    auto Call = mlir::dyn_cast<fir::CallOp>(Op);
    if (!Call || !Call.getCallee() || !Call.getCallee()->getRootReference().getValue().starts_with("__dvm"))
      E.B.clone(Op, Map);
    else if (Op.getNumResults())
      Map.map(Op.getResult(0), Map.lookupOrDefault(Op.getOperand(0)));
  }
  return Map.lookupOrDefault(targetOf(S));
}

static std::string textOf(Emitter &E, Model &Mo, hlfir::RegionAssignOp S, const Variable &V, uint64_t Bytes) {
  Site T(E);
  std::string File;
  Position P;
  Mo.position(S->getLoc(), File, P);
  T.key(DVMRT_ANY_KIND).add("w").key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F").place(Mo.Main.Name, P);
  T.key(DVMRT_ACCESS_TEXT).add(V.Name).key(DVMRT_ACCESS_VARIABLE).add(V.Name);
  if (V.At.Line)
    T.key(DVMRT_ACCESS_DECLARED).add(V.At.Line).add(" ").add(V.At.Column).add(" ").add(V.File);
  T.key(DVMRT_ACCESS_SIZE).add(int64_t(Bytes)).key(DVMRT_ACCESS_RANGE).add("e").key(DVMRT_ACCESS_CONSTRUCT).add("0");
  T.key(DVMRT_ACCESS_DISTRIBUTED).add("-").key(DVMRT_ACCESS_ROLE).add("lhs ").add(expressionOf(S, Mo));
  return T.T;
}

void dvmf::announceTarget(Emitter &E, Model &Mo, hlfir::RegionAssignOp S, mlir::Operation *Op) {
  mlir::Region *Of = nullptr;
  hlfir::ElementalOp Elemental = elementalOf(Op, Of);
  hlfir::DeclareOp Root = Mo.rootOf(targetOf(S));
  if (!Root)
    return;
  fir::FirOpBuilder B(E.B, E.M);
  hlfir::Entity To{copyTarget(E, S)};
  B.setInsertionPoint(&*E.B.getInsertionPoint());
  if (To.isArray())
    To = hlfir::getElementAt(E.L, B, hlfir::derefPointersAndAllocatables(E.L, B, To), Elemental.getIndices());
  const Variable &V = *Mo.of(Root);
  const uint64_t Bytes = bytesOf(hlfir::getFortranElementType(To.getType()));
  E.call(
      std::string(DVMM_SECTION) + ".0", {},
      {E.toPointer(To), E.text(textOf(E, Mo, S, V, Bytes ? Bytes : 1)), E.value(Num::of(int64_t(Bytes ? Bytes : 1))), E.value(Num::of(0))});
}

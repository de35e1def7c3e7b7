// Scalars that a nest assigns and that no clause names: what a forgotten reduction leaves behind differs from rank to rank.  Where values are
// recorded they are compared when the nest ends.  Not those that each iteration assigns before it reads them (pass/clang/Shared.cpp).
#include "Mark.h"

using namespace dvmf;

namespace {
// The body of a nest, in the order of its execution.
struct Walk {
  struct Seen {
    hlfir::DeclareOp Declare;
    bool Written = false, Read = false;
    bool Exposed = false; // an iteration may read what another has left
  };
  std::map<mlir::Operation *, Seen> All;
  std::set<mlir::Operation *> Sure; // assigned by this iteration before
  bool Regular = true; // no jumps

  void block(mlir::Block &B);
  void operation(mlir::Operation *Op);
  void regions(mlir::Operation *Op);
  Seen *scalar(mlir::Value Address, bool &Compilers);
};
} // namespace

Walk::Seen *Walk::scalar(mlir::Value Address, bool &Compilers) {
  auto D = Address.getDefiningOp<hlfir::DeclareOp>();
  if (!D || !bytesOf(fir::unwrapRefType(D.getMemref().getType())))
    return nullptr;
  Compilers = Address == D.getResult(1) && Address != D.getResult(0);
  Seen &S = All[D];
  S.Declare = D;
  return &S;
}

void Walk::block(mlir::Block &B) {
  for (mlir::Operation &Op : B)
    operation(&Op);
}

void Walk::regions(mlir::Operation *Op) {
  const std::set<mlir::Operation *> Before = Sure;
  std::vector<std::set<mlir::Operation *>> Ends;
  for (mlir::Region &R : Op->getRegions()) {
    Regular &= R.empty() || R.hasOneBlock();
    Sure = Before;
    for (mlir::Block &B : R)
      block(B);
    Ends.push_back(Sure);
  }
  Sure = Before;
  if (mlir::isa<fir::IfOp>(Op) && Ends.size() == 2)
    for (mlir::Operation *D : Ends[0])
      if (Ends[1].count(D))
        Sure.insert(D);
}

void Walk::operation(mlir::Operation *Op) {
  bool Compilers = false;
  if (Op->getNumRegions())
    return regions(Op);
  if (auto Load = mlir::dyn_cast<fir::LoadOp>(Op)) {
    if (Seen *S = scalar(Load.getMemref(), Compilers); S && !Compilers) {
      S->Read = true;
      S->Exposed |= !Sure.count(S->Declare);
    }
    return;
  }
  for (mlir::Value V : Op->getOperands())
    if (Seen *S = scalar(V, Compilers)) { // a procedure that gets it may assign it, a DO does so
      S->Written |= mlir::isa<hlfir::AssignOp>(Op) && Op->getOperand(1) == V;
      Sure.insert(S->Declare);
    }
}

static bool isNamed(const Model &Mo, const Directive &D, const Variable &V) {
  for (const Clause &C : D.Clauses) {
    for (const Ref &R : C.Refs)
      if (Mo.isNamed(R.Name, V))
        return true;
    for (const Reduction &R : C.Reductions)
      if (Mo.isNamed(R.Var, V) || Mo.isNamed(R.Loc, V))
        return true;
  }
  return false;
}

std::vector<Variable *> dvmf::sharedBy(Model &Mo, mlir::Operation *Iteration, const Construct &C) {
  std::vector<Variable *> Out;
  mlir::Block *Body = Iteration->getBlock();
  if (!mlir::isa<fir::DoLoopOp>(Body->getParentOp()) || !C.Enter)
    return Out;
  Walk W;
  W.block(*Body);
  for (auto &[Op, S] : W.All) {
    Variable *V = Mo.of(S.Declare);
    const bool Own =
        Body->getParentOp()->isAncestor(Op) || std::find(C.IndexUnique.begin(), C.IndexUnique.end(), V->Unique) != C.IndexUnique.end();
    if (W.Regular && !Own && S.Written && (S.Exposed || !S.Read) && V->Unique.find('.') == std::string::npos &&
        !isNamed(Mo, *C.Enter->D, *V))
      Out.push_back(V);
  }
  std::sort(Out.begin(), Out.end(), [](const Variable *A, const Variable *B) { return A->Unique < B->Unique; });
  return Out;
}

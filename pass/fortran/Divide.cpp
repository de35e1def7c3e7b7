// The sequential part, which all ranks execute: an element is assigned where it lies.
//   a(i) = x           *__dvmp_store(a(i)) = x             all compute, one stores
//   a(i) = b(i) + x    if (__dvmp_own(a(i))) a(i) = b(i) + x
//   a = b + x          for all elements: if (__dvmp_own(a(i))) a(i) = b(i) + x
//   a(:) = b(2, :)     array_copy
#include "Parallel.h"
#include "Sections.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "pass/markers.h"
#include "runtime/site_text.h"
#include "llvm/ADT/SetVector.h"

using namespace dvmf;

namespace {
using Operations = llvm::SmallVector<mlir::Operation *, 16>;

struct Divide {
  Model &Mo;
  const Constructs &Known;
  std::vector<Complaint> &Complaints;

  bool isSequential(mlir::Operation *Op, Position &P) const;
  Variable *divided(mlir::Value V) const;
  void element(hlfir::AssignOp Assign);
  void array(hlfir::AssignOp Assign, Variable &V, Position P);
  void masked(mlir::Operation *Op, Position P);
  void checkWhole(hlfir::AssignOp Assign, Variable &V, Position P);
  bool overlaps(hlfir::AssignOp Assign, mlir::Operation *Expression) const;
  void markLoads(fir::IfOp If, Position P);
};
} // namespace

// Through the marks of accesses.
static mlir::Value unmarked(mlir::Value V) {
  while (mlir::Operation *D = V.getDefiningOp()) {
    auto Call = mlir::dyn_cast<fir::CallOp>(D);
    if (mlir::isa<fir::ConvertOp>(D) || (Call && Call.getCallee() && Call.getCallee()->getRootReference().getValue().starts_with("__dvm")))
      V = D->getOperand(0);
    else
      break;
  }
  return V;
}

Variable *Divide::divided(mlir::Value V) const {
  hlfir::DeclareOp D = Mo.rootOf(unmarked(V));
  Variable *X = D ? Mo.of(D) : nullptr;
  return X && mayBeDivided(Mo, *X) ? X : nullptr;
}

bool Divide::isSequential(mlir::Operation *Op, Position &P) const {
  std::string File;
  if (!Mo.position(Op->getLoc(), File, P) || File != Mo.Main.Path)
    return false;
  for (const Mark &M : Mo.Main.P->Marks)
    if (M.Line == P.Line)
      return false; // inserted
  for (const auto &[Number, C] : Known)
    if (isDivided(C, Mo) && C.FirstLine <= P.Line && P.Line <= C.LastLine)
      return false;
  return true;
}

// ---- elements ----------------------------------------------------------------------------------------------------------

// Operations that one rank may omit: no calls of what the user has written.
static bool hasEffects(mlir::Operation *Op) {
  bool Found = false;
  Op->walk([&](mlir::Operation *X) {
    auto Call = mlir::dyn_cast<fir::CallOp>(X);
    if (mlir::isa<fir::DispatchOp>(X) || (Call && !Call.getCallee()))
      Found = true;
    else if (Call)
      Found |= Call.getCallee()->getRootReference().getValue().starts_with("_Q");
  });
  return Found;
}

// The operations of the assignment's statement around it, in their order.
static Operations statementOf(mlir::Operation *Assign) {
  Operations Out{Assign};
  for (mlir::Operation *Op = Assign->getPrevNode(); Op && Op->getLoc() == Assign->getLoc(); Op = Op->getPrevNode())
    Out.insert(Out.begin(), Op);
  for (mlir::Operation *Op = Assign->getNextNode();
       Op && Op->getLoc() == Assign->getLoc() && mlir::isa<hlfir::DestroyOp, hlfir::EndAssociateOp>(Op); Op = Op->getNextNode())
    Out.push_back(Op);
  return Out;
}

static void collectSlice(mlir::Value V, const llvm::SmallSetVector<mlir::Operation *, 16> &In,
                         llvm::SmallSetVector<mlir::Operation *, 16> &Out) {
  mlir::Operation *D = V.getDefiningOp();
  if (!D || !In.count(D) || Out.count(D))
    return;
  for (mlir::Value Operand : D->getOperands())
    collectSlice(Operand, In, Out);
  Out.insert(D);
}

static bool isUsedOutside(const Operations &Ops, const llvm::SmallSetVector<mlir::Operation *, 16> &In) {
  for (mlir::Operation *Op : Ops)
    for (mlir::Operation *User : Op->getUsers()) {
      mlir::Operation *Top = User;
      while (Top && Top->getBlock() != Op->getBlock())
        Top = Top->getParentOp();
      if (!Top || !In.count(Top))
        return true;
    }
  return false;
}

static fir::IfOp ifOwn(Emitter &E, mlir::Value Address) {
  mlir::Value Own = E.call("__dvmp_own", E.B.getI32Type(), {E.toPointer(Address)})->getResult(0);
  mlir::Value Zero = E.B.create<mlir::arith::ConstantOp>(E.L, E.B.getI32IntegerAttr(0));
  mlir::Value Is = E.B.create<mlir::arith::CmpIOp>(E.L, mlir::arith::CmpIPredicate::ne, Own, Zero);
  return E.B.create<fir::IfOp>(E.L, Is, false);
}

void Divide::element(hlfir::AssignOp Assign) {
  const Operations Ops = statementOf(Assign);
  llvm::SmallSetVector<mlir::Operation *, 16> In(Ops.begin(), Ops.end()), Target;
  collectSlice(Assign.getLhs(), In, Target);
  bool Reads = false, Effects = false;
  for (mlir::Operation *Op : Ops) {
    if (!Target.count(Op))
      Op->walk([&](mlir::Operation *X) {
        auto Call = mlir::dyn_cast<fir::CallOp>(X);
        Reads |= Call && Call.getCallee() && Call.getCallee()->getRootReference().getValue() == DVMM_READ;
      });
    Effects |= hasEffects(Op);
  }
  if (!Reads || Effects || isUsedOutside(Ops, In)) {
    Emitter E(Assign);
    mlir::Value To = Assign.getLhs();
    mlir::Value Bytes = E.value(Num::of(int64_t(bytesOf(fir::unwrapRefType(To.getType())))));
    mlir::Value Place = E.call("__dvmp_store", E.pointer(), {E.toPointer(To), Bytes})->getResult(0);
    Assign->setOperand(1, E.B.create<fir::ConvertOp>(E.L, To.getType(), Place));
    return;
  }
  mlir::Operation *First = Ops.front();
  for (mlir::Operation *Op : Ops)
    if (Target.count(Op) && Op != First)
      Op->moveBefore(First);
    else if (Op == First && Target.count(Op))
      First = Op->getNextNode();
  Emitter E(First);
  fir::IfOp If = ifOwn(E, unmarked(Assign.getLhs())); // a mark may lead elsewhere
  mlir::Operation *End = If.getThenRegion().front().getTerminator();
  for (mlir::Operation *Op : Ops)
    if (!Target.count(Op))
      Op->moveBefore(End);
}

// ---- whole arrays ------------------------------------------------------------------------------------------------------

// Does the expression take elements of what is assigned from other places than the assigned ones?
bool Divide::overlaps(hlfir::AssignOp Assign, mlir::Operation *Expression) const {
  hlfir::DeclareOp To = Mo.rootOf(Assign.getLhs());
  auto Section = Assign.getLhs().getDefiningOp<hlfir::DesignateOp>();
  bool Found = false;
  auto Look = [&](mlir::Value From) {
    if (Found || Mo.rootOf(From) != To)
      return;
    auto Other = From.getDefiningOp<hlfir::DesignateOp>();
    if (!Section || !Other) {
      Found |= bool(Section) != bool(Other) || Section.getOperation() != Other.getOperation();
      return;
    }
    Found |= Section.getIsTriplet() != Other.getIsTriplet() || Section.getIndices().size() != Other.getIndices().size();
    for (size_t I = 0; !Found && I < Section.getIndices().size(); ++I) {
      Emitter E(Assign);
      const Num X = E.number(Section.getIndices()[I]), Y = E.number(Other.getIndices()[I]);
      Found |= X.C != Y.C || (!X.C && Section.getIndices()[I] != Other.getIndices()[I]);
    }
  };
  std::set<mlir::Operation *> Seen;
  std::function<void(mlir::Operation *)> Visit = [&](mlir::Operation *Op) {
    if (!Op || !Seen.insert(Op).second)
      return;
    Op->walk([&](mlir::Operation *X) {
      if (auto D = mlir::dyn_cast<hlfir::DesignateOp>(X))
        Look(D.getMemref());
      if (auto Apply = mlir::dyn_cast<hlfir::ApplyOp>(X))
        Visit(Apply.getExpr().getDefiningOp());
    });
  };
  if (mlir::isa<hlfir::ElementalOp>(Expression))
    Visit(Expression);
  else
    Look(Expression->getResult(0));
  return Found;
}

static hlfir::ElementalOp appliedElemental(fir::IfOp If, hlfir::ApplyOp &Apply) {
  hlfir::ElementalOp Found;
  If.walk([&](hlfir::ApplyOp A) {
    if (!Found && (Found = A.getExpr().getDefiningOp<hlfir::ElementalOp>()))
      Apply = A;
  });
  return Found;
}

void Divide::markLoads(fir::IfOp If, Position P) {
  llvm::SmallVector<fir::LoadOp, 4> Loads;
  If.walk([&](fir::LoadOp Load) { Loads.push_back(Load); });
  for (fir::LoadOp Load : Loads) {
    Variable *V = divided(Load.getMemref());
    const uint64_t Bytes = bytesOf(fir::unwrapRefType(Load.getMemref().getType()));
    if (!V || !Bytes || unmarked(Load.getMemref()) != Load.getMemref())
      continue;
    Emitter E(Load);
    Site T(E);
    T.key(DVMRT_ANY_KIND).add("r").key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F").place(Mo.Main.Name, P);
    T.key(DVMRT_ACCESS_TEXT).add(V->Name).key(DVMRT_ACCESS_VARIABLE).add(V->Name);
    mlir::Value Address = Load.getMemref();
    mlir::Operation *Call = E.call(DVMM_READ, E.pointer(), {E.toPointer(Address), E.value(Num::of(int64_t(Bytes))), E.text(T.T)});
    Load->setOperand(0, E.B.create<fir::ConvertOp>(E.L, Address.getType(), Call->getResult(0)));
  }
}

// It must not be distributed: 'entered' says so if it is.
void Divide::checkWhole(hlfir::AssignOp Assign, Variable &V, Position P) {
  Emitter E(Assign);
  Site T(E);
  T.key(DVMRT_ANY_KIND).add("w").key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F").place(Mo.Main.Name, P);
  T.key(DVMRT_ACCESS_TEXT).add(V.Name).key(DVMRT_ACCESS_VARIABLE).add(V.Name);
  E.call("__dvmp_entered", {}, {Mo.base(E, V), E.text(T.T)});
}

void Divide::array(hlfir::AssignOp Assign, Variable &V, Position P) {
  auto Refuse = [&](const std::string &What) {
    if (!Mo.Distributed.count(V.Unique))
      return checkWhole(Assign, V, P); // perhaps it is not
    Complaints.push_back(
        {true, P, What + ": not supported in parallel execution yet", "write a loop with PARALLEL, or assign element by element", ""});
  };
  if (const auto Copy = sectionCopyOf(Assign, Mo)) {
    Emitter E(Assign);
    copySection(E, Mo, *Copy, P);
    Assign->erase();
    return;
  }
  mlir::Value From = Assign.getRhs();
  mlir::Operation *Expression = From.getDefiningOp();
  const bool Scalar = fir::isa_trivial(From.getType());
  auto Elemental = mlir::dyn_cast_or_null<hlfir::ElementalOp>(Expression);
  if (!Scalar && !Elemental && !mlir::isa_and_nonnull<hlfir::DeclareOp, hlfir::DesignateOp>(Expression))
    return Refuse("the assignment of what a function gives to the distributed array '" + V.Name + "'");
  if (!Scalar && overlaps(Assign, Expression))
    return Refuse("'" + V.Name + "' gets elements from other places of itself");
  mlir::OpBuilder At(Assign);
  fir::FirOpBuilder B(At, Assign->getParentOfType<mlir::ModuleOp>());
  mlir::Location L = Assign.getLoc();
  hlfir::Entity To = hlfir::derefPointersAndAllocatables(L, B, hlfir::Entity{Assign.getLhs()});
  llvm::SmallVector<mlir::Value> Extents = hlfir::getIndexExtents(L, B, hlfir::genShape(L, B, To));
  hlfir::Entity Source{From};
  if (!Scalar) {
    if (!Elemental)
      Source = hlfir::derefPointersAndAllocatables(L, B, Source);
    mlir::Value Shape = Elemental ? Elemental.getShape() : hlfir::genShape(L, B, Source);
    llvm::SmallVector<mlir::Value> Others = hlfir::getIndexExtents(L, B, Shape);
    Emitter E(Assign);
    for (size_t I = 0; I < Extents.size() && I < Others.size(); ++I)
      if (const Num X = E.number(Extents[I]), Y = E.number(Others[I]); !X.C || !Y.C || *X.C != *Y.C)
        E.call("__dvmp_conform", {}, {E.value(X), E.value(Y)});
  }
  B.setInsertionPoint(Assign);
  hlfir::LoopNest Nest = hlfir::genLoopNest(L, B, Extents, false);
  B.setInsertionPointToStart(Nest.innerLoop.getBody());
  hlfir::Entity Element = hlfir::getElementAt(L, B, To, Nest.oneBasedIndices);
  Emitter E(Nest.innerLoop.getBody()->getTerminator());
  E.L = L;
  fir::IfOp If = ifOwn(E, Element);
  B.setInsertionPointToStart(&If.getThenRegion().front());
  mlir::Value Value = From;
  if (Elemental) {
    hlfir::YieldElementOp Yield = hlfir::inlineElementalOp(L, B, Elemental, Nest.oneBasedIndices);
    Value = Yield.getElementValue();
    Yield->erase();
  } else if (!Scalar) {
    Value = hlfir::loadTrivialScalar(L, B, hlfir::getElementAt(L, B, Source, Nest.oneBasedIndices));
  }
  B.create<hlfir::AssignOp>(L, Value, Element);
  hlfir::ApplyOp Apply;
  while (hlfir::ElementalOp Inner = appliedElemental(If, Apply)) {
    B.setInsertionPoint(Apply);
    hlfir::YieldElementOp Yield = hlfir::inlineElementalOp(L, B, Inner, Apply.getIndices());
    Apply.getResult().replaceAllUsesWith(Yield.getElementValue());
    Yield->erase();
    Apply->erase();
  }
  markLoads(If, P);
  Assign->erase();
}

// WHERE and FORALL.
void Divide::masked(mlir::Operation *Op, Position P) {
  bool Found = false;
  std::string Name;
  Op->walk([&](mlir::Operation *X) {
    if (auto D = mlir::dyn_cast<hlfir::DesignateOp>(X))
      if (Variable *V = divided(D.getMemref()); V && Mo.Distributed.count(V->Unique)) {
        Found = true;
        Name = V->Name;
      }
    if (auto Yield = mlir::dyn_cast<hlfir::YieldOp>(X))
      if (Variable *V = divided(Yield.getEntity()); V && Mo.Distributed.count(V->Unique)) {
        Found = true;
        Name = V->Name;
      }
  });
  if (Found)
    Complaints.push_back({true, P,
                          std::string(mlir::isa<hlfir::WhereOp>(Op) ? "WHERE" : "FORALL") + " over the distributed array '" + Name +
                              "' outside of parallel loops: not supported in parallel execution yet",
                          "write a loop with PARALLEL", ""});
}

void dvmf::divideAssignments(mlir::func::FuncOp F, Model &Mo, const Constructs &Known, std::vector<Complaint> &Complaints) {
  Divide D{Mo, Known, Complaints};
  llvm::SmallVector<hlfir::AssignOp, 16> Assigns;
  F.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *Op) {
    Position P;
    if (mlir::isa<hlfir::WhereOp, hlfir::ForallOp>(Op)) {
      if (D.isSequential(Op, P))
        D.masked(Op, P);
      return mlir::WalkResult::skip();
    }
    if (auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Op); Assign && D.isSequential(Op, P) && D.divided(Assign.getLhs()))
      Assigns.push_back(Assign);
    return mlir::WalkResult::advance();
  });
  for (hlfir::AssignOp Assign : Assigns) {
    Position P;
    D.isSequential(Assign, P);
    Variable *V = D.divided(Assign.getLhs());
    mlir::Type To = Assign.getLhs().getType();
    if (bytesOf(fir::unwrapRefType(To)))
      D.element(Assign);
    else if (V->Bytes)
      D.array(Assign, *V, P);
  }
}

// The sequential part, which all ranks execute: an element is assigned where it lies.
//   a(i) = x           *__dvmp_store(a(i)) = x             all compute, one stores
//   a(i) = b(i) + x    if (__dvmp_own(a(i))) a(i) = b(i) + x
//   a = b + x          for all elements: if (__dvmp_own(a(i))) a(i) = b(i) + x
//   a(:) = b(2, :)     array_copy
#include "Masked.h"
#include "Sections.h"
#include "pass/markers.h"
#include "runtime/site_text.h"
#include "llvm/ADT/SetVector.h"

using namespace dvmf;

namespace {
using Operations = llvm::SmallVector<mlir::Operation *, 16>;

struct Divide {
  Model &Mo;
  std::vector<Complaint> &Complaints;

  void element(hlfir::AssignOp Assign);
  void array(hlfir::AssignOp Assign, Position P);
  void masked(mlir::Operation *Op, Position P);
  void refuse(const Variable &V, Position P);
};
} // namespace

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

void Divide::refuse(const Variable &V, Position P) {
  Complaints.push_back({true, P,
                        "the assignment to parts of the distributed array '" + V.Name + "': not supported in parallel execution yet",
                        "write a loop with PARALLEL, or assign element by element", ""});
}

// Each rank goes through all elements and assigns its own.
void Divide::array(hlfir::AssignOp Assign, Position P) {
  if (const auto Copy = sectionCopyOf(Assign, Mo)) {
    Emitter E(Assign);
    copySection(E, Mo, *Copy, P);
    Assign->erase();
    return;
  }
  hlfir::Entity From{Assign.getRhs()};
  const bool Kept = !From.isScalar() && takesOthers(Mo, Assign.getLhs(), From);
  mlir::Value Begin = Kept ? keepFrom(Assign) : mlir::Value();
  mlir::OpBuilder At(Assign);
  fir::FirOpBuilder B(At, Assign->getParentOfType<mlir::ModuleOp>());
  mlir::Location L = Assign.getLoc();
  hlfir::Entity To = hlfir::derefPointersAndAllocatables(L, B, hlfir::Entity{Assign.getLhs()});
  const auto Extents = extentsOf(L, B, To);
  if (!From.isScalar()) {
    From = hlfir::derefPointersAndAllocatables(L, B, From);
    const auto Others = extentsOf(L, B, From);
    Emitter E(Assign);
    checkExtents(E, Extents, Others);
  }
  B.setInsertionPoint(Assign);
  hlfir::LoopNest Nest = hlfir::genLoopNest(L, B, Extents, false);
  B.setInsertionPointToStart(Nest.innerLoop.getBody());
  hlfir::Entity Element = hlfir::getElementAt(L, B, To, Nest.oneBasedIndices);
  Emitter E(Nest.innerLoop.getBody()->getTerminator());
  E.L = L;
  fir::IfOp If = ifOwn(E, Element);
  B.setInsertionPointToStart(&If.getThenRegion().front());
  assignElement(B, L, elementOf(B, L, From, Nest.oneBasedIndices), Element, Kept);
  markLoads(If, Mo, P);
  if (Kept)
    assignKept(Assign, Begin);
  llvm::SmallVector<mlir::Operation *, 4> Elementals;
  elementalsOf(Assign.getRhs(), Elementals);
  Assign->erase();
  dropUnused(Elementals);
}

// WHERE, FORALL, vectors of subscripts.
void Divide::masked(mlir::Operation *Op, Position P) {
  Variable *V = dividedIn(Op, Mo);
  if (V && !isUnusual(Op))
    return lowerMasked(Op, Mo, P);
  if (V && Mo.Distributed.count(V->Unique))
    refuse(*V, P);
}

void dvmf::divideAssignments(mlir::func::FuncOp F, Model &Mo, const Constructs &Known, std::vector<Complaint> &Complaints) {
  Divide D{Mo, Complaints};
  llvm::SmallVector<std::pair<mlir::Operation *, Position>, 16> Found;
  F.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *Op) {
    Position P;
    auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Op);
    const bool Tree = mlir::isa<hlfir::WhereOp, hlfir::ForallOp, hlfir::RegionAssignOp>(Op);
    if ((Tree || (Assign && dividedOf(Mo, Assign.getLhs()))) && isSequential(Tree ? firstOf(Op) : Op, Mo, Known, P))
      Found.push_back({Op, P});
    return Tree ? mlir::WalkResult::skip() : mlir::WalkResult::advance();
  });
  for (auto &[Op, P] : Found) {
    auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Op);
    Variable *V = Assign ? dividedOf(Mo, Assign.getLhs()) : nullptr;
    if (!Assign)
      D.masked(Op, P);
    else if (bytesOf(fir::unwrapRefType(Assign.getLhs().getType())))
      D.element(Assign);
    else if (V->Bytes)
      D.array(Assign, P);
  }
}

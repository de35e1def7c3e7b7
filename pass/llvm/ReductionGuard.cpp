#include "ReductionGuard.h"
#include "pass/markers.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

namespace {

Value *withoutMark(Value *V) {
  while (auto *Call = dyn_cast<CallInst>(V)) {
    StringRef Name = markerName(Call);
    if (Name != DVMM_ACCESS && Name != DVMM_INDEX)
      break;
    V = Call->getArgOperand(0);
  }
  return V;
}

bool isScalar(const Value *P) { return isa<AllocaInst>(P) && !cast<AllocaInst>(P)->getAllocatedType()->isAggregateType(); }

// The same value, if nothing is stored between the two.
bool same(Value *A, Value *B, unsigned Depth = 0) {
  A = withoutMark(A);
  B = withoutMark(B);
  if (A == B)
    return true;
  auto *I = dyn_cast<Instruction>(A), *J = dyn_cast<Instruction>(B);
  if (!I || !J || Depth > 16 || !I->isSameOperationAs(J) || isa<PHINode, AllocaInst>(I))
    return false;
  if (auto *Call = dyn_cast<CallInst>(I);
      Call && (!Call->doesNotAccessMemory() || Call->getCalledFunction() != cast<CallInst>(J)->getCalledFunction()))
    return false;
  for (unsigned N = 0; N < I->getNumOperands(); ++N)
    if (!same(I->getOperand(N), J->getOperand(N), Depth + 1))
      return false;
  return true;
}

class Speculation {
  BranchInst *Branch;
  BasicBlock *Arm;
  SmallPtrSet<Value *, 8> Known; // local variables that the comparison, or the nest, reads anyway
  DenseMap<Value *, Value *> Done;

public:
  Speculation(const Construct &K, BranchInst *Branch, BasicBlock *Arm, Value *Compared) : Branch(Branch), Arm(Arm) {
    for (CallInst *Mark : K.Iters)
      for (Value *V : Mark->args())
        Known.insert(V);
    noteScalars(Compared);
  }

  // Null: it cannot be computed here.
  Value *of(Value *V) {
    V = withoutMark(V);
    auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getParent() != Arm)
      return V;
    if (Value *Before = Done.lookup(V))
      return Before;
    if (!mayMove(I))
      return nullptr;
    SmallVector<Value *, 4> Operands;
    for (Value *Operand : I->operands()) {
      Operands.push_back(isa<Function, BasicBlock>(Operand) ? Operand : of(Operand));
      if (!Operands.back())
        return nullptr;
    }
    Instruction *New = I->clone();
    for (unsigned N = 0; N < Operands.size(); ++N)
      New->setOperand(N, Operands[N]);
    New->dropPoisonGeneratingFlags();
    New->insertBefore(Branch);
    return Done[V] = New;
  }

private:
  void noteScalars(Value *V, unsigned Depth = 0) {
    V = withoutMark(V);
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > 16 || isa<PHINode>(I))
      return;
    if (isScalar(V))
      Known.insert(V);
    for (Value *Operand : I->operands())
      noteScalars(Operand, Depth + 1);
  }

  bool addressIsSafe(Value *P, unsigned Depth = 0) {
    P = withoutMark(P);
    auto *I = dyn_cast<Instruction>(P);
    if (!I)
      return Depth < 16;
    if (auto *L = dyn_cast<LoadInst>(I))
      P = withoutMark(L->getPointerOperand());
    if (isa<LoadInst>(I) && (isa<GlobalVariable>(P) || isScalar(P)))
      return isa<GlobalVariable>(P) || Known.contains(P) || I->getType()->isPointerTy();
    return Depth < 16 && !isa<PHINode>(I) &&
           (isa<AllocaInst>(I) || all_of(I->operands(), [&](Value *V) { return addressIsSafe(V, Depth + 1); }));
  }

  bool mayMove(Instruction *I) {
    if (auto *L = dyn_cast<LoadInst>(I)) {
      Value *P = withoutMark(L->getPointerOperand());
      return L->isSimple() && (isScalar(P) || addressIsSafe(P));
    }
    if (auto *Call = dyn_cast<CallInst>(I))
      return Call->doesNotAccessMemory() && Call->willReturn() && !Call->isConvergent() && Call->getCalledFunction();
    switch (I->getOpcode()) {
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem: return false;
    default: return I->isBinaryOp() || I->isUnaryOp() || isa<CastInst, CmpInst, GetElementPtrInst, SelectInst, FreezeInst>(I);
    }
  }
};

// Nothing before 'End' in its block changes what may be read there.
bool onlyComputes(BasicBlock *Arm, Instruction *End) {
  for (Instruction &I : *Arm) {
    if (&I == End)
      return true;
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && (!markerName(Call).empty() || isa<DbgInfoIntrinsic>(Call) || Call->doesNotAccessMemory() || Call->isLifetimeStartOrEnd()))
      continue;
    if (I.mayWriteToMemory())
      return false;
  }
  return true;
}

} // namespace

ReductionGuard dvmir::findGuard(const Construct &K, StoreInst *Store, const SmallSetVector<Instruction *, 16> &Depends) {
  ReductionGuard G;
  BasicBlock *Arm = Store->getParent();
  Value *New = Store->getValueOperand();
  Instruction *End = Store;
  if (auto *Phi = dyn_cast<PHINode>(New); Phi && Phi->getNumIncomingValues() == 2 && Depends.contains(Phi)) {
    auto Own = [&](unsigned N) { // the variable itself, as it was
      auto *L = dyn_cast<LoadInst>(Phi->getIncomingValue(N));
      return L && withoutMark(L->getPointerOperand()) == withoutMark(Store->getPointerOperand());
    };
    if (Own(0) == Own(1))
      return G;
    unsigned N = Own(0);
    Arm = Phi->getIncomingBlock(N);
    New = Phi->getIncomingValue(N);
    End = Arm->getTerminator();
    G.Phi = Phi;
  }
  BasicBlock *Above = Arm->getSinglePredecessor();
  auto *Branch = Above ? dyn_cast<BranchInst>(Above->getTerminator()) : nullptr;
  auto *Compare = Branch && Branch->isConditional() ? dyn_cast<CmpInst>(Branch->getCondition()) : nullptr;
  auto OfVariable = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    auto *L = dyn_cast<LoadInst>(V);
    return I && (Depends.contains(I) || (L && withoutMark(L->getPointerOperand()) == withoutMark(Store->getPointerOperand())));
  };
  if (!Compare || !Depends.contains(Compare) || OfVariable(New) || OfVariable(Compare->getOperand(0)) == OfVariable(Compare->getOperand(1)))
    return G;
  Value *Other = Compare->getOperand(OfVariable(Compare->getOperand(0)));
  if (same(Other, New) || !onlyComputes(Arm, End))
    return G;
  G.New = Speculation(K, Branch, Arm, Other).of(New);
  if (!G.New)
    return G;
  G.Branch = Branch;
  G.Compare = Compare;
  G.WhenTrue = Branch->getSuccessor(0) == Arm;
  return G;
}

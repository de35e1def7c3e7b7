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

// 'if (m < d) m = q', or 'm = m < d ? q : m'.
struct GuardedUpdate {
  BranchInst *Branch = nullptr; // null: it is of no such form
  CmpInst *Compare = nullptr;
  PHINode *Phi = nullptr;
  BasicBlock *Arm = nullptr; // where 'q' is computed, up to 'End'
  Instruction *End = nullptr;
  Value *Other = nullptr, *New = nullptr; // 'd', 'q'
  bool OwnFirst = false;                  // the variable is the first operand of the comparison
};

bool isLoadOf(Value *V, StoreInst *Store) {
  auto *L = dyn_cast<LoadInst>(V);
  return L && withoutMark(L->getPointerOperand()) == withoutMark(Store->getPointerOperand());
}

GuardedUpdate findUpdate(StoreInst *Store, const SmallSetVector<Instruction *, 16> &Depends) {
  GuardedUpdate U;
  U.Arm = Store->getParent();
  U.New = Store->getValueOperand();
  U.End = Store;
  if (auto *Phi = dyn_cast<PHINode>(U.New); Phi && Phi->getNumIncomingValues() == 2 && Depends.contains(Phi)) {
    bool Own = isLoadOf(Phi->getIncomingValue(0), Store); // the variable itself, as it was
    if (Own == isLoadOf(Phi->getIncomingValue(1), Store))
      return U;
    U.Arm = Phi->getIncomingBlock(Own);
    U.New = Phi->getIncomingValue(Own);
    U.End = U.Arm->getTerminator();
    U.Phi = Phi;
  }
  BasicBlock *Above = U.Arm->getSinglePredecessor();
  auto *Branch = Above ? dyn_cast<BranchInst>(Above->getTerminator()) : nullptr;
  U.Compare = Branch && Branch->isConditional() ? dyn_cast<CmpInst>(Branch->getCondition()) : nullptr;
  auto OfVariable = [&](Value *V) { return isa<Instruction>(V) && (Depends.contains(cast<Instruction>(V)) || isLoadOf(V, Store)); };
  if (!U.Compare || !Depends.contains(U.Compare) || OfVariable(U.New))
    return U;
  U.OwnFirst = OfVariable(U.Compare->getOperand(0));
  if (U.OwnFirst == OfVariable(U.Compare->getOperand(1)))
    return U;
  U.Other = U.Compare->getOperand(U.OwnFirst);
  U.Branch = Branch;
  return U;
}

// Is what 'V' was computed from in the branch's block still so at the branch?
bool isStill(Value *V, const BranchInst *Branch) {
  SmallPtrSet<Instruction *, 16> Tree;
  SmallVector<Value *, 8> Work{V};
  while (!Work.empty())
    if (auto *I = dyn_cast<Instruction>(withoutMark(Work.pop_back_val())); I && !isa<AllocaInst>(I) && Tree.insert(I).second) {
      if (I->getParent() != Branch->getParent() || isa<PHINode>(I))
        return false;
      append_range(Work, I->operands());
    }
  bool Begun = false;
  for (const Instruction &I : *Branch->getParent()) {
    Begun |= Tree.contains(&I);
    auto *Call = dyn_cast<CallInst>(&I);
    if (Begun && I.mayWriteToMemory() &&
        !(Call && (!markerName(Call).empty() || isa<DbgInfoIntrinsic>(Call) || Call->doesNotAccessMemory())))
      return false;
  }
  return true;
}

// Of 'x P m': is x taken if it is the greater one (or the less), and never if it is no number?
bool takes(CmpInst::Predicate P, bool Greatest, bool Unsigned) {
  switch (P) {
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE: return Greatest;
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE: return !Greatest;
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE: return Greatest && !Unsigned;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE: return Greatest && Unsigned;
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE: return !Greatest && !Unsigned;
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE: return !Greatest && Unsigned;
  default: return false;
  }
}

// m = fmax(m, x)
Instruction *extremeCall(StoreInst *Store, bool Greatest) {
  auto *Call = dyn_cast<CallInst>(Store->getValueOperand());
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !F->isDeclaration() || Call->arg_size() != 2 ||
      isLoadOf(Call->getArgOperand(0), Store) == isLoadOf(Call->getArgOperand(1), Store))
    return nullptr;
  StringRef Name = F->getName();
  const Intrinsic::ID Id = F->getIntrinsicID();
  bool Is = Greatest ? Name == "fmax" || Name == "fmaxf" || Id == Intrinsic::maxnum
                     : Name == "fmin" || Name == "fminf" || Id == Intrinsic::minnum;
  return Is ? Call : nullptr;
}

} // namespace

bool dvmir::isExtremeOf(StoreInst *Store, const SmallSetVector<Instruction *, 16> &Depends, bool Greatest, bool Unsigned,
                        SmallPtrSetImpl<Instruction *> &Used) {
  if (Instruction *Call = extremeCall(Store, Greatest)) {
    Value *Other = cast<CallInst>(Call)->getArgOperand(isLoadOf(cast<CallInst>(Call)->getArgOperand(0), Store));
    Used.insert(Call);
    return !isa<Instruction>(Other) || !Depends.contains(cast<Instruction>(Other));
  }
  GuardedUpdate U = findUpdate(Store, Depends);
  if (!U.Branch || !U.Compare->hasOneUse() || !isLoadOf(U.Compare->getOperand(!U.OwnFirst), Store) || !same(U.Other, U.New) ||
      !onlyComputes(U.Arm, U.End) || !isStill(U.Other, U.Branch))
    return false;
  CmpInst::Predicate P = U.Branch->getSuccessor(0) == U.Arm ? U.Compare->getPredicate() : U.Compare->getInversePredicate();
  Used.insert(U.Compare);
  if (U.Phi)
    Used.insert(U.Phi);
  return takes(U.OwnFirst ? CmpInst::getSwappedPredicate(P) : P, Greatest, Unsigned);
}

// Which operand of a floating sum is the one that it is added to; null: it is no sum.
static Value *augend(Instruction *I, function_ref<bool(Value *)> OfVariable) {
  auto *Call = dyn_cast<IntrinsicInst>(I);
  if (Call && (Call->getIntrinsicID() == Intrinsic::fmuladd || Call->getIntrinsicID() == Intrinsic::fma))
    return OfVariable(I->getOperand(0)) || OfVariable(I->getOperand(1)) ? nullptr : I->getOperand(2);
  if (I->getOpcode() != Instruction::FAdd && I->getOpcode() != Instruction::FSub)
    return nullptr;
  bool Second = I->getOpcode() == Instruction::FAdd && OfVariable(I->getOperand(1));
  return OfVariable(I->getOperand(!Second)) ? nullptr : I->getOperand(Second);
}

bool dvmir::isSumOf(StoreInst *Store, const SmallSetVector<Instruction *, 16> &Depends, SmallPtrSetImpl<Instruction *> &Used) {
  auto OfVariable = [&](Value *V) { return isa<Instruction>(V) && (Depends.contains(cast<Instruction>(V)) || isLoadOf(V, Store)); };
  Value *V = Store->getValueOperand();
  while (!isLoadOf(V, Store)) {
    auto *I = dyn_cast<Instruction>(V);
    V = I && Depends.contains(I) && I->hasOneUse() ? augend(I, OfVariable) : nullptr;
    if (!V)
      return false;
    Used.insert(I);
  }
  // It is the value that the variable has when it is stored.
  for (const Instruction *I = cast<Instruction>(V); I != Store; I = I->getNextNode())
    if (!I || (isa<StoreInst>(I) &&
               withoutMark(const_cast<Value *>(cast<StoreInst>(I)->getPointerOperand())) == withoutMark(Store->getPointerOperand())))
      return false;
  return true;
}

ReductionGuard dvmir::findGuard(const Construct &K, StoreInst *Store, const SmallSetVector<Instruction *, 16> &Depends) {
  ReductionGuard G;
  GuardedUpdate U = findUpdate(Store, Depends);
  if (!U.Branch || same(U.Other, U.New) || !onlyComputes(U.Arm, U.End))
    return G;
  G.Phi = U.Phi;
  G.New = Speculation(K, U.Branch, U.Arm, U.Other).of(U.New);
  if (!G.New)
    return G;
  G.Branch = U.Branch;
  G.Compare = U.Compare;
  G.WhenTrue = U.Branch->getSuccessor(0) == U.Arm;
  return G;
}

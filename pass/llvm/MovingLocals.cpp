#include "MovingLocals.h"
#include "Function.h"
#include "RowSums.h"
#include "Splits.h"
#include "pass/markers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace dvmir;

static constexpr int64_t MostOfStep = 1 << 24; // elements of a turn

namespace {
// A variable with one assignment in each turn, and the last one before the loop.
struct Moving {
  AllocaInst *A = nullptr;
  StoreInst *First = nullptr, *Step = nullptr;
  SmallVector<StoreInst *, 4> Others; // outside of the loop
  SmallVector<LoadInst *, 8> Reads;   // in the loop
  bool ReadBehind = false;
  Type *Element = nullptr; // null: a number
  int64_t By = 0;          // elements, or what a number gets more
};

class MovingLocals {
  const DominatorTree &DT;
  const SmallPtrSetImpl<const Value *> &Results;
  const Loop &L;
  Moving Counter;

  bool addAccess(Moving &M, Instruction *I) const;
  bool addUse(Moving &M, User *U) const;
  bool findFirst(Moving &M) const;
  bool findStep(Moving &M) const;
  std::optional<Moving> movingOf(AllocaInst *A) const;
  bool findCounter();
  bool begins(const Moving &M) const;
  bool isBefore(const Instruction *I, const StoreInst *Step) const;
  bool isOfStep(const Moving &M, const LoadInst *Read) const;
  bool isReadInTime(const Moving &M) const;
  bool fits(const Moving &M) const;
  Value *valueAt(const Moving &M, LoadInst *Read) const;
  void rewrite(const Moving &M);
  void forget(const Moving &M) const;

public:
  MovingLocals(const DominatorTree &Dom, const SmallPtrSetImpl<const Value *> &OfReductions, const Loop &Around)
      : DT(Dom), Results(OfReductions), L(Around) {}
  void run(ArrayRef<AllocaInst *> Locals);
};
} // namespace

// ---- What is done to it ----------------------------------------------------------------------------------------------------------

// A read of all of it, or an assignment.
bool MovingLocals::addAccess(Moving &M, Instruction *I) const {
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (L.contains(Load))
      M.Reads.push_back(Load);
    else
      M.ReadBehind = true;
    return Load->isSimple() && Load->getType() == M.A->getAllocatedType();
  }
  auto *Store = dyn_cast<StoreInst>(I);
  if (!Store || behindAll(Store->getPointerOperand()) != M.A || !Store->isSimple() ||
      Store->getValueOperand()->getType() != M.A->getAllocatedType())
    return false;
  if (L.contains(Store))
    return !M.Step && (M.Step = Store);
  M.Others.push_back(Store);
  return true;
}

bool MovingLocals::addUse(Moving &M, User *U) const {
  auto *I = dyn_cast<Instruction>(U);
  if (!I || I->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I))
    return I;
  if (markerName(I) == DVMM_ITER || markerName(I) == DVMM_LEAVE)
    return true;
  if (markerName(I) != DVMM_ACCESS)
    return addAccess(M, I);
  return all_of(I->users(), [&](User *By) { return addAccess(M, cast<Instruction>(By)); });
}

// The last one in the block before the loop, or the only one.
bool MovingLocals::findFirst(Moving &M) const {
  const BasicBlock *Before = L.getLoopPredecessor();
  for (StoreInst *Store : M.Others)
    if (Store->getParent() == Before && (!M.First || M.First->comesBefore(Store)))
      M.First = Store;
  if (!M.First && M.Others.size() == 1)
    M.First = M.Others.front();
  const Loop *Around = L.getParentLoop();
  return M.First && !copiedValue(M.First) && DT.dominates(M.First, L.getHeader()->getTerminator()) &&
         (!Around || Around->contains(M.First));
}

// The assignment in the loop adds a constant, once in each turn.
bool MovingLocals::findStep(Moving &M) const {
  auto *Next = dyn_cast<Instruction>(M.Step->getValueOperand());
  auto *Now = Next && Next->getNumOperands() == 2 ? dyn_cast<LoadInst>(Next->getOperand(0)) : nullptr;
  auto *By = Now ? dyn_cast<ConstantInt>(Next->getOperand(1)) : nullptr;
  if (!By || behindAll(Now->getPointerOperand()) != M.A || Now->getParent() != M.Step->getParent() || By->getBitWidth() > 64)
    return false;
  if (auto *GEP = dyn_cast<GetElementPtrInst>(Next))
    M.Element = GEP->getSourceElementType();
  else if (Next->getOpcode() != Instruction::Add || !Next->hasNoSignedWrap())
    return false;
  M.By = By->getSExtValue();
  return M.By && std::abs(M.By) <= MostOfStep && L.getLoopLatch() && DT.dominates(M.Step, L.getLoopLatch()->getTerminator()) &&
         none_of(L.getSubLoops(), [&](const Loop *Inner) { return Inner->contains(M.Step); });
}

std::optional<Moving> MovingLocals::movingOf(AllocaInst *A) const {
  Moving M;
  M.A = A;
  if (!all_of(A->users(), [&](User *U) { return addUse(M, U); }) || !M.Step || !findFirst(M) || !findStep(M))
    return std::nullopt;
  return M;
}

// What the header compares, and the latch steps.
bool MovingLocals::findCounter() {
  auto *Br = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
  auto *Cmp = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  if (!Cmp || L.getLoopLatch() == L.getHeader())
    return false;
  for (Value *V : Cmp->operands()) {
    auto *Wide = dyn_cast<SExtInst>(V);
    auto *Load = dyn_cast<LoadInst>(Wide ? Wide->getOperand(0) : V);
    auto *A = Load ? dyn_cast<AllocaInst>(behindAll(Load->getPointerOperand())) : nullptr;
    auto Found = A && A->isStaticAlloca() && A->getAllocatedType()->isIntegerTy() ? movingOf(A) : std::nullopt;
    if (!Found || Found->Step->getParent() != L.getLoopLatch())
      continue;
    Counter = *Found;
    return true;
  }
  return false;
}

// ---- May it be rewritten? --------------------------------------------------------------------------------------------------------

// It lives no longer than a turn of the loop around: a variable that iterations share is told by what is done to it.
bool MovingLocals::begins(const Moving &M) const {
  bool Lives = false;
  for (User *U : M.A->users()) {
    auto *Life = dyn_cast<IntrinsicInst>(U);
    if (!Life || Life->getIntrinsicID() != Intrinsic::lifetime_start)
      continue;
    if (L.contains(Life) || !DT.dominates(Life, M.First) || (L.getParentLoop() && !L.getParentLoop()->contains(Life)))
      return false;
    Lives = true;
  }
  return Lives;
}

bool MovingLocals::isBefore(const Instruction *I, const StoreInst *Step) const {
  SmallPtrSet<BasicBlock *, 1> Again{L.getHeader()};
  return DT.dominates(I, Step) || !isPotentiallyReachable(Step, I, &Again, &DT);
}

bool MovingLocals::isOfStep(const Moving &M, const LoadInst *Read) const {
  return all_of(Read->users(), [&](const User *U) { return U == M.Step->getValueOperand(); });
}

// Before it moves or behind that, and before the counter does.
bool MovingLocals::isReadInTime(const Moving &M) const {
  return all_of(M.Reads, [&](const LoadInst *Read) {
    return Read->getParent() == L.getLoopLatch() ? isOfStep(M, Read) : isBefore(Read, M.Step) || DT.dominates(M.Step, Read);
  });
}

// Sums of numbers in which nothing wraps that did not before.
bool MovingLocals::fits(const Moving &M) const {
  static constexpr int64_t Most = 1 << 30;
  auto *From = dyn_cast<ConstantInt>(Counter.First->getValueOperand()), *First = dyn_cast<ConstantInt>(M.First->getValueOperand());
  if (M.By % Counter.By != 0)
    return false;
  if (M.Element)
    return true;
  if (!From || Counter.By < 0 || M.A->getAllocatedType() != Counter.A->getAllocatedType())
    return false;
  return From->isZero() ||
         (First && From->getSExtValue() > 0 && From->getSExtValue() < Most / std::abs(M.By) && std::abs(First->getSExtValue()) < Most);
}

// ---- Rewritten -------------------------------------------------------------------------------------------------------------------

// What it began with is told apart from what the counter has added: constants in both belong together.
Value *MovingLocals::valueAt(const Moving &M, LoadInst *Read) const {
  IRBuilder<> B(Read);
  Type *T = M.Element ? B.getInt64Ty() : M.A->getAllocatedType();
  const int64_t Factor = M.By / Counter.By;
  auto Distance = [&](Value *Counted) { return B.CreateNSWMul(B.CreateSExt(Counted, T), ConstantInt::getSigned(T, Factor)); };
  Value *First = M.First->getValueOperand(), *Way = Distance(B.CreateLoad(Counter.A->getAllocatedType(), Counter.A));
  Value *Back =
      B.CreateNSWSub(ConstantInt::getSigned(T, DT.dominates(M.Step, Read) ? M.By : 0), Distance(Counter.First->getValueOperand()));
  return M.Element ? B.CreateGEP(M.Element, B.CreateGEP(M.Element, First, Back), Way) : B.CreateNSWAdd(B.CreateNSWAdd(First, Back), Way);
}

static void dropMark(Value *P) {
  if (auto *Mark = dyn_cast<CallInst>(P); Mark && Mark->use_empty())
    Mark->eraseFromParent();
}

// What is read in the loop; the variable goes on having its values for who reads it behind, and for debuggers.
void MovingLocals::rewrite(const Moving &M) {
  for (LoadInst *Read : M.Reads) {
    if (isOfStep(M, Read))
      continue;
    Value *Mark = Read->getPointerOperand();
    Read->replaceAllUsesWith(valueAt(M, Read));
    Read->eraseFromParent();
    dropMark(Mark);
  }
  if (!M.ReadBehind && isa<AllocaInst>(rootOf(M.First->getValueOperand())))
    forget(M);
}

// A variable whose address it holds would be taken for one that others reach.
void MovingLocals::forget(const Moving &M) const {
  for (DbgDeclareInst *Declared : findDbgDeclares(M.A))
    Declared->eraseFromParent();
  for (DbgVariableRecord *Declared : findDVRDeclares(M.A))
    Declared->eraseFromParent();
  auto *Next = cast<Instruction>(M.Step->getValueOperand());
  for (StoreInst *Store : {M.Step, M.First}) {
    Value *Mark = Store->getPointerOperand();
    Store->eraseFromParent();
    dropMark(Mark);
  }
  RecursivelyDeleteTriviallyDeadInstructions(Next);
}

void MovingLocals::run(ArrayRef<AllocaInst *> Locals) {
  if (!findCounter())
    return;
  for (AllocaInst *A : Locals) {
    Type *T = A->getAllocatedType();
    auto M = A != Counter.A && (T->isIntegerTy() || T->isPointerTy()) ? movingOf(A) : std::nullopt;
    if (M && begins(*M) && fits(*M) && isReadInTime(*M) && !Results.contains(rootOf(M->First->getValueOperand())))
      rewrite(*M);
  }
}

void dvmir::countMovingLocals(Function &F, const DominatorTree &DT, const SmallPtrSetImpl<const Value *> &Results) {
  SmallVector<AllocaInst *, 16> Locals;
  if (F.callsFunctionThatReturnsTwice())
    return;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      Locals.push_back(A);
  LoopInfo LI(DT);
  ReversePostOrderTraversal<const Function *> Order(&F);
  if (containsIrreducibleCFG<const BasicBlock *>(Order, LI)) // a loop may begin again without what it began with
    return;
  for (const Loop *L : LI.getLoopsInPreorder())
    MovingLocals(DT, Results, *L).run(Locals);
}

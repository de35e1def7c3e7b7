// flang counts the turns of a DO loop in a register, and stores the variable at the beginning of its body:
//   header: v = phi [init], [v']; n = phi [count], [n - 1]; if (n > 0) { i = v; ..; v' = i + step; } else i = v;
// becomes
//   i = init; last = init + (count - 1) * step; header: if (i <= last) { ..; latch: i = i + step; }
// A variable that ends beyond the largest number of its type would never end so: no loop that is executed in parallel can.
// Other loops may, and keep their count, in a variable of its own:
//   i = init; n = count; header: if (n > 0) { ..; latch: i = i + step; n = n - 1; }
#include "CountedLoops.h"
#include "Function.h"
#include "pass/markers.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

namespace {
struct Counted {
  BasicBlock *Before, *Header, *Latch, *Body;
  PHINode *Value = nullptr, *Count = nullptr;
  BinaryOperator *Next = nullptr, *Less = nullptr;
  ICmpInst *Test = nullptr;
  StoreInst *Store = nullptr; // at the beginning of the body
  LoadInst *Load = nullptr;   // in the latch
  ConstantInt *Step = nullptr;

  bool match(Loop &L);
  bool isShort() const;
  void compareVariable();
  void keepCount();

private:
  bool phis();
  Instruction *step();
  void dropPhis();
};
} // namespace

bool Counted::phis() {
  for (PHINode &P : Header->phis()) {
    auto *By = dyn_cast<BinaryOperator>(P.getIncomingValueForBlock(Latch));
    auto *N = By ? dyn_cast<ConstantInt>(By->getOperand(1)) : nullptr;
    if (!N)
      return false;
    if (By->getOpcode() == Instruction::Sub && By->getOperand(0) == &P && N->isOne() && By->hasOneUse() && !Count) {
      Count = &P;
      Less = By;
    } else if (By->getOpcode() == Instruction::Add && isa<LoadInst>(By->getOperand(0)) && By->hasOneUse() && !Value) {
      Value = &P;
      Next = By;
      Load = cast<LoadInst>(By->getOperand(0));
      Step = N;
    } else {
      return false;
    }
  }
  return Value && Count && !Step->isZero() && Count->getType()->isIntegerTy(64);
}

bool Counted::match(Loop &L) {
  Before = L.getLoopPredecessor();
  Header = L.getHeader();
  Latch = L.getLoopLatch();
  if (!Before || !Latch || Latch == Header || !phis())
    return false;
  auto *Br = dyn_cast<BranchInst>(Header->getTerminator());
  Test = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  auto *Zero = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
  if (!Zero || !Zero->isZero() || Test->getPredicate() != CmpInst::ICMP_SGT || Test->getOperand(0) != Count || !Test->hasOneUse() ||
      !Count->hasNUses(2) || !L.contains(Br->getSuccessor(0)) || L.contains(Br->getSuccessor(1)))
    return false;
  Body = Br->getSuccessor(0);
  for (User *U : Value->users()) { // the store, and those behind the loop
    auto *S = dyn_cast<StoreInst>(U);
    if (!S || S->getValueOperand() != Value || S->getPointerOperand() != Load->getPointerOperand())
      return false;
    if (S->getParent() == Body)
      Store = S;
    else if (L.contains(S))
      return false;
  }
  auto *P = dyn_cast<Instruction>(Load->getPointerOperand());
  return Store && Body->getSinglePredecessor() == Header && Load->getParent() == Latch && Load->hasOneUse() &&
         Load->getType() == Value->getType() && (!P || isa<AllocaInst>(P));
}

// What the count is computed from does not wrap: it is the user's own arithmetic on integers.
static void noWrap(llvm::Value *V, int Depth) {
  auto *B = dyn_cast<BinaryOperator>(V);
  if (isa<CastInst>(V))
    return noWrap(cast<CastInst>(V)->getOperand(0), Depth);
  if (!B || Depth > 8)
    return;
  if (B->getOpcode() == Instruction::Add || B->getOpcode() == Instruction::Sub || B->getOpcode() == Instruction::Mul) {
    B->setHasNoSignedWrap();
    noWrap(B->getOperand(0), Depth + 1);
    noWrap(B->getOperand(1), Depth + 1);
  }
}

// The latch stores the variable instead; more of it goes before what is given back.
Instruction *Counted::step() {
  Instruction *End = SplitBlock(Latch, Load)->getTerminator();
  IRBuilder<>(End).CreateStore(Next, Store->getPointerOperand());
  return End;
}

void Counted::dropPhis() {
  for (User *U : make_early_inc_range(Value->users()))
    cast<Instruction>(U)->eraseFromParent();
  Test->eraseFromParent();
  Value->eraseFromParent();
  Count->replaceAllUsesWith(PoisonValue::get(Count->getType()));
  Count->eraseFromParent();
  Less->eraseFromParent();
}

void Counted::compareVariable() {
  IRBuilder<> B(Before->getTerminator());
  llvm::Value *Init = Value->getIncomingValueForBlock(Before), *N = Count->getIncomingValueForBlock(Before),
              *P = Store->getPointerOperand();
  Type *I64 = B.getInt64Ty();
  noWrap(N, 0);
  const int64_t By = Step->getSExtValue();
  llvm::Value *Turns = B.CreateNSWSub(N, B.getInt64(1));
  llvm::Value *Last = B.CreateNSWAdd(B.CreateSExt(Init, I64), By == 1 ? Turns : B.CreateNSWMul(Turns, B.getInt64(By)));
  B.CreateStore(Init, P);
  IRBuilder<> H(Test);
  llvm::Value *Now = H.CreateSExt(H.CreateLoad(Value->getType(), P), I64);
  Test->replaceAllUsesWith(By > 0 ? H.CreateICmpSLE(Now, Last) : H.CreateICmpSGE(Now, Last));
  Next->setHasNoSignedWrap();
  step();
  dropPhis();
}

void Counted::keepCount() {
  Type *I64 = Count->getType();
  AllocaInst *Left = IRBuilder<>(&*Header->getParent()->getEntryBlock().begin()).CreateAlloca(I64, nullptr, "dvm.count");
  IRBuilder<> B(Before->getTerminator());
  B.CreateStore(Value->getIncomingValueForBlock(Before), Store->getPointerOperand());
  B.CreateStore(Count->getIncomingValueForBlock(Before), Left);
  IRBuilder<> H(Test);
  Test->replaceAllUsesWith(H.CreateICmpSGT(H.CreateLoad(I64, Left), H.getInt64(0)));
  IRBuilder<> Behind(step());
  Behind.CreateStore(Behind.CreateSub(Behind.CreateLoad(I64, Left), Behind.getInt64(1)), Left);
  dropPhis();
}

static bool holdsIterations(const Loop &L, ArrayRef<Instruction *> Iters) {
  return any_of(Iters, [&](Instruction *I) { return L.contains(I); });
}

// The optimiser makes a row of statements of a loop of few turns.
static constexpr uint64_t LeastTurns = 8;

bool Counted::isShort() const {
  auto *N = dyn_cast<ConstantInt>(Count->getIncomingValueForBlock(Before));
  return N && N->getValue().slt(LeastTurns);
}

// Is it a loop of a nest, or in the body of one?
static bool isOfNest(const Loop &L, const LoopInfo &LI, ArrayRef<Instruction *> Iters) {
  bool Inside = holdsIterations(L, Iters);
  for (Loop *Outer = L.getParentLoop(); Outer && !Inside; Outer = Outer->getParentLoop())
    Inside = any_of(Iters, [&](Instruction *I) { return LI.getLoopFor(I->getParent()) == Outer; });
  return Inside;
}

void dvmir::rewriteCountedLoops(Function &F) {
  SmallVector<Instruction *, 4> Iters;
  for (Instruction &I : instructions(F))
    if (markerName(&I) == DVMM_ITER)
      Iters.push_back(&I);
  if (Iters.empty() && F.hasOptNone())
    return;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  SmallVector<std::pair<Counted, bool>, 8> Found;
  for (Loop *L : LI.getLoopsInPreorder()) {
    const bool OfNest = isOfNest(*L, LI, Iters);
    Counted C;
    if ((OfNest || (L->isInnermost() && !F.hasOptNone())) && C.match(*L) && (OfNest || !C.isShort()))
      Found.push_back({C, OfNest});
  }
  for (auto &[C, OfNest] : Found)
    OfNest ? C.compareVariable() : C.keepCount();
}

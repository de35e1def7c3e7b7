#include "LoopForms.h"
#include "Linear.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dvmir;

static constexpr int64_t MaxStep = 1 << 24; // bytes or elements a turn: times the turns it fits 64 bits

LoopForms::LoopForms(FunctionState &State, Construct &Nest, Loop &Loop, DominatorTree &Dom, BasicBlock *Ask)
    : L(Loop), DT(Dom), B(Ask), S(State), K(Nest) {
  if (DISubprogram *SP = S.F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(S.RT.C, SP->getScopeLine(), 0, SP));
}

bool LoopForms::run() {
  if (!shape())
    return false;
  noteStores();
  return counts();
}

bool LoopForms::shape() {
  Before = L.getLoopPredecessor();
  Header = L.getHeader();
  Latch = L.getLoopLatch();
  Exit = L.getExitBlock();
  return L.isInnermost() && Before && Latch && Latch != Header && Exit && L.getExitingBlock() == Header &&
         isa<BranchInst>(Before->getTerminator()) && !isa<PHINode>(Header->front()) && !isa<PHINode>(Latch->front()) &&
         !isa<PHINode>(Exit->front());
}

// ---- What the loop writes ----

Value *dvmir::pointerRoot(Value *P) {
  for (;;) {
    P = behindMarks(P);
    auto *GEP = dyn_cast<GEPOperator>(P);
    if (!GEP)
      return P;
    P = GEP->getPointerOperand();
  }
}

void LoopForms::noteStores() {
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        if (auto *A = dyn_cast<AllocaInst>(pointerRoot(Store->getPointerOperand())))
          Stores[A].push_back(Store);
  for (const Access &A : S.Accesses)
    if (A.Text.Writes && !A.Var && !A.Text.Use && L.contains(A.Mark->getParent()))
      WritesData = true;
}

ArrayRef<StoreInst *> LoopForms::storesTo(AllocaInst *A) const {
  auto It = Stores.find(A);
  return It == Stores.end() ? ArrayRef<StoreInst *>() : ArrayRef<StoreInst *>(It->second);
}

// Whether nothing in the loop writes what 'P' points to.
bool LoopForms::unchanged(Value *P) const {
  if (auto *G = dyn_cast<GlobalVariable>(P)) {
    if (G->isThreadLocal() || (WritesData && !G->isConstant()))
      return false;
    return !K.Enter || !is_contained(markerArguments(K.Enter), P); // else a reduction variable, or an array
  }
  auto *A = dyn_cast<AllocaInst>(P);
  Variable *V = A && A->isStaticAlloca() ? S.VariableOf.lookup(A) : nullptr;
  return V && !V->Escapes && storesTo(A).empty();
}

// ---- The same in all turns ----

Value *LoopForms::hoist(Value *V) {
  V = behindMarks(V);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return V;
  auto [It, Fresh] = Hoisted.insert({I, nullptr});
  if (!Fresh)
    return It->second;
  Value *Early = hoistInstruction(I);
  return Hoisted[I] = Early;
}

Value *LoopForms::hoistInstruction(Instruction *I) {
  Instruction *New = earlyClone(I, S.RT.DL, [&](Value *P) { return unchanged(P); }, [&](Value *V) { return hoist(V); });
  if (!New)
    return nullptr;
  B.Insert(New);
  New->setDebugLoc(B.getCurrentDebugLocation());
  return New;
}

// ---- The counter ----

static Value *withoutExtension(Value *V) {
  auto *Cast = dyn_cast<CastInst>(V);
  return Cast && isa<SExtInst, ZExtInst>(Cast) ? Cast->getOperand(0) : V;
}

// A load of it; it is found by this.
bool LoopForms::isCounter(Value *V) {
  auto *Load = dyn_cast<LoadInst>(withoutExtension(V));
  auto *A = Load && Load->isSimple() ? dyn_cast<AllocaInst>(behindMarks(Load->getPointerOperand())) : nullptr;
  if (!A || A->getAllocatedType() != Load->getType() || (Counter && A != Counter))
    return false;
  Counter = A;
  return true;
}

// Its only store is the one in the latch, which adds a constant.
bool LoopForms::steps() {
  Variable *V = S.VariableOf.lookup(Counter);
  auto Mine = storesTo(Counter);
  if (!V || V->Escapes || !Counter->isStaticAlloca() || Mine.size() != 1 || Mine[0]->getParent() != Latch || !Mine[0]->isSimple())
    return false;
  auto *Next = dyn_cast<BinaryOperator>(Mine[0]->getValueOperand());
  auto *By = Next ? dyn_cast<ConstantInt>(Next->getOperand(1)) : nullptr;
  if (!By || !isa<LoadInst>(Next->getOperand(0)) || !isCounter(Next->getOperand(0)) || Next->getType() != Counter->getAllocatedType())
    return false;
  Step = By->getSExtValue();
  if (Next->getOpcode() == Instruction::Sub)
    Step = -Step;
  else if (Next->getOpcode() != Instruction::Add)
    return false;
  return Step && std::abs(Step) < MaxStep;
}

bool LoopForms::counts() {
  auto *Br = dyn_cast<BranchInst>(Header->getTerminator());
  auto *Cmp = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  if (!Cmp || Cmp->getParent() != Header)
    return false;
  CmpInst::Predicate P = Cmp->getPredicate();
  Value *Bound = Cmp->getOperand(1);
  if (!isCounter(Cmp->getOperand(0)) || !steps()) {
    Counter = nullptr;
    Bound = Cmp->getOperand(0);
    P = CmpInst::getSwappedPredicate(P);
    if (!isCounter(Cmp->getOperand(1)) || !steps())
      return false;
  }
  if (!L.contains(Br->getSuccessor(0)))
    P = CmpInst::getInversePredicate(P);
  bool Up = P == CmpInst::ICMP_SLT || P == CmpInst::ICMP_ULT || P == CmpInst::ICMP_SLE || P == CmpInst::ICMP_ULE;
  if (CmpInst::isEquality(P) || Up != (Step > 0))
    return false;
  Signed = CmpInst::isSigned(P);
  // Of a narrow counter, what it is widened to must be what it counts.
  if (auto *Cast = dyn_cast<CastInst>(Cmp->getOperand(0)); Cast && withoutExtension(Cast) != Cast)
    Signed = isa<SExtInst>(Cast);
  Value *Last = hoist(Bound);
  if (!Last || Last->getType()->getIntegerBitWidth() > 64)
    return false;
  countTurns(P, Last);
  return true;
}

// turns = max(0, (bound - start + (step - 1)) / step), in 64 bits, of numbers that do not come near their ends.
void LoopForms::countTurns(CmpInst::Predicate P, Value *Bound) {
  Type *I64 = S.RT.I64;
  auto Wide = [&](Value *V, bool Sign) { return Sign ? B.CreateSExt(V, I64) : B.CreateZExt(V, I64); };
  Start = Wide(B.CreateLoad(Counter->getAllocatedType(), Counter), Signed);
  Value *End = Wide(Bound, CmpInst::isSigned(P));
  bool Inclusive = P == CmpInst::ICMP_SLE || P == CmpInst::ICMP_ULE || P == CmpInst::ICMP_SGE || P == CmpInst::ICMP_UGE;
  Value *Way = Step > 0 ? B.CreateSub(End, Start) : B.CreateSub(Start, End);
  if (Inclusive)
    Way = B.CreateAdd(Way, B.getInt64(1));
  Value *Some = B.CreateICmpSGT(Way, B.getInt64(0));
  int64_t By = std::abs(Step);
  Turns = By == 1 ? Way : B.CreateUDiv(B.CreateAdd(Way, B.getInt64(By - 1)), B.getInt64(By));
  Turns = B.CreateSelect(Some, Turns, B.getInt64(0));
  // No value on the way may be one that the counter cannot have, or that a comparison takes for another.
  unsigned Bits = std::min(32u, Counter->getAllocatedType()->getIntegerBitWidth());
  int64_t Low = Signed ? -(int64_t(1) << (Bits - 1)) : 0, High = Low + (int64_t(1) << Bits) - 1;
  auto Between = [&](Value *V, int64_t From, int64_t To) {
    return B.CreateICmpULE(B.CreateSub(V, B.getInt64(From)), B.getInt64(To - From));
  };
  Sane = B.CreateAnd(Between(Start, Low, High), Between(B.CreateAdd(End, B.getInt64(Step)), Low, High));
  if (!CmpInst::isSigned(P))
    for (Value *V : {Start, End})
      Sane = B.CreateAnd(Sane, Between(V, 0, High));
}

// ---- Forms ----

static bool small(int64_t Step) { return Step > -MaxStep && Step < MaxStep; }

std::optional<LoopForms::Form> LoopForms::sum(Form X, Form Y, int64_t Factor) {
  int64_t More;
  if (MulOverflow(Y.Step, Factor, More) || !small(More) || !small(X.Step + More))
    return std::nullopt;
  Value *Scaled = Factor == 1 ? Y.First : B.CreateMul(Y.First, B.getInt64(Factor));
  return Form{B.CreateAdd(X.First, Scaled), X.Step + More};
}

std::optional<LoopForms::Form> LoopForms::of(Value *V) {
  V = behindMarks(V);
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (auto *C = dyn_cast<ConstantInt>(V))
    return Form{B.getInt64(C->getSExtValue()), 0};
  if (Value *Early = hoist(V))
    return Form{B.CreateSExt(Early, S.RT.I64), 0};
  if (auto *Load = dyn_cast<LoadInst>(V))
    return isCounter(Load) ? std::optional(Form{Start, Step}) : std::nullopt;
  if (auto *Binary = dyn_cast<BinaryOperator>(V))
    return ofBinary(Binary);
  // A sum of 32 bits that does not wrap is the same sum in 64.
  if (auto *Extended = dyn_cast<SExtInst>(V))
    return Signed || !isa<LoadInst>(behindMarks(Extended->getOperand(0))) ? of(Extended->getOperand(0)) : std::nullopt;
  if (auto *Extended = dyn_cast<ZExtInst>(V); Extended && isa<LoadInst>(behindMarks(Extended->getOperand(0))) && !Signed)
    return of(Extended->getOperand(0));
  return std::nullopt;
}

std::optional<LoopForms::Form> LoopForms::ofBinary(BinaryOperator *Binary) {
  unsigned Op = Binary->getOpcode();
  if (Op != Instruction::Add && Op != Instruction::Sub && Op != Instruction::Mul)
    return std::nullopt;
  if (Binary->getType()->getIntegerBitWidth() < 64 && !Binary->hasNoSignedWrap())
    return std::nullopt;
  auto X = of(Binary->getOperand(0)), Y = of(Binary->getOperand(1));
  if (!X || !Y)
    return std::nullopt;
  if (Op != Instruction::Mul)
    return sum(*X, *Y, Op == Instruction::Sub ? -1 : 1);
  if (!isa<ConstantInt>(Y->First) || Y->Step)
    std::swap(X, Y);
  auto *Factor = dyn_cast<ConstantInt>(Y->First);
  if (!Factor || Y->Step)
    return std::nullopt;
  return sum({B.getInt64(0), 0}, *X, Factor->getSExtValue());
}

std::optional<LoopForms::Form> LoopForms::address(Value *P) {
  Form R{B.getInt64(0), 0};
  P = behindMarks(P);
  for (auto *GEP = dyn_cast<GEPOperator>(P); GEP; GEP = dyn_cast<GEPOperator>(P)) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(S.RT.DL, 64, Scaled, Offset))
      return std::nullopt;
    R.First = B.CreateAdd(R.First, B.getInt64(Offset.getSExtValue()));
    for (auto &[Index, Factor] : Scaled) {
      auto X = of(Index);
      auto More = X ? sum(R, *X, Factor.getSExtValue()) : std::nullopt;
      if (!More)
        return std::nullopt;
      R = *More;
    }
    P = behindMarks(GEP->getPointerOperand());
  }
  Value *Base = hoist(P);
  if (!Base)
    return std::nullopt;
  R.First = B.CreateAdd(R.First, B.CreatePtrToInt(Base, S.RT.I64));
  return R;
}

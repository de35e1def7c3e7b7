#include "LoopForms.h"
#include "Descriptors.h"
#include "Linear.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

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
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        Value *Root = pointerRoot(Store->getPointerOperand());
        Written.insert(Root);
        if (auto *A = dyn_cast<AllocaInst>(Root))
          Stores[A].push_back(Store);
      }
  for (const Access &A : S.Accesses)
    if (A.Text.Writes && !A.Var && !A.Text.Use && L.contains(A.Mark->getParent()))
      WritesData = true;
}

ArrayRef<StoreInst *> LoopForms::storesTo(AllocaInst *A) const {
  auto It = Stores.find(A);
  return It == Stores.end() ? ArrayRef<StoreInst *>() : ArrayRef<StoreInst *>(It->second);
}

// Then what the function assigns to has no other name in it.
static bool isFortran(const FunctionState &S) {
  return !S.Accesses.empty() && !siteLine(markerText(S.Accesses[0].Mark->getArgOperand(2)), DVMRT_ANY_LANGUAGE).empty();
}

// Whether nothing in the loop writes what 'P' points to.
bool LoopForms::unchanged(Value *P) const {
  if (isa<Argument>(P))
    return !Written.contains(P) && isFortran(S);
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
  auto *Load = dyn_cast<LoadInst>(I);
  if (Value *Known = Load && Load->isSimple() ? Loaded.lookup(behindMarks(Load->getPointerOperand())) : nullptr;
      Known && Known->getType() == Load->getType())
    return Known;
  Instruction *New = earlyClone(I, S.RT.DL, [&](Value *P) { return unchanged(P); }, [&](Value *V) { return hoist(V); });
  if (!New)
    return nullptr;
  B.Insert(New);
  New->setDebugLoc(B.getCurrentDebugLocation());
  if (Load) {
    Loaded[behindMarks(Load->getPointerOperand())] = New;
    readIfPresent(*cast<LoadInst>(New));
  }
  return New;
}

// ---- The counter ----

static Value *withoutExtension(Value *V) {
  auto *Cast = dyn_cast<CastInst>(V);
  return Cast && isa<SExtInst, ZExtInst>(Cast) ? Cast->getOperand(0) : V;
}

// The variable that a load reads, if it reads all of it.
static AllocaInst *variableOf(LoadInst *Load) {
  auto *A = Load && Load->isSimple() ? dyn_cast<AllocaInst>(behindMarks(Load->getPointerOperand())) : nullptr;
  return A && A->getAllocatedType() == Load->getType() ? A : nullptr;
}

// A load of it; it is found by this.
bool LoopForms::isCounter(Value *V) {
  AllocaInst *A = variableOf(dyn_cast<LoadInst>(withoutExtension(V)));
  if (!A || (Counter && A != Counter))
    return false;
  Counter = A;
  return true;
}

// What each turn adds to a variable whose only store is the one in the latch; 0: it is none.
int64_t LoopForms::stepOf(AllocaInst *A) const {
  Variable *V = S.VariableOf.lookup(A);
  auto Mine = storesTo(A);
  if (!V || V->Escapes || !A->isStaticAlloca() || Mine.size() != 1 || Mine[0]->getParent() != Latch || !Mine[0]->isSimple())
    return 0;
  auto *Next = dyn_cast<BinaryOperator>(Mine[0]->getValueOperand());
  auto *By = Next ? dyn_cast<ConstantInt>(Next->getOperand(1)) : nullptr;
  auto *Now = By ? dyn_cast<LoadInst>(Next->getOperand(0)) : nullptr;
  if (!Now || variableOf(Now) != A || By->getBitWidth() > 64)
    return 0;
  const int64_t Add = By->getSExtValue();
  if (Add <= -MaxStep || Add >= MaxStep || (Next->getOpcode() != Instruction::Add && Next->getOpcode() != Instruction::Sub))
    return 0;
  return Next->getOpcode() == Instruction::Sub ? -Add : Add;
}

bool LoopForms::counts() {
  auto *Br = dyn_cast<BranchInst>(Header->getTerminator());
  auto *Cmp = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  if (!Cmp || Cmp->getParent() != Header)
    return false;
  CmpInst::Predicate P = Cmp->getPredicate();
  Value *Bound = Cmp->getOperand(1);
  if (!isCounter(Cmp->getOperand(0)) || !(Step = stepOf(Counter))) {
    Counter = nullptr;
    Bound = Cmp->getOperand(0);
    P = CmpInst::getSwappedPredicate(P);
    if (!isCounter(Cmp->getOperand(1)) || !(Step = stepOf(Counter)))
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
  Value *From = Wide(B.CreateLoad(Counter->getAllocatedType(), Counter), Signed);
  Start = term(From);
  Value *End = Wide(Bound, CmpInst::isSigned(P));
  bool Inclusive = P == CmpInst::ICMP_SLE || P == CmpInst::ICMP_ULE || P == CmpInst::ICMP_SGE || P == CmpInst::ICMP_UGE;
  Value *Way = Step > 0 ? B.CreateSub(End, From) : B.CreateSub(From, End);
  if (Inclusive)
    Way = B.CreateAdd(Way, B.getInt64(1));
  Value *Some = B.CreateICmpSGT(Way, B.getInt64(0));
  int64_t By = std::abs(Step);
  Turns = By == 1 ? Way : B.CreateUDiv(B.CreateAdd(Way, B.getInt64(By - 1)), B.getInt64(By));
  Turns = B.CreateSelect(Some, Turns, B.getInt64(0));
  // No value on the way may be one that the counter cannot have, or that a comparison takes for another.
  unsigned Bits = std::min(32u, Counter->getAllocatedType()->getIntegerBitWidth());
  int64_t Low = Signed ? -(int64_t(1) << (Bits - 1)) : 0, High = Low + (int64_t(1) << Bits) - 1;
  Sane = B.CreateAnd(between(From, Low, High), between(B.CreateAdd(End, B.getInt64(Step)), Low, High));
  if (!CmpInst::isSigned(P))
    for (Value *V : {From, End})
      Sane = B.CreateAnd(Sane, between(V, 0, High));
}

Value *LoopForms::between(Value *V, int64_t From, int64_t To) {
  return B.CreateICmpULE(B.CreateSub(V, B.getInt64(From)), B.getInt64(To - From));
}

// ---- Forms ----

static bool small(int64_t Step) { return Step > -MaxStep && Step < MaxStep; }

// Of a value before the loop.
LoopForms::Form LoopForms::term(Value *V) {
  Form F;
  if (auto *C = dyn_cast<ConstantInt>(V)) {
    F.Add = C->getSExtValue();
    return F;
  }
  auto [It, Fresh] = TermOf.try_emplace(V, Values.size());
  if (Fresh)
    Values.push_back(V->getType()->isPointerTy() ? B.CreatePtrToInt(V, S.RT.I64) : B.CreateSExt(V, S.RT.I64));
  F.Terms.push_back({It->second, 1});
  return F;
}

LoopForms::Form LoopForms::held(AllocaInst *A) {
  Value *&Known = Loaded[A];
  if (!Known)
    Known = S.load(B, A);
  return term(Known);
}

Value *LoopForms::first(IRBuilderBase &At, const Form &F) const {
  Value *Sum = At.getInt64(F.Add);
  for (auto [Number, Factor] : F.Terms)
    Sum = At.CreateAdd(Factor == 1 ? Values[Number] : At.CreateMul(Values[Number], At.getInt64(Factor)), Sum);
  return Sum;
}

std::optional<LoopForms::Form> LoopForms::sum(Form X, const Form &Y, int64_t Factor) const {
  auto Add = [&](int64_t &To, int64_t More) {
    int64_t Scaled;
    return !MulOverflow(More, Factor, Scaled) && !AddOverflow(To, Scaled, To);
  };
  if (!Add(X.Add, Y.Add) || !Add(X.Step, Y.Step) || !small(X.Step))
    return std::nullopt;
  for (auto [Number, More] : Y.Terms) {
    auto *At = lower_bound(X.Terms, std::pair<unsigned, int64_t>(Number, INT64_MIN));
    if (At == X.Terms.end() || At->first != Number)
      At = X.Terms.insert(At, {Number, 0});
    if (!Add(At->second, More))
      return std::nullopt;
    if (!At->second)
      X.Terms.erase(At);
  }
  return X;
}

std::optional<LoopForms::Form> LoopForms::of(Value *V) {
  V = behindMarks(V);
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (auto Moves = moving(V))
    return Moves;
  Value *Early = hoist(V);
  return Early ? std::optional(term(Early)) : std::nullopt;
}

// By what it is computed from, so that the same terms are found for what lies beside each other.
std::optional<LoopForms::Form> LoopForms::moving(Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(Load);
  if (auto *Binary = dyn_cast<BinaryOperator>(V))
    return ofBinary(Binary);
  // A sum of 32 bits that does not wrap is the same sum in 64.
  if (auto *Extended = dyn_cast<SExtInst>(V))
    return Signed || !isa<LoadInst>(behindMarks(Extended->getOperand(0))) ? of(Extended->getOperand(0)) : std::nullopt;
  if (auto *Extended = dyn_cast<ZExtInst>(V); Extended && isCounter(behindMarks(Extended->getOperand(0))) && !Signed)
    return of(Extended->getOperand(0));
  return std::nullopt;
}

// Of another variable that steps: a signed number, which does not come near its ends.
std::optional<LoopForms::Form> LoopForms::ofLoad(LoadInst *Load) {
  if (isCounter(Load)) {
    Form F = Start;
    F.Step = Step;
    return F;
  }
  AllocaInst *A = variableOf(Load);
  const int64_t By = A ? stepOf(A) : 0;
  if (!By || Load->getParent() == Latch)
    return std::nullopt;
  auto [It, Fresh] = Moving.try_emplace(A);
  if (Fresh) {
    const int64_t Half = int64_t(1) << (std::min(32u, Load->getType()->getIntegerBitWidth()) - 1);
    It->second = term(B.CreateLoad(Load->getType(), A));
    It->second.Step = By;
    Value *First = first(B, It->second), *Last = B.CreateAdd(First, B.CreateMul(Turns, B.getInt64(By)));
    Sane = B.CreateAnd(Sane, B.CreateAnd(between(First, -Half, Half - 1), between(Last, -Half, Half - 1)));
  }
  return It->second;
}

// flang writes '(subscript - lower) * stride'.
std::optional<LoopForms::Form> LoopForms::ofStride(Value *Subscript, Value *Stride) {
  LoadInst *Load = Bytes ? firstStride(Stride) : nullptr;
  auto X = Load ? of(Subscript) : std::nullopt;
  Value *Early = X && X->Step ? hoist(Load) : nullptr;
  if (!Early)
    return std::nullopt;
  if (Strides.try_emplace(Load, Bytes).second)
    Sane = B.CreateAnd(Sane, B.CreateICmpEQ(Early, B.getInt64(Bytes)));
  return sum({}, *X, Bytes);
}

std::optional<LoopForms::Form> LoopForms::ofBinary(BinaryOperator *Binary) {
  unsigned Op = Binary->getOpcode();
  if (Op != Instruction::Add && Op != Instruction::Sub && Op != Instruction::Mul)
    return std::nullopt;
  if (Binary->getType()->getIntegerBitWidth() < 64 && !Binary->hasNoSignedWrap())
    return std::nullopt;
  if (auto Strided = Op == Instruction::Mul ? ofStride(Binary->getOperand(0), Binary->getOperand(1)) : std::nullopt)
    return Strided;
  auto X = of(Binary->getOperand(0)), Y = of(Binary->getOperand(1));
  if (!X || !Y)
    return std::nullopt;
  if (Op != Instruction::Mul)
    return sum(*X, *Y, Op == Instruction::Sub ? -1 : 1);
  if (!Y->Terms.empty() || Y->Step)
    std::swap(X, Y);
  return Y->Terms.empty() && !Y->Step ? sum({}, *X, Y->Add) : std::nullopt;
}

std::optional<LoopForms::Form> LoopForms::address(Value *P, uint64_t Element) {
  std::optional<Form> R = Form();
  SaveAndRestore Now(Bytes, Element);
  P = behindMarks(P);
  for (auto *GEP = dyn_cast<GEPOperator>(P); GEP; GEP = dyn_cast<GEPOperator>(P)) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(S.RT.DL, 64, Scaled, Offset) || AddOverflow(R->Add, Offset.getSExtValue(), R->Add))
      return std::nullopt;
    for (auto &[Index, Factor] : Scaled) {
      auto X = of(Index);
      R = X ? sum(*R, *X, Factor.getSExtValue()) : std::nullopt;
      if (!R)
        return std::nullopt;
    }
    P = behindMarks(GEP->getPointerOperand());
  }
  Value *Base = hoist(P);
  return Base ? sum(*R, term(Base), 1) : std::nullopt;
}

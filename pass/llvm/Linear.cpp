#include "Linear.h"
#include "Descriptors.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

Value *dvmir::behindMarks(Value *V) {
  for (;;) {
    StringRef Name = markerName(V);
    if (Name != DVMM_ACCESS && Name != DVMM_INDEX)
      return V;
    V = cast<CallInst>(V)->getArgOperand(0);
  }
}

NestForms::NestForms(FunctionState &State, Construct &Nest) : DT(State.F), LI(DT), S(State), K(Nest) {
  if (K.Iters.size() != 1)
    return;
  CallInst *Iter = K.Iters[0];
  Iteration = Iter->getParent();
  for (unsigned Arg = 2; Arg + 1 < Iter->arg_size(); Arg += 2) {
    IndexAddresses.push_back(Iter->getArgOperand(Arg));
    IndexBytes.push_back(cast<ConstantInt>(Iter->getArgOperand(Arg + 1))->getSExtValue());
  }
}

const char *NestForms::shape() {
  static const char Unusual[] = "its loops have an unusual form";
  if (!Iteration || !rank() || rank() > DVMRT_NDIMS_MAX || K.Leaves.size() != 1 || K.Rows.size() > 1)
    return Unusual;
  if ((rank() > 1) != (K.Rows.size() == 1))
    return Unusual;
  Innermost = LI.getLoopFor(Iteration);
  Loop *L = Innermost;
  for (unsigned N = 0; N < rank(); ++N, L = L->getParentLoop())
    if (!L || !K.holds(L->getHeader()) || !L->getLoopLatch())
      return Unusual;
  Exit = Innermost->getExitBlock();
  if (!Exit || Exit->getSinglePredecessor() != Innermost->getHeader() || Innermost->getLoopLatch() == Iteration ||
      isa<PHINode>(Innermost->getLoopLatch()->front()) || isa<PHINode>(Exit->front()))
    return Unusual;
  for (Value *P : IndexAddresses) {
    Variable *V = S.VariableOf.lookup(P);
    if (!V || V->Tracked || V->isArray() || V->Kinds.lookup(&K) != DVMRT_L_INDEX)
      return "an index variable is not local";
  }
  return nullptr;
}

bool NestForms::inBody(const BasicBlock *BB) const {
  return Innermost->contains(BB) && BB != Innermost->getLoopLatch() && DT.dominates(Iteration, BB);
}

bool NestForms::always(const BasicBlock *BB) const {
  for (Loop *L = LI.getLoopFor(BB); L; L = L->getParentLoop()) {
    if (!L->getLoopLatch() || !DT.dominates(BB, L->getLoopLatch()))
      return false;
    if (L == Innermost)
      return true;
    BB = L->getHeader();
  }
  return false;
}

// ---- Values that are the same throughout ----

// Whether nothing in the nest writes what 'P' points to.  Summaries are for nests that write arrays of the directive, local
// variables and reduction variables only.
bool NestForms::unchanged(Value *P) const {
  if (auto *G = dyn_cast<GlobalVariable>(P)) {
    if (G->isThreadLocal())
      return false;
    for (Value *Argument : markerArguments(K.Enter))
      if (Argument == G)
        return false; // a reduction variable, or an array
    return true;
  }
  if (isa<Argument>(P)) // of Fortran: no other name leads there while it is written
    return isFromFlang(*S.F.getParent()) && !is_contained(markerArguments(K.Enter), P);
  auto *A = dyn_cast<AllocaInst>(P);
  Variable *V = A && A->isStaticAlloca() ? S.VariableOf.lookup(A) : nullptr;
  return V && !V->Written.lookup(&K);
}

Instruction *dvmir::earlyClone(Instruction *I, const DataLayout &DL, function_ref<bool(Value *)> Unchanged,
                               function_ref<Value *(Value *)> Early) {
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    APInt Offset(64, 0);
    Value *P = behindMarks(Load->getPointerOperand());
    if (!Load->isSimple() || !Unchanged(P->stripAndAccumulateConstantOffsets(DL, Offset, true)))
      return nullptr;
  } else if (auto *Binary = dyn_cast<BinaryOperator>(I)) {
    auto *Divisor = dyn_cast<ConstantInt>(Binary->getOperand(1));
    if (Binary->isIntDivRem() && (!Divisor || Divisor->isZero() || Divisor->isMinusOne()))
      return nullptr;
  } else if (!isa<CastInst, GetElementPtrInst, CmpInst, SelectInst>(I)) {
    return nullptr;
  }
  SmallVector<Value *, 3> Operands;
  for (Value *Operand : I->operands()) {
    Operands.push_back(Early(Operand));
    if (!Operands.back())
      return nullptr;
  }
  Instruction *New = I->clone();
  for (unsigned N = 0; N < Operands.size(); ++N)
    New->setOperand(N, Operands[N]);
  New->dropPoisonGeneratingFlags(); // it may not have been executed at all
  return New;
}

Value *NestForms::hoist(Value *V) {
  V = behindMarks(V);
  if (isa<Constant>(V) || isa<Argument>(V))
    return V;
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return nullptr;
  if (!K.holds(I->getParent()))
    return DT.dominates(I, K.Begin) ? I : nullptr;
  auto [It, Fresh] = Hoisted.insert({I, nullptr});
  if (!Fresh)
    return It->second;
  Value *Early = hoistInstruction(I);
  return Hoisted[I] = Early;
}

Value *NestForms::hoistInstruction(Instruction *I) {
  Instruction *New = earlyClone(I, S.RT.DL, [&](Value *P) { return unchanged(P); }, [&](Value *V) { return hoist(V); });
  if (New)
    New->insertBefore(K.Begin);
  if (auto *Load = dyn_cast_or_null<LoadInst>(New))
    readIfPresent(*Load);
  return New;
}

// An optional argument that is absent has no address, and a nest that reads it may not be executed then.
void dvmir::readIfPresent(LoadInst &Load) {
  Value *P = Load.getPointerOperand();
  auto *A = dyn_cast<Argument>(getUnderlyingObject(P));
  if (!A)
    return;
  Module &M = *Load.getModule();
  auto *Absent = M.getNamedGlobal("dvm.absent");
  if (!Absent) {
    Type *T = ArrayType::get(Type::getInt64Ty(M.getContext()), 64);
    Absent = new GlobalVariable(M, T, true, GlobalValue::PrivateLinkage, Constant::getNullValue(T), "dvm.absent");
  }
  IRBuilder<> B(&Load);
  Load.setOperand(LoadInst::getPointerOperandIndex(), B.CreateSelect(B.CreateIsNull(A), Absent, P));
}

// ---- Linear forms ----

static bool addScaled(Instruction *At, Linear &A, const Linear &B, int64_t Factor) {
  auto Step = [&](int64_t &To, int64_t X) {
    int64_t Scaled;
    return !MulOverflow(X, Factor, Scaled) && !AddOverflow(To, Scaled, To);
  };
  A.Coef.resize(std::max(A.Coef.size(), B.Coef.size()));
  for (unsigned V = 0; V < B.Coef.size(); ++V)
    if (!Step(A.Coef[V], B.Coef[V]))
      return false;
  if (!Step(A.Add, B.Add))
    return false;
  if (!B.More)
    return true;
  IRBuilder<> Early(At);
  Value *Scaled = Factor == 1 ? B.More : Early.CreateMul(B.More, Early.getInt64(Factor));
  A.More = A.More ? Early.CreateAdd(A.More, Scaled) : Scaled;
  return true;
}

std::optional<Linear> NestForms::of(Value *V, const BasicBlock *At) {
  V = behindMarks(V);
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  Linear R;
  if (auto *C = dyn_cast<ConstantInt>(V)) {
    R.Add = C->getSExtValue();
    return R;
  }
  if (Value *Early = hoist(V)) {
    IRBuilder<> B(K.Begin);
    R.More = B.CreateSExt(Early, S.RT.I64);
    return R;
  }
  if (auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(Load, At);
  if (auto *Binary = dyn_cast<BinaryOperator>(V))
    return ofBinary(Binary, At);
  // A sum of 32 bits that does not wrap is the same sum in 64.  As a number without sign only what was stored so counts.
  if (auto *Extended = dyn_cast<SExtInst>(V))
    return of(Extended->getOperand(0), At);
  if (auto *Extended = dyn_cast<ZExtInst>(V); Extended && isa<LoadInst>(behindMarks(Extended->getOperand(0))))
    return of(Extended->getOperand(0), At);
  return std::nullopt;
}

std::optional<int64_t> dvmir::constantOf(const Linear &L) {
  if (L.More || any_of(L.Coef, [](int64_t C) { return C != 0; }))
    return std::nullopt;
  return L.Add;
}

// .. or may be changed by another name.
bool NestForms::beginsInside(Value *P) const {
  Variable *V = isa<AllocaInst>(P) ? S.VariableOf.lookup(P) : nullptr;
  return V && (V->Escapes || V->Inner.lookup(&K) || any_of(V->Starts, [&](Instruction *Start) { return K.holds(Start->getParent()); }));
}

uint64_t dvmir::sizeOfObject(const Value *Root, const DataLayout &DL) {
  auto *A = dyn_cast<AllocaInst>(Root);
  auto *G = dyn_cast<GlobalVariable>(Root);
  if (!G && (!A || !A->isStaticAlloca() || A->isArrayAllocation()))
    return 0;
  return DL.getTypeAllocSize(A ? A->getAllocatedType() : G->getValueType()).getFixedValue();
}

// 'dx[k]' of a table that nothing in the nest writes, where 'k' is known.
std::optional<Linear> NestForms::ofTable(const LoadInst &L, const BasicBlock *At) {
  int64_t Byte = 0;
  Value *P = behindMarks(const_cast<Value *>(L.getPointerOperand()));
  for (; auto *GEP = dyn_cast<GEPOperator>(P); P = behindMarks(GEP->getPointerOperand())) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(S.RT.DL, 64, Scaled, Offset))
      return std::nullopt;
    Byte += Offset.getSExtValue();
    for (auto &[Index, Factor] : Scaled) {
      auto Known = of(Index, At);
      auto Number = Known ? constantOf(*Known) : std::nullopt;
      if (!Number)
        return std::nullopt;
      Byte += *Number * Factor.getSExtValue();
    }
  }
  const uint64_t Size = S.RT.DL.getTypeStoreSize(L.getType()).getFixedValue();
  if (!L.isSimple() || Byte < 0 || !unchanged(P) || beginsInside(P) || uint64_t(Byte) + Size > sizeOfObject(P, S.RT.DL))
    return std::nullopt;
  Linear R;
  auto *Table = dyn_cast<GlobalVariable>(P);
  if (Table && Table->isConstant() && Table->hasDefinitiveInitializer()) {
    auto *Element =
        dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(Table->getInitializer(), L.getType(), APInt(64, uint64_t(Byte)), S.RT.DL));
    if (!Element)
      return std::nullopt;
    R.Add = Element->getSExtValue();
    return R;
  }
  IRBuilder<> B(K.Begin);
  Value *Place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, uint64_t(Byte));
  R.More = B.CreateSExt(B.CreateAlignedLoad(L.getType(), Place, Align(1)), S.RT.I64);
  return R;
}

std::optional<Linear> NestForms::ofLoad(LoadInst *L, const BasicBlock *At) {
  Value *P = behindMarks(L->getPointerOperand());
  Linear R;
  for (unsigned D = 0; D < rank(); ++D)
    if (IndexAddresses[D] == P) {
      if (!inBody(At) || !L->isSimple() || L->getType()->getIntegerBitWidth() != 8u * std::abs(IndexBytes[D]))
        return std::nullopt;
      R.Coef.resize(D + 1);
      R.Coef[D] = 1;
      return R;
    }
  if (auto Known = Fixed.empty() ? std::nullopt : ofTable(*L, At))
    return Known;
  auto *A = dyn_cast<AllocaInst>(P);
  if (!A || A->getAllocatedType() != L->getType())
    return std::nullopt;
  std::optional<unsigned> Number = innerVariable(A, At);
  if (!Number)
    return std::nullopt;
  if (auto Known = Fixed.find(*Number); Known != Fixed.end()) {
    R.Add = Known->second;
    return R;
  }
  R.Coef.resize(rank() + *Number + 1);
  R.Coef[rank() + *Number] = 1;
  return R;
}

std::optional<Linear> NestForms::ofBinary(BinaryOperator *B, const BasicBlock *At) {
  unsigned Op = B->getOpcode();
  if (Op != Instruction::Add && Op != Instruction::Sub && Op != Instruction::Mul)
    return std::nullopt;
  if (B->getType()->getIntegerBitWidth() < 64 && !B->hasNoSignedWrap())
    return std::nullopt;
  auto X = of(B->getOperand(0), At), Y = of(B->getOperand(1), At);
  if (!X || !Y)
    return std::nullopt;
  if (Op == Instruction::Mul) {
    if (!constantOf(*Y))
      std::swap(X, Y);
    if (!constantOf(*Y))
      return std::nullopt;
    Linear R;
    return addScaled(K.Begin, R, *X, Y->Add) ? std::optional(R) : std::nullopt;
  }
  return addScaled(K.Begin, *X, *Y, Op == Instruction::Sub ? -1 : 1) ? X : std::nullopt;
}

std::optional<Linear> NestForms::address(Value *P, const BasicBlock *At) {
  Linear R;
  P = behindMarks(P);
  while (auto *GEP = dyn_cast<GEPOperator>(P)) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(S.RT.DL, 64, Scaled, Offset))
      return std::nullopt;
    R.Add += Offset.getSExtValue();
    for (auto &[Index, Factor] : Scaled) {
      auto X = of(Index, At);
      if (!X || !addScaled(K.Begin, R, *X, Factor.getSExtValue()))
        return std::nullopt;
    }
    P = behindMarks(GEP->getPointerOperand());
  }
  Value *Base = isa<AllocaInst>(P) ? P : hoist(P);
  if (!Base)
    return std::nullopt;
  IRBuilder<> B(K.Begin);
  Linear Root;
  Root.More = B.CreatePtrToInt(Base, S.RT.I64);
  return addScaled(K.Begin, R, Root, 1) ? std::optional(R) : std::nullopt;
}

// ---- Loops of the body ----

// Number of the variable among 'Inners'; it counts a loop that 'At' is in the body of.
std::optional<unsigned> NestForms::innerVariable(AllocaInst *A, const BasicBlock *At) {
  auto InBodyOf = [&](const Loop *L) {
    auto *Br = cast<BranchInst>(L->getHeader()->getTerminator());
    BasicBlock *First = L->contains(Br->getSuccessor(0)) ? Br->getSuccessor(0) : Br->getSuccessor(1);
    return L->contains(At) && At != L->getLoopLatch() && DT.dominates(First, At);
  };
  for (unsigned N = 0; N < Inners.size(); ++N)
    if (Inners[N].Alloca == A && InBodyOf(Inners[N].L))
      return N;
  Variable *V = S.VariableOf.lookup(A);
  if (!V || V->Escapes || !inBody(At))
    return std::nullopt;
  // Each loop that it counts has a store that begins and one, in the latch, that steps; all others are outside of it.
  SmallVector<StoreInst *, 4> Stores;
  for (BasicBlock *BB : K.Blocks)
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && behindMarks(Store->getPointerOperand()) == A)
        Stores.push_back(Store);
  for (Loop *L = LI.getLoopFor(At); L && L != Innermost; L = L->getParentLoop()) {
    StoreInst *Next = nullptr, *First = nullptr;
    unsigned Inside = 0;
    for (StoreInst *Store : Stores) {
      if (L->contains(Store)) {
        ++Inside;
        Next = Store;
      } else if (DT.dominates(Store->getParent(), L->getHeader()) && (!First || DT.dominates(First, Store))) {
        First = Store;
      }
    }
    if (Inside == 0)
      continue;
    auto *Br = dyn_cast<BranchInst>(L->getHeader()->getTerminator());
    if (Inside != 1 || !First || !L->getLoopLatch() || Next->getParent() != L->getLoopLatch() || !Br || !Br->isConditional() ||
        !L->isLoopExiting(L->getHeader()) || L->getLoopPredecessor() == nullptr ||
        !DT.dominates(First->getParent(), L->getLoopPredecessor()) || !L->getParentLoop()->contains(First))
      return std::nullopt; // in the next turn of the loop around it, it might go on where it was
    // Between the beginning and the loop nobody else may store.
    for (StoreInst *Store : Stores)
      if (Store != First && Store != Next && DT.dominates(First, Store) && !DT.dominates(L->getHeader(), Store->getParent()))
        return std::nullopt;
    Inner I{A, L, {}, {}, 0};
    if (!InBodyOf(L) || !innerRange(I, First, Next))
      return std::nullopt;
    Inners.push_back(std::move(I));
    return Inners.size() - 1;
  }
  return std::nullopt;
}

std::optional<unsigned> NestForms::counterOf(const Loop &L) {
  auto *Br = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
  auto *Cmp = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  for (unsigned N = 0; Cmp && N < 2; ++N) {
    Value *V = behindMarks(Cmp->getOperand(N));
    if (auto *Extended = dyn_cast<CastInst>(V))
      V = behindMarks(Extended->getOperand(0));
    auto *Load = dyn_cast<LoadInst>(V);
    auto *A = Load ? dyn_cast<AllocaInst>(behindMarks(Load->getPointerOperand())) : nullptr;
    auto Number = A ? innerVariable(A, L.contains(Br->getSuccessor(0)) ? Br->getSuccessor(0) : Br->getSuccessor(1)) : std::nullopt;
    if (Number && Inners[*Number].L == &L)
      return Number;
  }
  return std::nullopt;
}

static bool isConstant(const Linear &L) { return constantOf(L).has_value(); }

// Nothing wraps: neither a value of the variable nor the one that ends the loop.
static bool staysInType(const NestForms::Inner &I, bool Unsigned, bool Strict) {
  const unsigned Bits = I.Alloca->getAllocatedType()->getIntegerBitWidth();
  const int64_t Least = Unsigned ? 0 : minIntN(Bits), Most = maxIntN(Bits), Low = I.Low.Add, High = I.High.Add;
  if (isConstant(I.Low) && (Low < Least || Low > Most))
    return false;
  if (isConstant(I.Low) && isConstant(I.High)) {
    const int64_t Way = High < Low ? 0 : (High - Low) / I.Step * I.Step;
    return High >= Low && High <= Most && (I.Step > 0 ? Low + Way <= Most - I.Step : High - Way + I.Step >= Least);
  }
  return Bits >= 32 && (I.Step > 0 || (Strict && I.Step == -1) || (isConstant(I.Low) && Low + I.Step >= Least));
}

static constexpr int64_t BeyondAll = int64_t(1) << 40; // arrays end before

// What has no sign, 'n - 1' for a length of 0, is large and not below zero.
std::optional<Linear> NestForms::boundOf(Value *V, const BasicBlock *At, bool Unsigned) {
  Value *Early = Unsigned && !isa<Constant>(behindMarks(V)) ? hoist(V) : nullptr;
  if (!Early || Early->getType()->getIntegerBitWidth() > 64)
    return of(V, At);
  IRBuilder<> B(K.Begin);
  Linear R;
  R.More = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateZExt(Early, S.RT.I64), B.getInt64(BeyondAll));
  return R;
}

// for (a = low; a < high; a += step): the range of 'a' in the body.
bool NestForms::innerRange(Inner &I, StoreInst *First, StoreInst *Next) {
  auto IsVariable = [&](Value *V) {
    if (auto *Extended = dyn_cast<CastInst>(V); Extended && isa<SExtInst, ZExtInst>(Extended))
      V = Extended->getOperand(0);
    auto *Load = dyn_cast<LoadInst>(V);
    return Load && behindMarks(Load->getPointerOperand()) == I.Alloca;
  };
  auto *Step = dyn_cast<BinaryOperator>(Next->getValueOperand());
  auto *By = Step ? dyn_cast<ConstantInt>(Step->getOperand(1)) : nullptr;
  if (!By || !IsVariable(Step->getOperand(0)))
    return false;
  I.Step = By->getSExtValue();
  if (Step->getOpcode() == Instruction::Sub)
    I.Step = -I.Step;
  else if (Step->getOpcode() != Instruction::Add)
    return false;
  auto *Br = cast<BranchInst>(I.L->getHeader()->getTerminator());
  auto *Cmp = dyn_cast<ICmpInst>(Br->getCondition());
  if (!Cmp || Cmp->getParent() != I.L->getHeader())
    return false;
  CmpInst::Predicate P = Cmp->getPredicate();
  Value *Bound = Cmp->getOperand(1);
  if (IsVariable(Bound)) {
    Bound = Cmp->getOperand(0);
    P = CmpInst::getSwappedPredicate(P);
  } else if (!IsVariable(Cmp->getOperand(0))) {
    return false;
  }
  if (!I.L->contains(Br->getSuccessor(0)))
    P = CmpInst::getInversePredicate(P);
  const BasicBlock *Before = First->getParent();
  const bool Unsigned = Cmp->isUnsigned() || any_of(Cmp->operands(), [&](Value *V) { return isa<ZExtInst>(V) && IsVariable(V); });
  auto Low = boundOf(First->getValueOperand(), Before, Unsigned), High = boundOf(Bound, Before, Unsigned);
  if (!Low || !High)
    return false;
  auto MayBeBelow = [](const Linear &L) { return !isConstant(L) && L.Add < 0; };
  if (Unsigned && (MayBeBelow(*Low) || MayBeBelow(*High)))
    return false;
  const bool Up = I.Step > 0;
  if (!(Up ? ICmpInst::isLE(P) || ICmpInst::isLT(P) : ICmpInst::isGE(P) || ICmpInst::isGT(P)))
    return false;
  if (CmpInst::isStrictPredicate(P))
    High->Add += Up ? -1 : 1;
  I.Low = Up ? *Low : *High;
  I.High = Up ? *High : *Low;
  return (Step->hasNoSignedWrap() && !Unsigned) || staysInType(I, Unsigned, CmpInst::isStrictPredicate(P));
}

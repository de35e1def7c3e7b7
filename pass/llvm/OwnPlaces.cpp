#include "OwnPlaces.h"
#include "LoopForms.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

// ---- Whose it is --------------------------------------------------------------------------------------------------------------

static bool isPrivateIn(const Construct &K, const Value *Root) {
  const auto Args = markerArguments(K.Enter);
  for (auto [Arg, Value] : zip(K.Text.Args, Args))
    if (Arg.Line == DVMRT_DIRECTIVE_PRIVATE && Value == Root)
      return true;
  return false;
}

bool OwnPlaces::isOwn(Value *P) {
  Value *Root = pointerRoot(P);
  if (!isa<AllocaInst, GlobalVariable>(Root))
    return false;
  if (isPrivateIn(K, Root) || isRow(Root))
    return true;
  Variable *V = S.VariableOf.lookup(Root);
  return V && !V->Starts.empty() &&
         all_of(V->Starts, [&](Instruction *I) { return K.holds(I->getParent()) && Forms.inBody(I->getParent()); });
}

// 'double row[n]' in the body, where 'n' is the same throughout.
bool OwnPlaces::isRow(const Value *Root) {
  auto *A = dyn_cast<AllocaInst>(Root);
  return A && !A->isStaticAlloca() && K.holds(A->getParent()) && Forms.inBody(A->getParent()) &&
         Forms.LI.getLoopFor(A->getParent()) == Forms.Innermost && Forms.always(A->getParent()) &&
         Forms.hoist(const_cast<Value *>(A->getArraySize()));
}

bool OwnPlaces::isOfRow(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return isRow(&I) || (Call && is_contained({Intrinsic::stacksave, Intrinsic::stackrestore}, Call->getIntrinsicID()));
}

OwnPlaces::Extent OwnPlaces::extentOf(Value *Root) {
  if (!isRow(Root))
    return {int64_t(sizeOfObject(Root, S.RT.DL))};
  auto *A = cast<AllocaInst>(Root);
  const uint64_t Element = S.RT.DL.getTypeAllocSize(A->getAllocatedType()).getFixedValue();
  IRBuilder<> B(K.Begin);
  return {MostOfBytes, B.CreateMul(B.CreateZExtOrTrunc(Forms.hoist(A->getArraySize()), B.getInt64Ty()), B.getInt64(Element))};
}

// ---- Where it is --------------------------------------------------------------------------------------------------------------

int64_t OwnPlaces::Place::in(const Turn &T) const {
  int64_t Sum = Add;
  for (auto [Inner, By] : Coef)
    Sum += By * T.at(Inner);
  return Sum;
}

SmallVector<unsigned, 4> OwnPlaces::Place::counters() const {
  SmallVector<unsigned, 4> Used;
  for (auto [Inner, By] : Coef)
    Used.push_back(Inner);
  return Used;
}

bool OwnPlaces::isCounted(unsigned Inner) const {
  const NestForms::Inner &I = Forms.Inners[Inner];
  auto Low = constantOf(I.Low), High = constantOf(I.High);
  return Low && High && I.Step && *Low > -INT32_MAX && *High < INT32_MAX && *High - *Low < MostOfTurns;
}

// Of its own: the same in all iterations, and in all turns of other loops.
bool OwnPlaces::isOpen(unsigned Inner) const {
  const NestForms::Inner &I = Forms.Inners[Inner];
  auto Same = [](const Linear &L) { return all_of(L.Coef, [](int64_t C) { return C == 0; }); };
  return Same(I.Low) && Same(I.High) && I.Step;
}

bool OwnPlaces::addCounter(Place &P, unsigned Inner, int64_t Factor) {
  if (isCounted(Inner)) {
    P.Coef[Inner] += Factor;
    return true;
  }
  if (!isOpen(Inner) || P.Open.value_or(Inner) != Inner)
    return false;
  P.Open = Inner;
  P.Factor += Factor;
  return true;
}

// False: it is not known what the subscript is.
bool OwnPlaces::addIndex(Place &P, Value *Index, int64_t Factor, const BasicBlock *At) {
  auto Form = Index ? Forms.of(Index, At) : std::nullopt;
  if (!Form || Form->More || std::abs(Form->Add) > INT32_MAX || std::abs(Factor) > MostOfBytes)
    return false;
  P.Add += Factor * Form->Add;
  for (auto [N, By] : enumerate(Form->Coef))
    if (By && (N < Forms.rank() || std::abs(By) > MostOfBytes || !addCounter(P, N - Forms.rank(), Factor * By)))
      return false;
  return true;
}

static Value *valueOf(IRBuilder<> &B, const Linear &L) {
  Value *Add = B.getInt64(L.Add);
  return L.More ? B.CreateAdd(L.More, Add) : Add;
}

// Of the part that is counted, without 'Add'; null: too many turns.  No turn: the first is above the second.
std::optional<std::pair<int64_t, int64_t>> OwnPlaces::countedRange(const Place &P) {
  int64_t Least = INT64_MAX, Most = INT64_MIN;
  Place Counted = P;
  Counted.Add = 0;
  Turn T;
  const bool All = eachTurn(P.counters(), T, [&](const Turn &Now) {
    const int64_t At = Counted.in(Now);
    Least = std::min(Least, At);
    Most = std::max(Most, At);
    return true;
  });
  return All ? std::optional(std::pair(Least, Most)) : std::nullopt;
}

// First and last byte at which it begins, at the entry.
OwnPlaces::Range OwnPlaces::rangeOf(const Place &P, std::pair<int64_t, int64_t> Counted) {
  IRBuilder<> B(K.Begin);
  Value *Low = B.getInt64(P.Add + Counted.first), *High = B.getInt64(P.Add + Counted.second);
  if (!P.Open)
    return {Low, High};
  const NestForms::Inner &I = Forms.Inners[*P.Open];
  Value *By = B.getInt64(P.Factor);
  Value *AtLow = B.CreateMul(By, valueOf(B, I.Low)), *AtHigh = B.CreateMul(By, valueOf(B, I.High));
  if (P.Factor < 0)
    std::swap(AtLow, AtHigh);
  return {B.CreateAdd(Low, AtLow), B.CreateAdd(High, AtHigh)};
}

bool OwnPlaces::isIn(const Place &P, const Extent &All) {
  auto Counted = countedRange(P);
  if (!Counted)
    return false;
  if (Counted->first > Counted->second)
    return true; // no turn
  if (!P.Open && (P.Add + Counted->first < 0 || P.Add + Counted->second + P.Size > All.Bytes))
    return false;
  if (!P.Open && !All.Open)
    return true;
  IRBuilder<> B(K.Begin);
  const Range R = rangeOf(P, *Counted);
  Value *Bytes = All.Open ? All.Open : B.getInt64(All.Bytes);
  Conditions.push_back(B.CreateICmpSGE(R.Low, B.getInt64(0)));
  Conditions.push_back(B.CreateICmpSLE(B.CreateAdd(R.High, B.getInt64(P.Size)), Bytes));
  return true;
}

bool OwnPlaces::inExtents(const Access &A) {
  for (auto [D, Index] : enumerate(A.Index)) {
    const bool IsConstant = D < A.Text.Extents.size() && A.Text.Extents[D];
    Value *Open = !IsConstant && D < A.Extent.size() && A.Extent[D] ? Forms.hoist(A.Extent[D]) : nullptr;
    if (!IsConstant && !Open)
      continue;
    Place One;
    One.Size = 1;
    if (!addIndex(One, Index, 1, A.Mark->getParent()) || !isIn(One, {IsConstant ? *A.Text.Extents[D] : MostOfBytes, Open}))
      return false;
  }
  return true;
}

// Null: not known, or it may be outside.
std::optional<OwnPlaces::Place> OwnPlaces::placeOf(const Access &A) {
  Place P;
  P.Size = int64_t(A.Text.Size);
  Value *At = behindMarks(A.Mark->getArgOperand(0));
  while (auto *GEP = dyn_cast<GEPOperator>(At)) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(S.RT.DL, 64, Scaled, Offset) || Offset.abs().ugt(MostOfBytes))
      return std::nullopt;
    P.Add += Offset.getSExtValue();
    for (auto &[Index, Factor] : Scaled)
      if (!addIndex(P, Index, Factor.getSExtValue(), A.Mark->getParent()))
        return std::nullopt;
    At = behindMarks(GEP->getPointerOperand());
  }
  P.Root = At;
  const Extent All = extentOf(P.Root);
  return P.Size > 0 && All.Bytes <= MostOfBytes && inExtents(A) && isIn(P, All) ? std::optional(P) : std::nullopt;
}

// ---- In which turns -----------------------------------------------------------------------------------------------------------

// As if all steps were 1; no more than one more than MostOfTurns.
int64_t OwnPlaces::turnsOf(ArrayRef<unsigned> Counters) const {
  int64_t Turns = 1;
  for (unsigned Inner : Counters)
    Turns = std::min(MostOfTurns + 1,
                     Turns * std::max<int64_t>(1, *constantOf(Forms.Inners[Inner].High) - *constantOf(Forms.Inners[Inner].Low) + 1));
  return Turns;
}

// False: it does not hold in one of them, or they are too many.  'T' has the values of what is not counted here.
bool OwnPlaces::eachTurn(ArrayRef<unsigned> Counters, Turn &T, function_ref<bool(const Turn &)> Holds) {
  if (turnsOf(Counters) > MostOfTurns)
    return false;
  if (Counters.empty())
    return Holds(T);
  const NestForms::Inner I = Forms.Inners[Counters.front()]; // a question of 'Holds' may make them more
  const int64_t Low = *constantOf(I.Low), High = *constantOf(I.High);
  for (int64_t V = I.Step > 0 ? Low : High; V >= Low && V <= High; V += I.Step) {
    T[Counters.front()] = V;
    if (!eachTurn(Counters.drop_front(), T, Holds))
      return false;
  }
  T.erase(Counters.front());
  return true;
}

// ---- Initialisers -------------------------------------------------------------------------------------------------------------

std::optional<OwnPlaces::Place> OwnPlaces::placeOf(Instruction &I) {
  auto *Mem = dyn_cast<MemIntrinsic>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Mem && (!Store || !Store->isSimple()))
    return std::nullopt;
  if (auto *Copy = dyn_cast_or_null<MemTransferInst>(Mem)) {
    auto *From = dyn_cast<GlobalVariable>(Copy->getSource()->stripInBoundsConstantOffsets());
    if (!From || !From->isConstant())
      return std::nullopt;
  }
  auto *Length = Mem ? dyn_cast<ConstantInt>(Mem->getLength()) : nullptr;
  if (Mem && (!Length || Mem->isVolatile() || Length->getValue().ugt(MostOfBytes)))
    return std::nullopt;
  APInt Offset(S.RT.DL.getIndexSizeInBits(0), 0);
  Place P;
  P.Root = (Mem ? Mem->getRawDest() : Store->getPointerOperand())->stripAndAccumulateConstantOffsets(S.RT.DL, Offset, true);
  P.Size = Mem ? int64_t(Length->getZExtValue()) : int64_t(S.RT.DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue());
  P.Add = Offset.getSExtValue();
  const Extent All = extentOf(P.Root);
  return !All.Open && All.Bytes <= MostOfBytes && P.Add >= 0 && P.Add + P.Size <= All.Bytes ? std::optional(P) : std::nullopt;
}

bool OwnPlaces::isInitialiser(Instruction &I) {
  auto P = placeOf(I);
  return P && isOwn(P->Root);
}

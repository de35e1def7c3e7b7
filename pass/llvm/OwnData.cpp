#include "OwnData.h"
#include "PlainCode.h"
#include "Splits.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

static constexpr int64_t MostOfTurns = 1 << 14, MostOfBytes = 1 << 16; // of one access; of a variable

// ---- Whose it is --------------------------------------------------------------------------------------------------------------

static Value *rootBehind(Value *P) {
  for (P = behindMarks(P); auto *GEP = dyn_cast<GEPOperator>(P);)
    P = behindMarks(GEP->getPointerOperand());
  return P;
}

static bool isPrivateIn(const Construct &K, const Value *Root) {
  const auto Args = markerArguments(K.Enter);
  for (auto [Arg, Value] : zip(K.Text.Args, Args))
    if (Arg.Line == DVMRT_DIRECTIVE_PRIVATE && Value == Root)
      return true;
  return false;
}

bool OwnData::isOwn(Value *P) {
  Value *Root = rootBehind(P);
  if (!isa<AllocaInst, GlobalVariable>(Root))
    return false;
  if (isPrivateIn(K, Root))
    return true;
  Variable *V = S.VariableOf.lookup(Root);
  return V && !V->Starts.empty() &&
         all_of(V->Starts, [&](Instruction *I) { return K.holds(I->getParent()) && Forms.inBody(I->getParent()); });
}

static int64_t sizeOfObject(const DataLayout &DL, const Value *Root) {
  auto *A = dyn_cast<AllocaInst>(Root);
  auto *G = dyn_cast<GlobalVariable>(Root);
  if (!G && (!A || A->isArrayAllocation()))
    return 0;
  return int64_t(DL.getTypeAllocSize(A ? A->getAllocatedType() : G->getValueType()).getFixedValue());
}

// ---- Where it is --------------------------------------------------------------------------------------------------------------

int64_t OwnData::Place::in(const Turn &T) const {
  int64_t Sum = Add;
  for (auto [Inner, By] : Coef)
    Sum += By * T.at(Inner);
  return Sum;
}

SmallVector<unsigned, 4> OwnData::Place::counters() const {
  SmallVector<unsigned, 4> Used;
  for (auto [Inner, By] : Coef)
    Used.push_back(Inner);
  return Used;
}

bool OwnData::isCounted(unsigned Inner) const {
  const NestForms::Inner &I = Forms.Inners[Inner];
  auto Low = constantOf(I.Low), High = constantOf(I.High);
  return Low && High && I.Step && *Low > -INT32_MAX && *High < INT32_MAX && *High - *Low < MostOfTurns;
}

// Of its own: the same in all iterations, and in all turns of other loops.
bool OwnData::isOpen(unsigned Inner) const {
  const NestForms::Inner &I = Forms.Inners[Inner];
  auto Same = [](const Linear &L) { return all_of(L.Coef, [](int64_t C) { return C == 0; }); };
  return Same(I.Low) && Same(I.High) && I.Step;
}

bool OwnData::addCounter(Place &P, unsigned Inner, int64_t Factor) {
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
bool OwnData::addIndex(Place &P, Value *Index, int64_t Factor, const BasicBlock *At) {
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
std::optional<std::pair<int64_t, int64_t>> OwnData::countedRange(const Place &P) {
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
OwnData::Range OwnData::rangeOf(const Place &P, std::pair<int64_t, int64_t> Counted) {
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

bool OwnData::isIn(const Place &P, int64_t Bytes) {
  auto Counted = countedRange(P);
  if (!Counted)
    return false;
  if (Counted->first > Counted->second)
    return true; // no turn
  if (!P.Open)
    return P.Add + Counted->first >= 0 && P.Add + Counted->second + P.Size <= Bytes;
  IRBuilder<> B(K.Begin);
  const Range R = rangeOf(P, *Counted);
  Conditions.push_back(B.CreateICmpSGE(R.Low, B.getInt64(0)));
  Conditions.push_back(B.CreateICmpSLE(R.High, B.getInt64(Bytes - P.Size)));
  return true;
}

bool OwnData::inExtents(const Access &A) {
  for (auto [D, Index] : enumerate(A.Index)) {
    if (D >= A.Text.Extents.size() || !A.Text.Extents[D])
      continue;
    Place One;
    One.Size = 1;
    if (!addIndex(One, Index, 1, A.Mark->getParent()) || !isIn(One, *A.Text.Extents[D]))
      return false;
  }
  return true;
}

// Null: not known, or it may be outside.
std::optional<OwnData::Place> OwnData::placeOf(const Access &A) {
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
  const int64_t Bytes = sizeOfObject(S.RT.DL, P.Root);
  return P.Size > 0 && Bytes <= MostOfBytes && inExtents(A) && isIn(P, Bytes) ? std::optional(P) : std::nullopt;
}

bool OwnData::isInside(const Access &A) { return placeOf(A).has_value(); }

// ---- In which turns -----------------------------------------------------------------------------------------------------------

// As if all steps were 1; no more than one more than MostOfTurns.
int64_t OwnData::turnsOf(ArrayRef<unsigned> Counters) const {
  int64_t Turns = 1;
  for (unsigned Inner : Counters)
    Turns = std::min(MostOfTurns + 1,
                     Turns * std::max<int64_t>(1, *constantOf(Forms.Inners[Inner].High) - *constantOf(Forms.Inners[Inner].Low) + 1));
  return Turns;
}

// False: it does not hold in one of them, or they are too many.  'T' has the values of what is not counted here.
bool OwnData::eachTurn(ArrayRef<unsigned> Counters, Turn &T, function_ref<bool(const Turn &)> Holds) {
  if (turnsOf(Counters) > MostOfTurns)
    return false;
  if (Counters.empty())
    return Holds(T);
  const NestForms::Inner &I = Forms.Inners[Counters.front()];
  const int64_t Low = *constantOf(I.Low), High = *constantOf(I.High);
  for (int64_t V = I.Step > 0 ? Low : High; V >= Low && V <= High; V += I.Step) {
    T[Counters.front()] = V;
    if (!eachTurn(Counters.drop_front(), T, Holds))
      return false;
  }
  T.erase(Counters.front());
  return true;
}

SmallVector<unsigned, 4> OwnData::countersBeside(const Place &P, const Access &Read) const {
  SmallVector<unsigned, 4> Own = P.counters();
  erase_if(Own, [&](unsigned Inner) { return Forms.Inners[Inner].L->contains(Read.Mark->getParent()); });
  return Own;
}

// Those on whose turn, of loops that have both in them, it depends what was written.
SmallVector<unsigned, 4> OwnData::countersShared(ArrayRef<Place> Written, const Access &Read) const {
  SmallVector<unsigned, 4> Shared;
  for (const Place &P : Written)
    for (unsigned Inner : P.counters())
      if (Forms.Inners[Inner].L->contains(Read.Mark->getParent()) && !is_contained(Shared, Inner))
        Shared.push_back(Inner);
  return Shared;
}

// ---- What has a value ---------------------------------------------------------------------------------------------------------

// Does each turn of what is around execute the loop at least once?  The turns of a counter of the place are known.
bool OwnData::isExecuted(const Loop &L, const Place &Written) {
  auto Inner = Forms.counterOf(L);
  return Inner && (Written.Coef.count(*Inner) || Written.Open == *Inner ||
                   (isCounted(*Inner) && constantOf(Forms.Inners[*Inner].Low) <= constantOf(Forms.Inners[*Inner].High)));
}

bool OwnData::givesValues(const Access &Write) const {
  return !Write.Mark->use_empty() && all_of(Write.Mark->users(), [&](const User *U) {
    return isa<StoreInst>(U) && certainlyAssigns(S, cast<Instruction>(U), Forms.DT);
  });
}

// In an iteration in which 'Read' is reached, and in the same turns of the loops that have both in them.
bool OwnData::isDoneBefore(const Access &Write, const Place &Written, const Access &Read) {
  const BasicBlock *Then = Read.Mark->getParent();
  Loop *Whole = nullptr;
  for (Loop *L = Forms.LI.getLoopFor(Write.Mark->getParent()); L != Forms.Innermost && !L->contains(Then); L = L->getParentLoop()) {
    if (L->getExitingBlock() != L->getHeader() || !isExecuted(*L, Written))
      return false;
    Whole = L;
  }
  if (Whole)
    return Forms.always(Write.Mark->getParent()) && Forms.DT.dominates(Whole->getHeader(), Then);
  return all_of(Write.Mark->users(), [&](const User *U) { return Forms.DT.dominates(cast<Instruction>(U), Read.Mark); });
}

// 'Own': counters that are not those of the read's turn.
void OwnData::addWritten(const Place &At, ArrayRef<unsigned> Own, const Turn &Now, BitVector &Has) {
  Turn T = Now;
  eachTurn(Own, T, [&](const Turn &Each) {
    const int64_t From = At.in(Each);
    Has.set(unsigned(From), unsigned(From + At.Size));
    return true;
  });
}

std::optional<OwnData::Place> OwnData::placeOf(Instruction &I) {
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
  const int64_t Bytes = sizeOfObject(S.RT.DL, P.Root);
  return Bytes <= MostOfBytes && P.Add >= 0 && P.Add + P.Size <= Bytes ? std::optional(P) : std::nullopt;
}

bool OwnData::isInitialiser(Instruction &I) {
  auto P = placeOf(I);
  return P && isOwn(P->Root);
}

void OwnData::addInitialised(const Access &Read, const Place &At, BitVector &Has) {
  for (BasicBlock *BB : K.Blocks)
    for (Instruction &I : *BB) {
      if (!isa<StoreInst, MemIntrinsic>(I) || !Forms.inBody(BB) || !Forms.DT.dominates(&I, Read.Mark))
        continue;
      auto P = placeOf(I);
      if (P && P->Root == At.Root && certainlyAssigns(S, &I, Forms.DT))
        Has.set(unsigned(P->Add), unsigned(P->Add + P->Size));
    }
}

// Null: no.  Else whether all of an open place that is read lies in what has been written, by turns that leave no gap, or before that.
Value *OwnData::covers(const Place &Written, const Place &Read, const BitVector &Has) {
  auto Counted = countedRange(Read);
  if (!Counted || Counted->first > Counted->second || !Written.Coef.empty() || !Written.Open || std::abs(Written.Factor) != Written.Size ||
      std::abs(Forms.Inners[*Written.Open].Step) != 1)
    return nullptr;
  IRBuilder<> B(K.Begin);
  const Range W = rangeOf(Written, {0, 0}), R = rangeOf(Read, *Counted);
  const int First = Has.find_first_unset();
  Value *Known = B.getInt64(First < 0 ? int64_t(Has.size()) : First);
  Value *Low = B.CreateSelect(B.CreateICmpSLE(W.Low, Known), B.getInt64(0), W.Low);
  Value *Ends = B.CreateICmpSLE(B.CreateAdd(R.High, B.getInt64(Read.Size)), B.CreateAdd(W.High, B.getInt64(Written.Size)));
  return B.CreateAnd(B.CreateICmpSGE(R.Low, Low), Ends);
}

// 't[k] = t[k - 1] ..': what the turn reads is what an earlier one wrote, or, in the first turns, 'Has'.
bool OwnData::hasEarlierTurns(const Access &Write, const Place &Written, const Access &Read, const Place &At, const BitVector &Has) {
  auto Moves = [](const Place &P) {
    return std::pair(P.Open               ? *P.Open
                     : P.Coef.size() == 1 ? P.Coef.begin()->first
                                          : ~0U,
                     P.Open           ? P.Factor
                     : P.Coef.empty() ? 0
                                      : P.Coef.begin()->second);
  };
  auto [Inner, Factor] = Moves(Written);
  if (Inner == ~0U || Moves(At) != std::pair(Inner, Factor) || !Factor || Written.Coef.size() + (Written.Open ? 1 : 0) != 1 ||
      At.Coef.size() + (At.Open ? 1 : 0) != 1 || Written.Size != At.Size)
    return false;
  const NestForms::Inner &I = Forms.Inners[Inner];
  const BasicBlock *Writes = Write.Mark->getParent();
  if (std::abs(I.Step) != 1 || !I.L->contains(Read.Mark->getParent()) || Forms.LI.getLoopFor(Writes) != I.L ||
      !Forms.DT.dominates(Writes, I.L->getLoopLatch()) || (Written.Add - At.Add) % Factor)
    return false;
  // In turn v the element is the one that was written in turn v - Away * Step.
  const int64_t Away = (Written.Add - At.Add) / Factor * I.Step;
  auto First = constantOf(I.Step > 0 ? I.Low : I.High);
  if (Away < 1 || Away > MostOfTurns || !First)
    return false;
  for (int64_t Turn = 0; Turn < Away; ++Turn) {
    const int64_t Byte = At.Add + Factor * (*First + Turn * I.Step);
    if (Byte < 0 || Byte + At.Size > int64_t(Has.size()) || Has.find_first_unset_in(unsigned(Byte), unsigned(Byte + At.Size)) != -1)
      return false;
  }
  return true;
}

// By writes of open places, or of earlier turns.
bool OwnData::isCovered(const Access &Read, const Place &At, const BitVector &Has) {
  Value *Any = nullptr;
  for (const Access &W : S.Accesses) {
    auto Written = isWriteOf(W, At.Root) && &W != &Read ? placeOf(W) : std::nullopt;
    if (!Written)
      continue;
    if (hasEarlierTurns(W, *Written, Read, At, Has))
      return true;
    if (!isDoneBefore(W, *Written, Read))
      continue;
    if (Written->Coef == At.Coef && Written->Open == At.Open && Written->Factor == At.Factor && Written->Add == At.Add &&
        At.Size <= Written->Size && countersBeside(*Written, Read).empty() &&
        (!At.Open || Forms.Inners[*At.Open].L->contains(W.Mark->getParent())))
      return true; // by the same turn
    const bool Over = Written->Open && !Forms.Inners[*Written->Open].L->contains(Read.Mark->getParent());
    if (Value *Covers = Over ? covers(*Written, At, Has) : nullptr) {
      IRBuilder<> B(K.Begin);
      Any = Any ? B.CreateOr(Any, Covers) : Covers;
    }
  }
  if (Any)
    Conditions.push_back(Any);
  return Any;
}

bool OwnData::isWriteOf(const Access &W, const Value *Root) const {
  return W.Text.Writes && K.holds(W.Mark->getParent()) && Forms.inBody(W.Mark->getParent()) &&
         rootBehind(W.Mark->getArgOperand(0)) == Root && givesValues(W);
}

bool OwnData::isAssigned(const Access &Read) {
  auto At = placeOf(Read);
  if (!At || !Forms.inBody(Read.Mark->getParent()))
    return false;
  BitVector Always(unsigned(sizeOfObject(S.RT.DL, At->Root)));
  addInitialised(Read, *At, Always);
  SmallVector<Place, 8> InTurn; // what depends on the turn in which the read is
  for (const Access &W : S.Accesses) {
    auto Written = isWriteOf(W, At->Root) && &W != &Read ? placeOf(W) : std::nullopt;
    if (!Written || Written->Open || !isDoneBefore(W, *Written, Read))
      continue;
    const auto Own = countersBeside(*Written, Read);
    if (Own.size() == Written->Coef.size())
      addWritten(*Written, Own, {}, Always);
    else
      InTurn.push_back(*Written);
  }
  return (!At->Open && isCounted(Read, *At, Always, InTurn)) || isCovered(Read, *At, Always);
}

// Each turn is looked at.
bool OwnData::isCounted(const Access &Read, const Place &At, const BitVector &Always, ArrayRef<Place> InTurn) {
  auto IsThere = [&](const BitVector &Has, const Turn &Now) {
    const unsigned From = unsigned(At.in(Now));
    return Has.find_first_unset_in(From, From + unsigned(At.Size)) == -1;
  };
  const auto Shared = countersShared(InTurn, Read);
  SmallVector<unsigned, 4> Rest = At.counters();
  erase_if(Rest, [&](unsigned Inner) { return is_contained(Shared, Inner); });
  int64_t Work = turnsOf(Rest);
  for (const Place &P : InTurn)
    Work += turnsOf(countersBeside(P, Read));
  if (Work * turnsOf(Shared) > MostOfTurns * 8)
    return false;
  Turn T;
  return eachTurn(Shared, T, [&](const Turn &) {
    BitVector Has = Always;
    for (const Place &P : InTurn)
      addWritten(P, countersBeside(P, Read), T, Has);
    return eachTurn(Rest, T, [&](const Turn &Now) { return IsThere(Has, Now); });
  });
}

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
  for (auto [Inner, Factor] : Coef)
    Sum += Factor * T.at(Inner);
  return Sum;
}

SmallVector<unsigned, 4> OwnData::Place::counters() const {
  SmallVector<unsigned, 4> Used;
  for (auto [Inner, Factor] : Coef)
    Used.push_back(Inner);
  return Used;
}

static std::optional<int64_t> constantOf(const Linear &L) {
  if (L.More || any_of(L.Coef, [](int64_t C) { return C != 0; }))
    return std::nullopt;
  return L.Add;
}

bool OwnData::isCounted(unsigned Inner) const {
  const NestForms::Inner &I = Forms.Inners[Inner];
  auto Low = constantOf(I.Low), High = constantOf(I.High);
  return Low && High && I.Step && *Low > -INT32_MAX && *High < INT32_MAX && *High - *Low < MostOfTurns;
}

// False: it is not known what the subscript is.
bool OwnData::addCounted(Place &P, Value *Index, int64_t Factor, const BasicBlock *At) {
  auto Form = Index ? Forms.of(Index, At) : std::nullopt;
  if (!Form || Form->More || std::abs(Form->Add) > INT32_MAX || std::abs(Factor) > MostOfBytes)
    return false;
  P.Add += Factor * Form->Add;
  for (auto [N, By] : enumerate(Form->Coef)) {
    if (!By)
      continue;
    if (N < Forms.rank() || !isCounted(N - Forms.rank()) || std::abs(By) > MostOfBytes)
      return false;
    P.Coef[N - Forms.rank()] += Factor * By;
  }
  return true;
}

bool OwnData::isIn(const Place &P, int64_t Bytes) {
  Turn T;
  return eachTurn(P.counters(), T, [&](const Turn &Now) { return P.in(Now) >= 0 && P.in(Now) + P.Size <= Bytes; });
}

bool OwnData::inExtents(const Access &A) {
  for (auto [D, Index] : enumerate(A.Index)) {
    if (D >= A.Text.Extents.size() || !A.Text.Extents[D])
      continue;
    Place One;
    One.Size = 1;
    if (!addCounted(One, Index, 1, A.Mark->getParent()) || !isIn(One, *A.Text.Extents[D]))
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
      if (!addCounted(P, Index, Factor.getSExtValue(), A.Mark->getParent()))
        return std::nullopt;
    At = behindMarks(GEP->getPointerOperand());
  }
  P.Root = At;
  const int64_t Bytes = sizeOfObject(S.RT.DL, P.Root);
  return P.Size > 0 && Bytes <= MostOfBytes && inExtents(A) && isIn(P, Bytes) ? std::optional(P) : std::nullopt;
}

bool OwnData::isInside(const Access &A) { return placeOf(A).has_value(); }

// ---- In which turns -----------------------------------------------------------------------------------------------------------

// False: it does not hold in one of them, or they are too many.  'T' has the values of what is not counted here.
bool OwnData::eachTurn(ArrayRef<unsigned> Counters, Turn &T, function_ref<bool(const Turn &)> Holds) {
  int64_t Turns = 1;
  for (unsigned Inner : Counters) {
    Turns *= std::max<int64_t>(1, *constantOf(Forms.Inners[Inner].High) - *constantOf(Forms.Inners[Inner].Low) + 1);
    if (Turns > MostOfTurns)
      return false;
  }
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

SmallVector<unsigned, 4> OwnData::countersAround(const Access &Read) const {
  SmallVector<unsigned, 4> Around;
  for (unsigned Inner = 0; Inner < Forms.Inners.size(); ++Inner)
    if (Forms.Inners[Inner].L->contains(Read.Mark->getParent()) && isCounted(Inner))
      Around.push_back(Inner);
  return Around;
}

// ---- What has a value ---------------------------------------------------------------------------------------------------------

// In an iteration in which 'Read' is reached, and in the same turns of the loops that have both in them.
bool OwnData::isDoneBefore(const Access &Write, const Access &Read) {
  const BasicBlock *Then = Read.Mark->getParent();
  Loop *Whole = nullptr;
  for (Loop *L = Forms.LI.getLoopFor(Write.Mark->getParent()); L != Forms.Innermost && !L->contains(Then); L = L->getParentLoop()) {
    if (L->getExitingBlock() != L->getHeader())
      return false;
    Whole = L;
  }
  auto Done = [&](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && certainlyAssigns(S, Store, Forms.DT) && (Whole || Forms.DT.dominates(Store, Read.Mark));
  };
  return !Write.Mark->use_empty() && all_of(Write.Mark->users(), Done) &&
         (!Whole || (Forms.always(Write.Mark->getParent()) && Forms.DT.dominates(Whole->getHeader(), Then)));
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

bool OwnData::isAssigned(const Access &Read) {
  auto At = placeOf(Read);
  if (!At || !Forms.inBody(Read.Mark->getParent()))
    return false;
  BitVector Always(unsigned(sizeOfObject(S.RT.DL, At->Root)));
  addInitialised(Read, *At, Always);
  SmallVector<Place, 8> InTurn; // what depends on the turn in which the read is
  for (const Access &W : S.Accesses) {
    if (!W.Text.Writes || &W == &Read || !K.holds(W.Mark->getParent()) || !Forms.inBody(W.Mark->getParent()) ||
        rootBehind(W.Mark->getArgOperand(0)) != At->Root || !isDoneBefore(W, Read))
      continue;
    auto Written = placeOf(W);
    if (!Written)
      continue;
    const auto Own = countersBeside(*Written, Read);
    if (Own.size() == Written->Coef.size())
      addWritten(*Written, Own, {}, Always);
    else
      InTurn.push_back(*Written);
  }
  auto IsThere = [&](const BitVector &Has, const Turn &Now) {
    const unsigned From = unsigned(At->in(Now));
    return Has.find_first_unset_in(From, From + unsigned(At->Size)) == -1;
  };
  Turn T;
  return eachTurn(InTurn.empty() ? At->counters() : countersAround(Read), T, [&](const Turn &Now) {
    if (InTurn.empty())
      return IsThere(Always, Now);
    BitVector Has = Always;
    for (const Place &P : InTurn)
      addWritten(P, countersBeside(P, Read), Now, Has);
    return IsThere(Has, Now);
  });
}

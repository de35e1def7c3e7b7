#include "LocalArrays.h"
#include "Splits.h"
#include "Variables.h"
#include "pass/markers.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t MostOfTurns = 4096; // that one access is looked at in

// ---- Which element ------------------------------------------------------------------------------------------------------------

int64_t LocalArrays::Place::in(const Turn &T) const {
  int64_t Sum = Add;
  for (auto [Inner, Factor] : Coef)
    Sum += Factor * T.at(Inner);
  return Sum;
}

static std::optional<int64_t> constantOf(const Linear &L) {
  if (L.More || any_of(L.Coef, [](int64_t C) { return C != 0; }))
    return std::nullopt;
  return L.Add;
}

bool LocalArrays::isCounted(unsigned Inner) const {
  const NestForms::Inner &I = Forms.Inners[Inner];
  auto Low = constantOf(I.Low), High = constantOf(I.High);
  return Low && High && I.Step && *Low > -INT32_MAX && *High < INT32_MAX && *High - *Low < int64_t(MostOfTurns);
}

static SmallVector<uint64_t, 4> extentsOf(const Variable &V) {
  SmallVector<uint64_t, 4> Extents;
  for (Type *T = V.Alloca->getAllocatedType(); auto *Array = dyn_cast<ArrayType>(T); T = Array->getElementType())
    Extents.push_back(Array->getNumElements());
  return Extents;
}

// Null: not known, or a subscript may be outside.
std::optional<LocalArrays::Place> LocalArrays::placeOf(const Access &A) {
  const auto Extents = extentsOf(*A.Var);
  if (A.Index.size() != Extents.size())
    return std::nullopt;
  Place All;
  for (auto [Index, Extent] : zip(A.Index, Extents)) {
    auto Form = Index ? Forms.of(Index, A.Mark->getParent()) : std::nullopt;
    if (!Form || Form->More || std::abs(Form->Add) > INT32_MAX)
      return std::nullopt;
    Place One{{}, Form->Add};
    for (auto [N, Factor] : enumerate(Form->Coef)) {
      if (Factor && (N < Forms.rank() || !isCounted(N - Forms.rank()) || std::abs(Factor) > INT32_MAX))
        return std::nullopt;
      if (Factor)
        One.Coef[N - Forms.rank()] = Factor;
    }
    const uint64_t Most = Extent;
    Turn T;
    if (!eachTurn(variablesOf(One), T, [&](const Turn &Now) { return uint64_t(One.in(Now)) < Most; }))
      return std::nullopt;
    All.Add = All.Add * int64_t(Extent) + One.Add;
    for (auto &[N, Factor] : All.Coef)
      Factor *= int64_t(Extent);
    for (auto [N, Factor] : One.Coef)
      All.Coef[N] += Factor;
  }
  return All;
}

bool LocalArrays::isInside(const Access &A) { return placeOf(A).has_value(); }

// ---- In which turns -----------------------------------------------------------------------------------------------------------

SmallVector<unsigned, 4> LocalArrays::variablesOf(const Place &P) const {
  SmallVector<unsigned, 4> Used;
  for (auto [Inner, Factor] : P.Coef)
    Used.push_back(Inner);
  return Used;
}

// False: it does not hold in one of them, or they are too many.  'T' has the values of what is not counted here.
bool LocalArrays::eachTurn(ArrayRef<unsigned> Loops, Turn &T, function_ref<bool(const Turn &)> Holds) {
  uint64_t Turns = 1;
  for (unsigned Inner : Loops)
    Turns *= std::max<int64_t>(1, *constantOf(Forms.Inners[Inner].High) - *constantOf(Forms.Inners[Inner].Low) + 1);
  if (Turns > MostOfTurns)
    return false;
  if (Loops.empty())
    return Holds(T);
  const NestForms::Inner &I = Forms.Inners[Loops.front()];
  const int64_t Low = *constantOf(I.Low), High = *constantOf(I.High);
  for (int64_t V = I.Step > 0 ? Low : High; V >= Low && V <= High; V += I.Step) {
    T[Loops.front()] = V;
    if (!eachTurn(Loops.drop_front(), T, Holds))
      return false;
  }
  T.erase(Loops.front());
  return true;
}

// ---- What has a value ---------------------------------------------------------------------------------------------------------

// In an iteration in which 'Read' is reached, and in the same turns of the loops that have both in them.
bool LocalArrays::isDoneBefore(const Access &Write, const Access &Read) {
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

SmallVector<unsigned, 4> LocalArrays::countersBeside(const Place &P, const Access &Read) const {
  SmallVector<unsigned, 4> Own = variablesOf(P);
  erase_if(Own, [&](unsigned Inner) { return Forms.Inners[Inner].L->contains(Read.Mark->getParent()); });
  return Own;
}

// 'Own': counters that are not those of the read's turn.
void LocalArrays::addWritten(const Place &At, ArrayRef<unsigned> Own, const Turn &Now, SmallVectorImpl<bool> &Has) {
  Turn T = Now;
  eachTurn(Own, T, [&](const Turn &Each) { return Has[At.in(Each)] = true; });
}

// Initialisers.
void LocalArrays::addStored(const Access &Read, SmallVectorImpl<bool> &Has) {
  const Variable &V = *Read.Var;
  for (Instruction *I : V.Stores) {
    auto *Mem = dyn_cast<MemIntrinsic>(I);
    auto *Length = Mem ? dyn_cast<ConstantInt>(Mem->getLength()) : nullptr;
    APInt Offset(S.RT.DL.getIndexSizeInBits(0), 0);
    Value *To = Mem ? Mem->getRawDest() : getLoadStorePointerOperand(I);
    if (To->stripAndAccumulateConstantOffsets(S.RT.DL, Offset, true) != V.Alloca || (Mem && !Length) || !Forms.inBody(I->getParent()) ||
        !Forms.DT.dominates(I, Read.Mark) || !certainlyAssigns(S, I, Forms.DT))
      continue;
    const uint64_t From = Offset.getZExtValue(), Size = Length ? Length->getZExtValue() : V.ElementSize;
    for (uint64_t N = (From + V.ElementSize - 1) / V.ElementSize; N < V.Count && (N + 1) * V.ElementSize <= From + Size; ++N)
      Has[N] = true;
  }
}

bool LocalArrays::isAssigned(const Access &Read) {
  auto At = placeOf(Read);
  if (!At)
    return false;
  SmallVector<bool, 64> Always(Read.Var->Count, false);
  addStored(Read, Always);
  SmallVector<Place, 8> InTurn; // what depends on the turn in which the read is
  for (const Access &W : S.Accesses) {
    if (W.Var != Read.Var || !W.Text.Writes || &W == &Read || !K.holds(W.Mark->getParent()) || !isDoneBefore(W, Read))
      continue;
    auto Place = placeOf(W);
    if (!Place)
      continue;
    const auto Own = countersBeside(*Place, Read);
    if (Own.size() == Place->Coef.size())
      addWritten(*Place, Own, {}, Always);
    else
      InTurn.push_back(*Place);
  }
  SmallVector<unsigned, 4> Around;
  for (unsigned Inner = 0; Inner < Forms.Inners.size(); ++Inner)
    if (Forms.Inners[Inner].L->contains(Read.Mark->getParent()) && isCounted(Inner))
      Around.push_back(Inner);
  Turn T;
  return eachTurn(Around, T, [&](const Turn &Now) {
    SmallVector<bool, 64> Has = Always;
    for (const Place &P : InTurn)
      addWritten(P, countersBeside(P, Read), Now, Has);
    return Has[At->in(Now)];
  });
}

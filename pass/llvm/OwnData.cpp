#include "OwnData.h"
#include "LoopForms.h"
#include "Splits.h"
#include "pass/markers.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

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
  if (Variable *V = S.VariableOf.lookup(At.Root); V && any_of(V->Starts, [&](Instruction *Start) { return I.L->contains(Start); }))
    return false; // it begins anew in each turn
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
         pointerRoot(W.Mark->getArgOperand(0)) == Root && givesValues(W);
}

bool OwnData::isAssigned(const Access &Read) {
  auto At = placeOf(Read);
  if (!At || !Forms.inBody(Read.Mark->getParent()))
    return false;
  BitVector Always(unsigned(extentOf(At->Root).Bytes));
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
  return (!At->Open && isEachThere(Read, *At, Always, InTurn)) || isCovered(Read, *At, Always);
}

// Each turn is looked at.
bool OwnData::isEachThere(const Access &Read, const Place &At, const BitVector &Always, ArrayRef<Place> InTurn) {
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

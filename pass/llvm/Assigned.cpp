// Definite assignment: what a function certainly assigns before it reads needs no words, and no test; what it gives a value before
// anybody else can see it need not be told to have none.
#include "Memory.h"
#include "Parameters.h"
#include "Splits.h"
#include "pass/markers.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace dvmir;

namespace {
class Assignment {
  enum Kind { Begins, IsWritten, IsRead };
  struct Event {
    unsigned Variable;
    Kind What;
    Access *Reader;
  };
  FunctionState &S;
  const Parameters &Functions;
  std::vector<Variable *> Candidates;
  DenseMap<const Variable *, unsigned> Number;
  DenseMap<const Instruction *, SmallVector<Event, 2>> At;
  DenseMap<const BasicBlock *, SmallVector<Event, 8>> Events; // in order
  DenseMap<const BasicBlock *, BitVector> Out; // assigned behind the block

  void note(const Instruction *I, const Variable *V, Kind What, Access *Reader = nullptr) {
    At[I].push_back({Number.lookup(V), What, Reader});
  }
  void collect();
  void collectUses(Variable &V);
  void noteUse(Variable &V, Instruction *User, unsigned Operand);
  uint64_t sizeOf(const Variable &V) const { return S.RT.DL.getTypeAllocSize(V.Alloca->getAllocatedType()).getFixedValue(); }
  bool fills(const Variable &V, Type *T) const { return S.RT.DL.getTypeStoreSize(T) == sizeOf(V); }
  BitVector before(const BasicBlock *BB);
  void solve();
  void judge();

public:
  Assignment(FunctionState &State, const Parameters &Known) : S(State), Functions(Known) {}
  void run();
};
} // namespace

// Of a variable whose address is passed on: whatever is not seen to assign all of it may read.
void Assignment::noteUse(Variable &V, Instruction *User, unsigned Operand) {
  auto *Store = dyn_cast<StoreInst>(User);
  auto *Fill = dyn_cast<MemSetInst>(User);
  auto *Life = dyn_cast<IntrinsicInst>(User);
  if (Life && Life->isLifetimeStartOrEnd())
    return;
  if (Store && Operand == StoreInst::getPointerOperandIndex() && fills(V, Store->getValueOperand()->getType()))
    return note(User, &V, IsWritten);
  if (auto *Copy = dyn_cast<MemTransferInst>(User);
      Copy && Operand == 0 && looksBeforeCopy(S, *Copy) && cast<ConstantInt>(Copy->getLength())->getValue() == sizeOf(V))
    return note(User, &V, IsWritten);
  auto *Length = Fill ? dyn_cast<ConstantInt>(Fill->getLength()) : nullptr;
  if (Length && Length->getValue() == sizeOf(V))
    return note(User, &V, IsWritten);
  if (markerName(User) == DVMM_ACCESS && !User->use_empty() && all_of(User->uses(), [](const Use &U) {
        return isa<StoreInst>(U.getUser()) && U.getOperandNo() == StoreInst::getPointerOperandIndex();
      })) {
    for (Use &U : User->uses())
      noteUse(V, cast<Instruction>(U.getUser()), U.getOperandNo());
    return;
  }
  if (auto *Call = dyn_cast<CallBase>(User); Call && Functions.assigns(*Call, Operand) && Functions.assigns(*Call, Operand) >= sizeOf(V))
    return note(User, &V, IsWritten);
  note(User, &V, IsRead);
}

void Assignment::collectUses(Variable &V) {
  for (Use &U : V.Alloca->uses())
    noteUse(V, cast<Instruction>(U.getUser()), U.getOperandNo());
}

void Assignment::collect() {
  std::optional<DominatorTree> DT;
  auto Assigns = [&](Instruction *I) {
    if (copiedValue(I) && !DT)
      DT.emplace(S.F);
    return !DT || certainlyAssigns(S, I, *DT);
  };
  for (Variable *V : Candidates) {
    if (V->Tracked) {
      for (Instruction *I : V->Starts)
        note(I, V, Begins);
      collectUses(*V);
      continue;
    }
    for (Instruction *I : V->Starts)
      note(I, V, Begins);
    for (Instruction *I : V->Stores)
      note(I, V, Assigns(I) ? IsWritten : Begins);
  }
  for (Access &A : S.Accesses) {
    if (!A.Var || !Number.contains(A.Var))
      continue;
    if (A.Text.Reads)
      note(A.Mark, A.Var, IsRead, &A);
    if (A.Text.Writes)
      note(A.Mark, A.Var, IsWritten);
  }
  for (BasicBlock &BB : S.F)
    for (Instruction &I : BB)
      if (auto Found = At.find(&I); Found != At.end())
        append_range(Events[&BB], Found->second);
}

// Of blocks not yet known the best is assumed; the solution only gets worse.
BitVector Assignment::before(const BasicBlock *BB) {
  BitVector In(Candidates.size(), BB != &S.F.getEntryBlock());
  for (const BasicBlock *P : predecessors(BB))
    if (auto Known = Out.find(P); Known != Out.end())
      In &= Known->second;
  return In;
}

void Assignment::solve() {
  ReversePostOrderTraversal<Function *> Order(&S.F);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock *BB : Order) {
      BitVector Now = before(BB);
      for (const Event &E : Events[BB])
        if (E.What != IsRead)
          Now[E.Variable] = E.What == IsWritten;
      BitVector &Old = Out[BB];
      Changed |= Old != Now;
      Old = std::move(Now);
    }
  }
}

void Assignment::judge() {
  for (Variable *V : Candidates)
    (V->Tracked ? V->Given : V->Sure) = true;
  for (BasicBlock &BB : S.F) {
    auto Here = Events.find(&BB);
    if (Here == Events.end() || !Out.count(&BB))
      continue;
    BitVector Now = before(&BB);
    for (const Event &E : Here->second) {
      if (E.What != IsRead)
        Now[E.Variable] = E.What == IsWritten;
      else if (!Now[E.Variable])
        Candidates[E.Variable]->Sure = Candidates[E.Variable]->Given = false;
      else if (E.Reader)
        E.Reader->Sure = true;
    }
  }
}

void Assignment::run() {
  for (auto &V : S.Variables)
    if (V->Tracked ? V->Alloca->isStaticAlloca() && !V->Alloca->isArrayAllocation() && !S.RT.InLoops.contains(&S.F)
                   : V->Words && !V->isArray()) {
      Number[V.get()] = Candidates.size();
      Candidates.push_back(V.get());
    }
  if (Candidates.empty())
    return;
  collect();
  solve();
  judge();
}

void dvmir::proveAssigned(FunctionState &S, const Parameters &Functions) {
  // Iterations have words of their own; longjmp goes ways that no edge shows.
  if (S.Volatile || any_of(S.Constructs, [](const auto &K) { return K.second->hasIterations(); }))
    return;
  Assignment(S, Functions).run();
}

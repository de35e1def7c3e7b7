// Definite assignment: what a function certainly assigns before it reads needs no words, and no test.
#include "Function.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"

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
  std::vector<Variable *> Candidates;
  DenseMap<const Variable *, unsigned> Number;
  DenseMap<const Instruction *, SmallVector<Event, 2>> At;
  DenseMap<const BasicBlock *, SmallVector<Event, 8>> Events; // in order
  DenseMap<const BasicBlock *, BitVector> Out; // assigned behind the block

  void note(const Instruction *I, const Variable *V, Kind What, Access *Reader = nullptr) {
    At[I].push_back({Number.lookup(V), What, Reader});
  }
  void collect();
  BitVector before(const BasicBlock *BB);
  void solve();
  void judge();

public:
  explicit Assignment(FunctionState &State) : S(State) {}
  void run();
};
} // namespace

void Assignment::collect() {
  for (Variable *V : Candidates) {
    for (Instruction *I : V->Starts)
      note(I, V, Begins);
    for (Instruction *I : V->Stores)
      note(I, V, IsWritten);
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
    V->Sure = true;
  for (BasicBlock &BB : S.F) {
    auto Here = Events.find(&BB);
    if (Here == Events.end() || !Out.count(&BB))
      continue;
    BitVector Now = before(&BB);
    for (const Event &E : Here->second) {
      if (E.What != IsRead)
        Now[E.Variable] = E.What == IsWritten;
      else if (Now[E.Variable])
        E.Reader->Sure = true;
      else
        Candidates[E.Variable]->Sure = false;
    }
  }
}

void Assignment::run() {
  for (auto &V : S.Variables)
    if (V->Words && !V->isArray()) {
      Number[V.get()] = Candidates.size();
      Candidates.push_back(V.get());
    }
  if (Candidates.empty())
    return;
  collect();
  solve();
  judge();
}

void dvmir::proveAssigned(FunctionState &S) {
  // Iterations have words of their own; longjmp goes ways that no edge shows.
  if (S.Volatile || any_of(S.Constructs, [](const auto &K) { return K.second->hasIterations(); }))
    return;
  Assignment(S).run();
}

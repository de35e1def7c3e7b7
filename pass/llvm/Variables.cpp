#include "Variables.h"
#include "Function.h"
#include "Splits.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t MaxElements = 64;

unsigned Variable::kind(const Construct *K) const {
  if (!K)
    return DVMRT_L_PLAIN;
  auto It = Kinds.find(K);
  if (It != Kinds.end())
    return It->second;
  // What is not written in the construct cannot go wrong there; a task may read what another one has written.
  if ((!Written.lookup(K) && K->Text.Kind != "on") || Inner.lookup(K))
    return DVMRT_L_PLAIN;
  return K->Text.Mapped ? DVMRT_L_FIRST : DVMRT_L_SHARED;
}

// ---- What may keep its words here ----

// Element type of a scalar or small array of scalars, or null.
static Type *scalarElement(Type *T, uint64_t &Count) {
  Count = 1;
  while (auto *Array = dyn_cast<ArrayType>(T)) {
    Count *= Array->getNumElements();
    T = Array->getElementType();
    if (Count > MaxElements)
      return nullptr;
  }
  bool IsScalar = T->isPointerTy() || T->isFloatingPointTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
  return IsScalar && Count ? T : nullptr;
}

namespace {
// Follows the address of one alloca.
class UseWalk {
  FunctionState &S;
  Variable &V;
  SmallVector<std::pair<Value *, bool>, 8> Work; // derived pointer; through a marker that says 'written'

  void memory(Type *T) {
    if (S.RT.DL.getTypeAllocSize(T) != V.ElementSize)
      V.Escapes = true;
  }
  void intrinsic(IntrinsicInst *I, const Use &U);
  void marker(CallInst *Call, StringRef Name, const Use &U, bool Written);
  void use(const Use &U, bool Written);

public:
  UseWalk(FunctionState &State, Variable &Var) : S(State), V(Var) {}
  void run() {
    Work.push_back({V.Alloca, false});
    while (!Work.empty()) {
      auto [P, Written] = Work.pop_back_val();
      for (const Use &U : P->uses())
        use(U, Written);
    }
  }
};
} // namespace

// Whole or part, from an offset that is known: an initialiser.
static bool isInitialiser(const DataLayout &DL, MemIntrinsic *I) {
  APInt Offset(DL.getIndexSizeInBits(0), 0);
  Value *Base = I->getDest()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  if (!isa<AllocaInst>(Base) || !isa<ConstantInt>(I->getLength()))
    return false;
  if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
    auto *From = dyn_cast<GlobalVariable>(Copy->getSource()->stripInBoundsConstantOffsets());
    return From && From->isConstant();
  }
  return true;
}

void UseWalk::intrinsic(IntrinsicInst *I, const Use &U) {
  switch (I->getIntrinsicID()) {
  case Intrinsic::lifetime_start: V.Starts.push_back(I); return;
  case Intrinsic::lifetime_end:
  case Intrinsic::var_annotation: return;
  default: break;
  }
  auto *Mem = dyn_cast<MemIntrinsic>(I);
  if (Mem && U.getOperandNo() == 0 && isInitialiser(S.RT.DL, Mem))
    V.Stores.push_back(I);
  else
    V.Escapes = true;
}

// Whether the runtime can do without the address that this '&' stands for.
static bool mayStayPrivate(const DirectiveText &D, unsigned Arg, const Variable &V) {
  if (Arg >= D.Args.size())
    return false;
  switch (D.Args[Arg].Line) {
  case DVMRT_DIRECTIVE_PRIVATE: return true;
  case DVMRT_DIRECTIVE_REDUCTION: // in groups others must see who touches it after the loop; and what is no part of a location is none of the result
    return !D.Group && (!D.Args[Arg].Location || V.Count <= D.Args[Arg].Location);
  default: return false;
  }
}

void UseWalk::marker(CallInst *Call, StringRef Name, const Use &U, bool Written) {
  unsigned Arg = U.getOperandNo();
  if (Name == DVMM_ACCESS && Arg == 0) {
    bool Writes = AccessText::parse(markerText(Call->getArgOperand(2))).Writes;
    V.Marked = true;
    return Work.push_back({Call, Written || Writes});
  }
  if (Name == DVMM_ITER)
    return;
  if (Arg >= 1 && (Name == DVMM_ENTER || Name == DVMM_DIRECT)) {
    auto D = DirectiveText::parse(markerText(Call->getArgOperand(0)));
    if (mayStayPrivate(D, Arg - 1, V))
      return V.Arguments.push_back({Call, Arg});
  }
  V.Escapes = true;
}

void UseWalk::use(const Use &U, bool Written) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    V.Marked |= any_of(Load->users(), [](const User *By) { return isa<StoreInst>(By) && copiedValue(cast<Instruction>(By)); });
    return memory(Load->getType());
  }
  if (auto *Store = dyn_cast<StoreInst>(I)) {
    if (U.getOperandNo() != StoreInst::getPointerOperandIndex())
      V.Escapes = true;
    else if (!Written)
      V.Stores.push_back(I);
    return memory(Store->getValueOperand()->getType());
  }
  if (isa<GetElementPtrInst>(I))
    return Work.push_back({I, Written});
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(I))
    return intrinsic(Intrinsic, U);
  if (StringRef Name = markerName(I); !Name.empty())
    return marker(cast<CallInst>(I), Name, U, Written);
  V.Escapes = true;
}

// ---- Kinds ----

static Variable *variableAt(FunctionState &S, Value *Address) { return S.VariableOf.lookup(Address->stripInBoundsConstantOffsets()); }

static void noteKinds(FunctionState &S, Variable &V) {
  for (auto [Call, Arg] : V.Arguments)
    for (auto &[Cid, K] : S.Constructs)
      if (K->Enter == Call && Arg - 1 < K->Text.Args.size()) {
        char Line = K->Text.Args[Arg - 1].Line;
        if (Line == DVMRT_DIRECTIVE_PRIVATE)
          V.Kinds[K.get()] = DVMRT_L_PRIVATE;
        else if (Line == DVMRT_DIRECTIVE_REDUCTION)
          V.Kinds[K.get()] = DVMRT_L_REDUCTION;
      }
}

static bool livesInside(const Variable &V, const Construct &K) {
  for (IntrinsicInst *I : V.Starts)
    if (K.holds(I->getParent()))
      return true;
  if (!V.Starts.empty() || V.Declared.Line == 0 || K.Text.Loop.Line == 0)
    return false;
  // No lifetime markers (some at -O0): a declaration behind the head of the loop, seen from inside, is in the nest.
  return V.Declared.File == K.Text.File && std::pair(V.Declared.Line, V.Declared.Column) > std::pair(K.Text.Loop.Line, K.Text.Loop.Column);
}

static void noteWrite(FunctionState &S, Variable &V, const BasicBlock *BB) {
  for (auto &[Cid, K] : S.Constructs)
    if (K->hasIterations() && K->holds(BB))
      V.Written[K.get()] = true;
}

// The variable and, for an array, the place in it that a pointer is.
static Variable *rootOf(FunctionState &S, Value *P) {
  for (;;) {
    if (auto *GEP = dyn_cast<GetElementPtrInst>(P))
      P = GEP->getPointerOperand();
    else if (markerName(P) == DVMM_ACCESS)
      P = cast<CallInst>(P)->getArgOperand(0);
    else
      return S.VariableOf.lookup(P);
  }
}

static void decide(FunctionState &S, Variable &V) {
  Type *Element = scalarElement(V.Alloca->getAllocatedType(), V.Count);
  bool Fits = Element && V.Alloca->isStaticAlloca() && !V.Alloca->isArrayAllocation();
  V.ElementSize = Element ? S.RT.DL.getTypeAllocSize(Element).getFixedValue() : 0;
  bool EscapesByType = !Fits || V.Alloca->isSwiftError() || V.Alloca->isUsedWithInAlloca();
  UseWalk(S, V).run();
  V.Tracked = (V.Escapes || EscapesByType) && (V.Escapes || V.Marked);
  if (!V.Marked || V.Escapes || EscapesByType)
    return;
  V.Words =
      S.slot(V.Count > 1 || V.Alloca->getAllocatedType()->isArrayTy() ? static_cast<Type *>(ArrayType::get(S.RT.I32, V.Count)) : S.RT.I32,
             V.Alloca->getName() + ".dvm");
}

void dvmir::findVariables(FunctionState &S) {
  for (Instruction &I : instructions(S.F))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I)) {
      S.Variables.push_back(std::make_unique<Variable>());
      S.Variables.back()->Alloca = Alloca;
      S.VariableOf[Alloca] = S.Variables.back().get();
    }
  for (auto &V : S.Variables)
    decide(S, *V);
  for (auto &V : S.Variables) {
    noteKinds(S, *V);
    for (Instruction *Store : V->Stores)
      noteWrite(S, *V, Store->getParent());
  }
  for (auto &[Cid, K] : S.Constructs)
    for (CallInst *Iter : K->Iters)
      for (unsigned Arg = 2; Arg < Iter->arg_size(); Arg += 2)
        if (Variable *V = variableAt(S, Iter->getArgOperand(Arg)))
          V->Kinds[K.get()] = DVMRT_L_INDEX;
  for (Access &A : S.Accesses) {
    Variable *V = rootOf(S, A.Mark);
    if (!V)
      continue;
    V->Declared = A.Text.Declared;
    if (A.Text.Writes)
      noteWrite(S, *V, A.Mark->getParent());
    if (V->Words)
      A.Var = V;
  }
  for (auto &V : S.Variables)
    for (auto &[Cid, K] : S.Constructs)
      V->Inner[K.get()] = livesInside(*V, *K);
}

// ---- Lowering ----

// Bytes between the variable and 'P'.
static Value *offsetIn(FunctionState &S, IRBuilderBase &B, Value *P) {
  Value *Offset = B.getInt64(0);
  for (;;) {
    if (auto *GEP = dyn_cast<GetElementPtrInst>(P)) {
      Offset = B.CreateAdd(Offset, emitGEPOffset(&B, S.RT.DL, GEP));
      P = GEP->getPointerOperand();
    } else if (markerName(P) == DVMM_ACCESS) {
      P = cast<CallInst>(P)->getArgOperand(0);
    } else {
      return Offset;
    }
  }
}

static void setAll(FunctionState &S, IRBuilderBase &B, Variable &V, Value *Word) {
  if (V.isArray())
    S.RT.fast(B, "dvmi_local_fill", S.RT.Void, {V.Words, B.getInt64(V.Count), Word});
  else
    S.store(B, Word, V.Words);
}

// A function that is known to write there: by the element that is the farthest from being the iteration's own.
static void judgeRange(FunctionState &S, IRBuilder<> &B, Variable &V, Construct &K, MemIntrinsic *Mem, Value *Offset) {
  Value *Bytes = B.CreateZExtOrTrunc(Mem->getLength(), S.RT.I64);
  Value *Args[] = {V.Words, B.getInt64(V.Count),        B.getInt64(V.ElementSize), Offset,
                   Bytes,   S.limit(B, &K, LimitWrite), S.limit(B, &K, LimitBase)};
  Value *Word = S.RT.fast(B, "dvmi_local_judged", S.RT.I32, Args);
  S.RT.call(B, "__dvmrt_local",
            {S.rangeSite(Mem, 0), Word, B.getInt32(DVMRT_L_FIRST), B.getInt32(DVMRT_WRITE), ConstantPointerNull::get(S.RT.Ptr)});
  S.RT.fast(B, "dvmi_local_written", S.RT.Void, Args);
}

// Has what a copy of a struct has loaded a value?  Null: yes.
static Value *lacksValue(FunctionState &S, IRBuilderBase &B, const LoadInst *Load) {
  auto *P = const_cast<Value *>(Load->getPointerOperand());
  if (Variable *V = rootOf(S, P)) {
    if (!V->Tracked)
      return V->Words && !V->Sure && !V->isArray() ? B.CreateICmpULT(S.load(B, V->Words), B.getInt32(DVMRT_W_FIRST)) : nullptr;
  }
  Value *Size = B.getInt64(S.RT.DL.getTypeStoreSize(Load->getType()).getFixedValue());
  return B.CreateIsNotNull(S.RT.call(B, "__dvmrt_lacks", {P, Size}));
}

bool dvmir::certainlyAssigns(const FunctionState &S, const Instruction *Store, const DominatorTree &DT, unsigned Depth) {
  const LoadInst *Load = copiedValue(Store);
  if (!Load)
    return true;
  Variable *V = rootOf(const_cast<FunctionState &>(S), const_cast<Value *>(Load->getPointerOperand()));
  if (!V || V->Tracked || !Depth)
    return false;
  auto Before = [&](const Instruction *I) { return DT.dominates(I, Load) && certainlyAssigns(S, I, DT, Depth - 1); };
  if (!V->Words || V->Sure || any_of(V->Stores, Before))
    return true;
  return any_of(S.Accesses, [&](const Access &A) {
    return A.Var == V && A.Text.Writes &&
           any_of(A.Mark->users(), [&](User *U) { return isa<StoreInst>(U) && Before(cast<Instruction>(U)); });
  });
}

// What a member lacks goes with the copy.
void dvmir::lowerCopied(FunctionState &S, StoreInst *Store) {
  const LoadInst *Load = copiedValue(Store);
  Variable *V = Load ? rootOf(S, const_cast<Value *>(Load->getPointerOperand())) : nullptr;
  if (!V || V->Tracked || !V->Words)
    return;
  IRBuilder<> B(Store->getNextNode());
  Value *Lacks = lacksValue(S, B, Load);
  if (!Lacks)
    return;
  IRBuilder<> Then(SplitBlockAndInsertIfThen(Lacks, &*B.GetInsertPoint(), false, S.RT.Unlikely));
  S.RT.call(Then, "__dvmrt_lack", {Store->getPointerOperand(), Then.getInt64(S.RT.DL.getTypeStoreSize(Load->getType()).getFixedValue())});
}

// An unmarked store: the value of an initialisation, a parameter.
static void lowerStore(FunctionState &S, Variable &V, Instruction *Store) {
  IRBuilder<> B(Store);
  Construct *K = S.around(Store->getParent());
  unsigned Kind = V.kind(K);
  Value *Word = Kind == DVMRT_L_PLAIN || Kind == DVMRT_L_REDUCTION ? B.getInt32(DVMRT_W_ASSIGNED) : S.limit(B, K, LimitWrite);
  if (const LoadInst *Copied = copiedValue(Store))
    if (Value *Lacks = lacksValue(S, B, Copied))
      Word = B.CreateSelect(Lacks, B.getInt32(DVMRT_W_NEVER), Word);
  auto *Mem = dyn_cast<MemIntrinsic>(Store);
  const bool Judged = Kind == DVMRT_L_FIRST && Mem && !S.rangeSite(Mem, 0)->isNullValue();
  if (!V.isArray() && !Judged) {
    S.store(B, Word, V.Words);
    return;
  }
  Value *Offset = offsetIn(S, B, Mem ? Mem->getDest() : getLoadStorePointerOperand(Store));
  Value *Bytes = Mem ? Mem->getLength() : B.getInt64(V.ElementSize);
  if (Judged)
    return judgeRange(S, B, V, *K, Mem, Offset);
  if (Kind == DVMRT_L_FIRST && isa_and_nonnull<MemSetInst>(Mem) && !V.Starts.empty()) {
    S.RT.fast(B, "dvmi_local_filled", S.RT.Void,
              {V.Words, B.getInt64(V.Count), B.getInt64(V.ElementSize), Offset, B.CreateZExtOrTrunc(Bytes, S.RT.I64), Word,
               S.limit(B, K, LimitBase)});
    return;
  }
  S.RT.fast(B, "dvmi_local_part", S.RT.Void,
            {V.Words, B.getInt64(V.Count), B.getInt64(V.ElementSize), Offset, B.CreateZExtOrTrunc(Bytes, S.RT.I64), Word});
}

// At the entry of a construct its private variables lose their value.
static void lowerBegin(FunctionState &S, Variable &V, Construct &K) {
  if (V.Kinds.lookup(&K) != DVMRT_L_PRIVATE || !K.Begin)
    return;
  IRBuilder<> B(K.Begin);
  setAll(S, B, V, B.getInt32(DVMRT_W_PRIVATE));
}

// Behind the construct no word may look as if it were of an iteration.
static void lowerLeave(FunctionState &S, Variable &V, Construct &K) {
  unsigned Kind = V.kind(&K);
  if (Kind == DVMRT_L_PLAIN || Kind == DVMRT_L_REDUCTION)
    return;
  for (CallInst *Leave : K.Leaves) {
    IRBuilder<> B(Leave);
    if (Kind == DVMRT_L_PRIVATE) {
      setAll(S, B, V, B.getInt32(DVMRT_W_PRIVATE));
      continue;
    }
    Value *Written = B.getInt32(Kind == DVMRT_L_SHARED ? DVMRT_W_ASSIGNED : DVMRT_W_PRIVATE);
    Value *Base = S.limit(B, &K, LimitBase);
    if (V.isArray())
      S.RT.fast(B, "dvmi_local_leave_all", S.RT.Void, {V.Words, B.getInt64(V.Count), Base, Written});
    else
      S.store(B, S.RT.fast(B, "dvmi_local_leave", S.RT.I32, {S.load(B, V.Words), Base, Written}), V.Words);
  }
}

static void keepWords(FunctionState &S, Variable &V) {
  IRBuilder<> Entry(S.entryPoint());
  setAll(S, Entry, V, Entry.getInt32(DVMRT_W_NEVER));
  for (IntrinsicInst *Start : V.Starts) {
    IRBuilder<> B(Start->getNextNode());
    setAll(S, B, V, B.getInt32(DVMRT_W_NEVER));
  }
  for (Instruction *Store : V.Stores)
    lowerStore(S, V, Store);
  for (auto &[Cid, K] : S.Constructs) {
    if (!K->hasIterations())
      continue;
    lowerBegin(S, V, *K);
    lowerLeave(S, V, *K);
    bool Restarts = V.Starts.empty() && V.Inner.lookup(K.get()) && V.Kinds.lookup(K.get()) == DVMRT_L_PLAIN;
    for (CallInst *Iter : K->Iters)
      if (Restarts) {
        IRBuilder<> B(Iter);
        setAll(S, B, V, B.getInt32(DVMRT_W_NEVER));
      }
  }
}

static void lowerVariable(FunctionState &S, Variable &V) {
  if (V.Sure) {
    V.Words->eraseFromParent();
    V.Words = nullptr;
  } else {
    keepWords(S, V);
  }
  // The runtime gets no address of what it cannot see.
  for (auto [Call, Arg] : V.Arguments)
    Call->setArgOperand(Arg, ConstantPointerNull::get(S.RT.Ptr));
}

void dvmir::lowerVariables(FunctionState &S) {
  for (Access &A : S.Accesses)
    if (A.Var && A.Var->isArray()) {
      IRBuilder<> B(A.Mark);
      A.Offset = offsetIn(S, B, A.Mark->getArgOperand(0));
    }
  for (auto &V : S.Variables)
    if (V->Words)
      lowerVariable(S, *V);
}

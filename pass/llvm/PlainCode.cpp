#include "PlainCode.h"
#include "Linear.h"
#include "LoopForms.h"
#include "pass/markers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

// Functions of the standard library that compute and do nothing else (errno aside).
static bool isMathematicalName(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", true)
      .Cases("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", true)
      .Cases("fabs", "fmax", "fmin", "fdim", "fmod", "floor", "ceil", "round", "trunc", "hypot", true)
      .Cases("erf", "abs", "labs", "llabs", true)
      .Default(false);
}

bool dvmir::isMathematical(const Function *F) {
  StringRef Name = F->getName();
  return F->isDeclaration() &&
         (isMathematicalName(Name) || ((Name.ends_with("f") || Name.ends_with("l")) && isMathematicalName(Name.drop_back())));
}

SmallVector<Value *, 4> PlainCode::results() const {
  SmallVector<Value *, 4> Found;
  if (!K.Enter)
    return Found;
  auto Values = markerArguments(K.Enter);
  for (unsigned N = 0; N < K.Text.Args.size() && N < Values.size(); ++N)
    if (K.Text.Args[N].Line == DVMRT_DIRECTIVE_REDUCTION && Values[N]->getType()->isPointerTy() && !is_contained(Found, Values[N]))
      Found.push_back(Values[N]);
  return Found;
}

bool PlainCode::isReduction(Value *P) const { return is_contained(results(), P); }

const char *PlainCode::checkCall(CallBase &Call) const {
  static const char Calls[] = "it calls a function";
  if (!isa<CallInst>(Call) || Call.isInlineAsm())
    return Calls;
  StringRef Mark = markerName(&Call);
  if (!Mark.empty())
    return Mark == DVMM_ENTER || Mark == DVMM_DIRECT || Mark == DVMM_BIND ? "it contains other directives"
           : Mark == DVMM_SECTION                                         ? "it accesses whole arrays"
                                                                          : nullptr;
  Function *F = Call.getCalledFunction();
  if (!F)
    return Calls;
  if (F->getName() == "__dvmrt_reduction" || F->getName() == "__dvmrt_results")
    return nullptr;
  if (F->getName() == "__dvmrt_escape")
    return "it uses a partial value of a reduction";
  if (auto *I = dyn_cast<IntrinsicInst>(&Call)) {
    if (I->isAssumeLikeIntrinsic() || I->doesNotAccessMemory())
      return nullptr;
    return "it copies memory";
  }
  if (isMathematical(F) || (F->isDeclaration() && F->doesNotAccessMemory()))
    return nullptr;
  return Calls;
}

// A store that no mark covers.
const char *PlainCode::checkStore(Value *P) const {
  bool Marked = false;
  for (;; P = cast<CallInst>(P)->getArgOperand(0)) {
    if (auto *GEP = dyn_cast<GEPOperator>(P)) {
      P = GEP->getPointerOperand();
      if (!isa<GEPOperator>(P) && markerName(P) != DVMM_ACCESS)
        break;
      if (isa<GEPOperator>(P)) {
        while (auto *Outer = dyn_cast<GEPOperator>(P))
          P = Outer->getPointerOperand();
        if (markerName(P) != DVMM_ACCESS)
          break;
      }
    }
    if (markerName(P) != DVMM_ACCESS)
      break;
    Marked |= AccessText::parse(markerText(cast<CallInst>(P)->getArgOperand(2))).Writes;
  }
  if (Marked)
    return nullptr; // judged as an access
  auto *A = dyn_cast<AllocaInst>(P);
  Variable *V = A ? S.VariableOf.lookup(A) : nullptr;
  if (A && (!V || !V->Tracked))
    return nullptr;
  return isReduction(P) ? nullptr : "it writes data that are neither distributed nor private";
}

bool PlainCode::callsOthers() const {
  for (BasicBlock *BB : K.Blocks)
    for (Instruction &I : *BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && markerName(Call).empty() &&
                                               !S.RT.Pure.contains(Call->getCalledFunction()) && checkCall(*Call))
        return true;
  return false;
}

const char *PlainCode::check(Instruction &I) const {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple() ? checkStore(Store->getPointerOperand()) : "it has volatile or atomic accesses";
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() ? nullptr : "it has volatile or atomic accesses";
  if (I.isAtomic())
    return "it has volatile or atomic accesses";
  if (auto *Call = dyn_cast<CallBase>(&I))
    return checkCall(*Call);
  if (isa<AllocaInst, IndirectBrInst, ReturnInst>(I))
    return "it contains a variable-length array";
  return nullptr;
}

bool PlainCode::isOnlyRead(GlobalVariable *G) const {
  if (!G->hasLocalLinkage() || G->isThreadLocal())
    return false;
  SmallVector<User *, 16> Work(G->users());
  while (!Work.empty()) {
    User *U = Work.pop_back_val();
    auto *I = dyn_cast<Instruction>(U);
    if (I && I->getFunction() != &S.F)
      return false;
    auto *Store = dyn_cast<StoreInst>(U);
    if (isa<GEPOperator>(U) || markerName(U) == DVMM_ACCESS)
      append_range(Work, U->users());
    else if (Store
                 ? pointerRoot(Store->getPointerOperand()) != G || pointerRoot(Store->getValueOperand()) == G || K.holds(Store->getParent())
                 : !isa<LoadInst>(U))
      return false;
  }
  return true;
}

AllocaInst *dvmir::resultSlot(FunctionState &S, const Access &A) {
  Construct *K = A.In;
  if (!K || !K->Begin || K->Text.Kind != "parallel" || A.Var || A.Text.Use || A.Text.OfDistributed || !A.Index.empty())
    return nullptr;
  PlainCode Code(S, *K);
  Value *P = A.Mark->getArgOperand(0);
  if (!K->CallsOthers)
    K->CallsOthers = Code.callsOthers();
  if (*K->CallsOthers || !Code.isReduction(P))
    return nullptr;
  AllocaInst *&Slot = K->Results[P];
  if (!Slot) {
    Slot = S.slot(S.RT.I32, "dvm.result");
    K->Settled.push_back(Slot);
  }
  return Slot;
}

std::optional<int64_t> dvmir::elementsOf(const Access &A, const Value *Root, const DataLayout &DL) {
  if (A.Index.empty() || A.Text.Extents.size() != A.Index.size() || A.Text.PartOfElement)
    return std::nullopt;
  uint64_t Elements = 1;
  for (unsigned D = 0; D < A.Index.size(); ++D) {
    if (!A.Text.Extents[D] || !A.Index[D])
      return std::nullopt;
    Elements *= *A.Text.Extents[D];
  }
  const uint64_t Bytes = sizeOfObject(Root, DL);
  return Bytes && Elements * A.Text.Size == Bytes ? std::optional(int64_t(Elements)) : std::nullopt;
}

GlobalVariable *dvmir::boundedRoot(const Access &A, const DataLayout &DL) {
  auto *G = dyn_cast<GlobalVariable>(pointerRoot(A.Mark->getArgOperand(0)));
  return G && elementsOf(A, G, DL) ? G : nullptr;
}

// Does the call lead to 'F', as far as can be told?  What is defined elsewhere may.
static bool mayReach(const CallBase &From, const Function &F, SmallPtrSetImpl<const Function *> &Seen) {
  const Function *Callee = From.getCalledFunction();
  if (!Callee || Callee == &F)
    return true;
  if (Callee->isDeclaration())
    return !Callee->isIntrinsic() && !isMathematical(Callee) && !Callee->getName().starts_with("__dvmrt_");
  if (!Seen.insert(Callee).second)
    return false;
  return any_of(instructions(*Callee), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && markerName(Call).empty() && mayReach(*Call, F, Seen);
  });
}

bool PlainCode::mayComeBack() const {
  SmallPtrSet<const Function *, 8> Seen;
  return any_of(K.Blocks, [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && markerName(Call).empty() && mayReach(*Call, S.F, Seen);
    });
  });
}

void dvmir::findTables(FunctionState &S) {
  DenseMap<std::pair<const Construct *, const GlobalVariable *>, bool> Asked;
  DenseMap<const Construct *, bool> Back;
  for (Access &A : S.Accesses) {
    GlobalVariable *G =
        A.In && A.In->Begin && A.In->Text.Kind == "parallel" && !A.Var && !A.Text.Writes ? boundedRoot(A, S.RT.DL) : nullptr;
    if (!G || G->isConstant() || G->isThreadLocal())
      continue;
    PlainCode Code(S, *A.In);
    auto [Comes, First] = Back.try_emplace(A.In, false);
    if (First)
      Comes->second = Code.mayComeBack();
    auto [Fixed, Fresh] = Asked.try_emplace({A.In, G}, false);
    if (Fresh)
      Fixed->second = !Comes->second && Code.isOnlyRead(G);
    A.Table = G;
    A.Fixed = Fixed->second;
  }
}

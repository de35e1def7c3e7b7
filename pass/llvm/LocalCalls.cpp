#include "LocalCalls.h"
#include "Function.h"
#include "PlainCode.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dvmir;

static constexpr unsigned MostOfFunction = 600, MostOfCaller = 6000, DepthMax = 8; // instructions without marks

static unsigned sizeOf(const Function &F) {
  return unsigned(count_if(instructions(F), [](const Instruction &I) { return markerName(&I).empty(); }));
}

// The variable of a pointer parameter, which keeps what it was given: null if it is more than that.
static const AllocaInst *homeOf(const Argument &A) {
  const auto *Store = A.hasOneUse() ? dyn_cast<StoreInst>(*A.user_begin()) : nullptr;
  const auto *Home = Store && Store->isSimple() ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
  if (!Home || Store->getParent() != &A.getParent()->getEntryBlock())
    return nullptr;
  const bool Read = all_of(Home->users(), [&](const User *U) {
    const auto *Mark = dyn_cast<CallInst>(U);
    if (U == Store || isa<LoadInst, DbgInfoIntrinsic>(U) || (Mark && Mark->isLifetimeStartOrEnd()))
      return true;
    return markerName(U) == DVMM_ACCESS && all_of(U->users(), [](const User *By) { return isa<LoadInst>(By); });
  });
  return Read ? Home : nullptr;
}

namespace {
// Does a function touch nothing but its own variables and what its parameters lead to?
class LocalFunctions {
  DenseMap<const Function *, bool> Known;

  bool isInside(Value *P, const SmallPtrSetImpl<const AllocaInst *> &Homes) const;
  bool isInside(Instruction &I, const SmallPtrSetImpl<const AllocaInst *> &Homes, unsigned Depth);
  bool isInside(CallBase &Call, const SmallPtrSetImpl<const AllocaInst *> &Homes, unsigned Depth);
  bool find(Function &F, unsigned Depth);

public:
  bool is(Function &F, unsigned Depth = 0);
};
} // namespace

bool LocalFunctions::isInside(Value *P, const SmallPtrSetImpl<const AllocaInst *> &Homes) const {
  Value *Root = rootOf(P);
  if (isa<AllocaInst>(Root))
    return true;
  if (auto *G = dyn_cast<GlobalVariable>(Root))
    return G->isConstant();
  auto *Load = dyn_cast<LoadInst>(Root);
  auto *Home = Load ? dyn_cast<AllocaInst>(behindAll(Load->getPointerOperand())) : nullptr;
  return Home && Homes.contains(Home);
}

bool LocalFunctions::isInside(CallBase &Call, const SmallPtrSetImpl<const AllocaInst *> &Homes, unsigned Depth) {
  StringRef Mark = markerName(&Call);
  if (!Mark.empty())
    return Mark == DVMM_ACCESS || Mark == DVMM_INDEX;
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Call)) {
    auto *Copy = dyn_cast<MemTransferInst>(Memory);
    return !Memory->isVolatile() && isInside(Memory->getRawDest(), Homes) && (!Copy || isInside(Copy->getRawSource(), Homes));
  }
  if (auto *I = dyn_cast<IntrinsicInst>(&Call))
    return (I->isAssumeLikeIntrinsic() || I->doesNotAccessMemory()) && I->getIntrinsicID() != Intrinsic::returnaddress &&
           I->getIntrinsicID() != Intrinsic::frameaddress;
  Function *F = Call.getCalledFunction();
  if (!F || !isa<CallInst>(Call) || Call.isInlineAsm())
    return false;
  return (F->isDeclaration() ? isMathematical(F) : is(*F, Depth + 1)) &&
         all_of(Call.args(), [&](Value *V) { return !V->getType()->isPointerTy() || isInside(V, Homes); });
}

bool LocalFunctions::isInside(Instruction &I, const SmallPtrSetImpl<const AllocaInst *> &Homes, unsigned Depth) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return isInside(*Call, Homes, Depth);
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    auto *Home = dyn_cast<AllocaInst>(behindAll(Load->getPointerOperand()));
    return Load->isSimple() && (Load->getType()->isPointerTy() ? Home && Homes.contains(Home) : isInside(Load->getPointerOperand(), Homes));
  }
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Home = dyn_cast<AllocaInst>(Store->getPointerOperand());
    return Store->isSimple() && (Store->getValueOperand()->getType()->isPointerTy() ? Home && Homes.contains(Home)
                                                                                    : isInside(Store->getPointerOperand(), Homes));
  }
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return A->isStaticAlloca();
  if (isa<PHINode, SelectInst, ICmpInst, PtrToIntInst, IntToPtrInst, ReturnInst>(I))
    return none_of(I.operands(), [](const Use &U) { return U->getType()->isPointerTy(); }) && !I.getType()->isPointerTy();
  return !I.mayReadOrWriteMemory() && !isa<IndirectBrInst, ResumeInst>(I);
}

bool LocalFunctions::find(Function &F, unsigned Depth) {
  if (F.isDeclaration() || F.isInterposable() || F.isVarArg() || Depth > DepthMax || F.hasFnAttribute(Attribute::NoInline) ||
      F.hasFnAttribute(Attribute::OptimizeNone) || F.hasFnAttribute(Attribute::Naked) || F.callsFunctionThatReturnsTwice() ||
      F.hasPersonalityFn() || sizeOf(F) > MostOfFunction)
    return false;
  SmallPtrSet<const AllocaInst *, 8> Homes;
  for (const Argument &A : F.args())
    if (A.getType()->isPointerTy()) {
      const AllocaInst *Home = A.hasPassPointeeByValueCopyAttr() || A.hasStructRetAttr() ? nullptr : homeOf(A);
      if (!Home)
        return false;
      Homes.insert(Home);
    }
  return all_of(instructions(F), [&](Instruction &I) { return isInside(I, Homes, Depth); });
}

bool LocalFunctions::is(Function &F, unsigned Depth) {
  auto [At, New] = Known.try_emplace(&F, false); // one that calls itself is none
  if (!New)
    return At->second;
  const bool Is = find(F, Depth);
  return Known[&F] = Is;
}

namespace {
class CallExpander {
  Function &F;
  LocalFunctions &Local;
  DominatorTree DT;
  SmallVector<CallInst *, 4> Iterations;
  const bool Whole; // all of it is executed in iterations of others
  unsigned Size;
  int64_t Id = 0; // of the last access

  bool isInIteration(const Instruction &I) const;
  bool isBornThere(AllocaInst *A) const;
  bool isToExpand(CallInst &Call);
  void renumber(const SmallPtrSetImpl<const Instruction *> &Before);
  void expand(CallInst &Call, SmallVectorImpl<CallInst *> &Work);

public:
  CallExpander(Function &F, LocalFunctions &Local, bool Whole) : F(F), Local(Local), DT(F), Whole(Whole), Size(sizeOf(F)) {}
  void run();
};
} // namespace

bool CallExpander::isInIteration(const Instruction &I) const {
  return Whole || any_of(Iterations, [&](const CallInst *Begin) { return DT.dominates(Begin, &I); });
}

bool CallExpander::isBornThere(AllocaInst *A) const {
  bool Born = false;
  for (const User *U : A->users())
    if (auto *Begin = dyn_cast<IntrinsicInst>(U); Begin && Begin->getIntrinsicID() == Intrinsic::lifetime_start) {
      if (!isInIteration(*Begin))
        return false;
      Born = true;
    }
  return Born;
}

// Made for the same processor, and with the same rules of arithmetic.
static bool isAlike(const Function &F, const Function &G) {
  return AttributeFuncs::areInlineCompatible(F, G) && F.hasFnAttribute(Attribute::StrictFP) == G.hasFnAttribute(Attribute::StrictFP) &&
         all_of(ArrayRef({"target-cpu", "target-features"}),
                [&](const char *Name) { return F.getFnAttribute(Name) == G.getFnAttribute(Name); });
}

bool CallExpander::isToExpand(CallInst &Call) {
  Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee == &F || !isInIteration(Call) || Call.getCallingConv() != Callee->getCallingConv() || Call.isMustTailCall() ||
      Call.getFunctionType() != Callee->getFunctionType() || !isAlike(F, *Callee) || !Local.is(*Callee))
    return false;
  bool Given = false;
  for (Value *V : Call.args())
    if (V->getType()->isPointerTy()) {
      auto *A = dyn_cast<AllocaInst>(rootOf(V));
      if (!A || !isBornThere(A))
        return false;
      Given = true;
    }
  return Given && Size + sizeOf(*Callee) <= MostOfCaller;
}

// The number that ties subscripts to their access: its place among the operands.
static constexpr unsigned IdOperand = 1;
static bool hasId(const Instruction &I) {
  StringRef Name = markerName(&I);
  return Name == DVMM_ACCESS || Name == DVMM_INDEX;
}

// Numbers are unique in the function.
void CallExpander::renumber(const SmallPtrSetImpl<const Instruction *> &Before) {
  const int64_t Others = Id;
  for (Instruction &I : instructions(F)) {
    if (!hasId(I))
      continue;
    auto &Call = cast<CallInst>(I);
    auto *Number = cast<ConstantInt>(Call.getArgOperand(IdOperand));
    if (!Before.contains(&I))
      Call.setArgOperand(IdOperand, Number = ConstantInt::get(cast<IntegerType>(Number->getType()), Others + Number->getSExtValue()));
    Id = std::max(Id, Number->getSExtValue());
  }
}

// What a pointer parameter leads to is the argument: its variable goes.
static void forward(AllocaInst *Home) {
  StoreInst *Given = nullptr;
  for (User *U : Home->users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Home)
      Given = Store;
  if (!Given)
    return;
  Value *Argument = Given->getValueOperand();
  SmallVector<Instruction *, 16> Dead;
  for (User *U : Home->users()) {
    auto *I = cast<Instruction>(U);
    Dead.push_back(I);
    if (markerName(I) == DVMM_ACCESS)
      for (User *By : I->users())
        Dead.push_back(cast<Instruction>(By));
  }
  for (Instruction *I : Dead)
    if (auto *Load = dyn_cast<LoadInst>(I))
      Load->replaceAllUsesWith(Argument);
  for (Instruction *I : reverse(Dead))
    I->eraseFromParent();
  Home->eraseFromParent();
}

void CallExpander::expand(CallInst &Call, SmallVectorImpl<CallInst *> &Work) {
  SmallPtrSet<const Instruction *, 32> Before;
  for (Instruction &I : instructions(F))
    if (hasId(I))
      Before.insert(&I);
  Size += sizeOf(*Call.getCalledFunction());
  InlineFunctionInfo Info;
  if (!InlineFunction(Call, Info, /*MergeAttributes=*/true).isSuccess())
    return;
  renumber(Before);
  for (AllocaInst *A : Info.StaticAllocas)
    if (A->getAllocatedType()->isPointerTy())
      forward(A);
  for (CallBase *Inner : Info.InlinedCallSites)
    if (auto *I = dyn_cast<CallInst>(Inner))
      Work.push_back(I);
  DT.recalculate(F);
}

void CallExpander::run() {
  SmallVector<CallInst *, 16> Work;
  for (Instruction &I : instructions(F)) {
    if (hasId(I))
      Id = std::max(Id, cast<ConstantInt>(cast<CallInst>(I).getArgOperand(IdOperand))->getSExtValue());
    if (auto *Call = dyn_cast<CallInst>(&I); markerName(&I) == DVMM_ITER)
      Iterations.push_back(Call);
    else if (Call && Call->getCalledFunction() && markerName(&I).empty())
      Work.push_back(Call);
  }
  for (size_t N = 0; N < Work.size(); ++N)
    if (isToExpand(*Work[N]))
      expand(*Work[N], Work);
}

static bool hasIterations(Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return markerName(&I) == DVMM_ITER; });
}

void dvmir::expandLocalCalls(Module &M, const DenseSet<const Function *> &InLoops) {
  LocalFunctions Local;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(Attribute::OptimizeNone) && (InLoops.contains(&F) || hasIterations(F)))
      CallExpander(F, Local, InLoops.contains(&F)).run();
}

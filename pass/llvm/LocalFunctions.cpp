#include "LocalFunctions.h"
#include "Function.h"
#include "PlainCode.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

static constexpr unsigned MostOfFunction = 600, DepthMax = 8; // instructions without marks; calls inside of calls

unsigned dvmir::sizeOf(const Function &F) {
  return unsigned(count_if(instructions(F), [](const Instruction &I) { return markerName(&I).empty(); }));
}

// A pointer parameter, or a pointer variable of the function or the file.
bool LocalFunctions::isPointerOf(Value *P) {
  Value *At = behindAll(P);
  if (auto *Home = dyn_cast<AllocaInst>(At))
    return Pointers.contains(Home);
  auto *G = dyn_cast<GlobalVariable>(At);
  if (G)
    Read->insert(G);
  return G && !G->isThreadLocal();
}

bool LocalFunctions::isInside(Value *P) {
  Value *Root = rootOf(P);
  if (isa<AllocaInst, Argument>(Root))
    return true;
  if (auto *G = dyn_cast<GlobalVariable>(Root)) {
    Read->insert(G);
    return !G->isThreadLocal();
  }
  auto *Load = dyn_cast<LoadInst>(Root);
  return Load && isPointerOf(Load->getPointerOperand());
}

static bool isDistributed(Value *P) {
  return markerName(P) == DVMM_ACCESS && AccessText::parse(markerText(cast<CallInst>(P)->getArgOperand(2))).OfDistributed;
}

bool LocalFunctions::isWritable(Value *P) {
  Value *Root = rootOf(P);
  auto *Load = dyn_cast<LoadInst>(Root);
  return isInside(P) && (isa<AllocaInst>(Root) || (Load && isa<AllocaInst>(behindAll(Load->getPointerOperand()))) || isDistributed(P));
}

bool LocalFunctions::isInside(CallBase &Call, unsigned Depth) {
  StringRef Mark = markerName(&Call);
  if (!Mark.empty())
    return Mark == DVMM_ACCESS || Mark == DVMM_INDEX;
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Call)) {
    auto *Copy = dyn_cast<MemTransferInst>(Memory);
    return !Memory->isVolatile() && isWritable(Memory->getRawDest()) && (!Copy || isInside(Copy->getRawSource()));
  }
  if (auto *I = dyn_cast<IntrinsicInst>(&Call))
    return (I->isAssumeLikeIntrinsic() || I->doesNotAccessMemory()) && I->getIntrinsicID() != Intrinsic::returnaddress &&
           I->getIntrinsicID() != Intrinsic::frameaddress;
  Function *F = Call.getCalledFunction();
  if (!F || !isa<CallInst>(Call) || Call.isInlineAsm())
    return false;
  Variables *Own = Read;
  const auto Pointed = Pointers;
  const Variables *Inner = F->isDeclaration() ? nullptr : variablesOf(*F, Depth + 1);
  Read = Own;
  Pointers = Pointed;
  if (Inner)
    Read->insert(Inner->begin(), Inner->end());
  return (Inner || isMathematical(F)) &&
         all_of(Call.args(), [&](Value *V) { return !V->getType()->isPointerTy() || (Inner ? isInside(V) : isWritable(V)); });
}

bool LocalFunctions::isInside(Instruction &I, unsigned Depth) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return isInside(*Call, Depth);
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() &&
           (Load->getType()->isPointerTy() ? isPointerOf(Load->getPointerOperand()) : isInside(Load->getPointerOperand()));
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Home = dyn_cast<AllocaInst>(behindAll(Store->getPointerOperand()));
    return Store->isSimple() &&
           (Store->getValueOperand()->getType()->isPointerTy() ? Home && Pointers.contains(Home) : isWritable(Store->getPointerOperand()));
  }
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return A->isStaticAlloca();
  if (isa<PHINode, SelectInst, ICmpInst, PtrToIntInst, IntToPtrInst, ReturnInst>(I))
    return none_of(I.operands(), [](const Use &U) { return U->getType()->isPointerTy(); }) && !I.getType()->isPointerTy();
  return !I.mayReadOrWriteMemory() && !isa<IndirectBrInst, ResumeInst>(I);
}

// False: the variable is used otherwise than by reads and assignments of all of it.
static bool findAssignments(AllocaInst *A, SmallVectorImpl<StoreInst *> &Found) {
  auto IsAccess = [&](User *U) {
    auto *Load = dyn_cast<LoadInst>(U);
    auto *Store = dyn_cast<StoreInst>(U);
    if (Store && behindAll(Store->getPointerOperand()) == A)
      Found.push_back(Store);
    return Load ? Load->isSimple() && Load->getType()->isPointerTy() : Store && !Found.empty() && Found.back() == Store;
  };
  return all_of(A->users(), [&](User *U) {
    auto *I = cast<Instruction>(U);
    return I->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I) ||
           (markerName(I) == DVMM_ACCESS ? all_of(I->users(), IsAccess) : IsAccess(I));
  });
}

// False: a pointer variable may lead elsewhere.  It may move within what it leads to.
bool LocalFunctions::findPointers(Function &F) {
  Pointers.clear();
  for (const Argument &A : F.args())
    if (A.getType()->isPointerTy() && (A.hasPassPointeeByValueCopyAttr() || A.hasStructRetAttr()))
      return false;
  SmallVector<StoreInst *, 8> Given;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->getAllocatedType()->isPointerTy()) {
      if (!A->isStaticAlloca() || !findAssignments(A, Given))
        return false;
      Pointers.insert(A);
    }
  return all_of(Given, [&](StoreInst *Store) { return isInside(Store->getValueOperand()); });
}

bool LocalFunctions::find(Function &F, unsigned Depth, Kind &K) {
  if (F.isDeclaration() || F.isInterposable() || F.isVarArg() || Depth > DepthMax || F.hasFnAttribute(Attribute::NoInline) ||
      F.hasFnAttribute(Attribute::OptimizeNone) || F.hasFnAttribute(Attribute::Naked) || F.callsFunctionThatReturnsTwice() ||
      F.hasPersonalityFn() || sizeOf(F) > MostOfFunction)
    return false;
  Read = &K.Read;
  return findPointers(F) && all_of(instructions(F), [&](Instruction &I) { return isInside(I, Depth); });
}

const LocalFunctions::Variables *LocalFunctions::variablesOf(Function &F, unsigned Depth) {
  auto [At, New] = Known.try_emplace(&F); // one that calls itself is none
  if (New) {
    At->second = std::make_unique<Kind>();
    Kind *K = At->second.get();
    K->Local = find(F, Depth, *K);
  }
  const Kind *K = Known[&F].get();
  return K->Local ? &K->Read : nullptr;
}

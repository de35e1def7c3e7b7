#include "PureFunctions.h"
#include "Function.h"
#include "pass/markers.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

// Local memory alone, no loop, nothing that can trap.
static bool isHarmless(const Instruction &I, const DenseSet<const Function *> &Pure) {
  auto Local = [](const Value *P) {
    for (;;) {
      if (markerName(P) == DVMM_ACCESS)
        P = cast<CallInst>(P)->getArgOperand(0);
      else if (auto *GEP = dyn_cast<GEPOperator>(P))
        P = GEP->getPointerOperand();
      else
        return isa<AllocaInst>(P);
    }
  };
  if (isa<LoadInst, StoreInst>(I))
    return Local(getLoadStorePointerOperand(&I));
  if (auto *Call = dyn_cast<CallInst>(&I)) {
    StringRef Name = markerName(Call);
    if (!Name.empty())
      return Name == DVMM_ACCESS || Name == DVMM_INDEX;
    return Call->doesNotAccessMemory() || Call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(Call) ||
           (Call->getCalledFunction() && Pure.contains(Call->getCalledFunction()));
  }
  switch (I.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem: return false;
  default: return !I.mayReadOrWriteMemory() && !isa<InvokeInst, CallBrInst, IndirectBrInst, UnreachableInst>(I);
  }
}

static bool isAcyclic(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> Back;
  FindFunctionBackedges(F, Back);
  return Back.empty();
}

void dvmir::findPureFunctions(Module &M, Runtime &RT) {
  bool Grows = true;
  while (Grows) {
    Grows = false;
    for (const Function &F : M)
      if (!F.isDeclaration() && !F.isInterposable() && !F.isVarArg() && !RT.Pure.contains(&F) && !F.getReturnType()->isVoidTy() &&
          isAcyclic(F) && all_of(instructions(F), [&](const Instruction &I) { return isHarmless(I, RT.Pure); })) {
        RT.Pure.insert(&F);
        Grows = true;
      }
  }
}

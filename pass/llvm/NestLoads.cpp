// The questions about rows stand between such a read and its loop and may stop the program, as far as the optimiser knows: it leaves the
// reads where they are.
#include "NestLoads.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

namespace {
class NestLoads {
  Loop &L;
  DominatorTree &DT;
  AAResults &AA;
  SmallVector<Instruction *, 32> Writes;
  bool Returns = true; // from all that is called
  SmallVector<BasicBlock *, 4> Exiting;

  bool isChanged(LoadInst &Load);
  bool isReadBefore(const Value *P);
  bool isSafe(LoadInst &Load);

public:
  NestLoads(Loop &Nest, DominatorTree &Dominators, AAResults &Aliases, function_ref<bool(const CallBase &)> Passes);
  bool hoist();
};
} // namespace

NestLoads::NestLoads(Loop &Nest, DominatorTree &Dominators, AAResults &Aliases, function_ref<bool(const CallBase &)> Passes)
    : L(Nest), DT(Dominators), AA(Aliases) {
  L.getExitingBlocks(Exiting);
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && Passes(*Call))
        continue;
      Returns &= !Call || Call->hasFnAttr(Attribute::WillReturn);
      if (I.mayWriteToMemory())
        Writes.push_back(&I);
    }
}

bool NestLoads::isChanged(LoadInst &Load) {
  const MemoryLocation At = MemoryLocation::get(&Load);
  return any_of(Writes, [&](Instruction *I) { return isModSet(AA.getModRefInfo(I, At)); });
}

bool NestLoads::isReadBefore(const Value *P) {
  const Instruction *Before = L.getLoopPreheader()->getTerminator();
  return any_of(P->users(), [&](const User *U) {
    auto *Other = dyn_cast<LoadInst>(U);
    return Other && Other->getPointerOperand() == P && Other->getFunction() == Before->getFunction() && DT.dominates(Other, Before);
  });
}

// Nothing is read that the program would not have read.  Behind other addresses than an argument's there may be nothing, which a report
// says before the program ends.
bool NestLoads::isSafe(LoadInst &Load) {
  const Value *P = Load.getPointerOperand();
  if (isDereferenceablePointer(P, Load.getType(), Load.getDataLayout()))
    return true;
  if (!isa<Argument>(P->stripInBoundsConstantOffsets()))
    return false;
  return isReadBefore(P) || (Returns && all_of(Exiting, [&](BasicBlock *BB) { return DT.dominates(Load.getParent(), BB); }));
}

// The library changes what is its own.
static bool isOfLibrary(const LoadInst &Load) {
  auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
  return G && (G->getName().starts_with("__dvm") || G->getName().starts_with("dvm."));
}

bool NestLoads::hoist() {
  SmallVector<LoadInst *, 16> Found;
  for (BasicBlock *BB : L.blocks()) // from the outermost loop's header on
    for (Instruction &I : *BB)
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() && !isOfLibrary(*Load))
        Found.push_back(Load);
  DenseMap<std::pair<const Value *, Type *>, LoadInst *> Moved;
  bool Changed = false;
  for (LoadInst *Load : Found) {
    if (!L.isLoopInvariant(Load->getPointerOperand()) || isChanged(*Load) || !isSafe(*Load))
      continue;
    Changed = true;
    LoadInst *&First = Moved[{Load->getPointerOperand(), Load->getType()}];
    if (First) { // the same, so that bounds of loops beside each other are seen to be
      First->setMetadata(LLVMContext::MD_tbaa,
                         MDNode::getMostGenericTBAA(First->getMetadata(LLVMContext::MD_tbaa), Load->getMetadata(LLVMContext::MD_tbaa)));
      Load->replaceAllUsesWith(First);
      Load->eraseFromParent();
      continue;
    }
    First = Load;
    Load->moveBefore(L.getLoopPreheader()->getTerminator());
    Load->dropUnknownNonDebugMetadata({LLVMContext::MD_tbaa});
  }
  return Changed;
}

bool dvmir::hoistLoads(Loop &L, DominatorTree &DT, AAResults &AA, function_ref<bool(const CallBase &)> Passes) {
  return NestLoads(L, DT, AA, Passes).hoist();
}

#include "Doubt.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace dvmir;

// bits, mask = now.mask ? all, 0 : map;   for the whole function: a callee leaves the loops that it enters
void dvmir::loadDoubt(FunctionState &S) {
  Runtime &RT = S.RT;
  IRBuilder<> B(S.entryPoint());
  auto Field = [&](size_t Offset) { return B.CreateConstInBoundsGEP1_64(RT.I8, RT.doubt(), Offset); };
  Value *Outside = B.CreateIsNull(RT.loadNow(B, offsetof(dvmrt_now, mask)));
  Value *Bits = RT.loadDoubt(B, offsetof(dvmrt_doubt, bits), RT.Ptr), *Mask = RT.loadDoubt(B, offsetof(dvmrt_doubt, mask), RT.I64);
  S.DoubtBits = B.CreateSelect(Outside, Bits, Field(offsetof(dvmrt_doubt, all)), "dvm.doubt");
  S.DoubtMask = B.CreateSelect(Outside, Mask, B.getInt64(0), "dvm.doubt.mask");
}

void dvmir::dropDoubt(FunctionState &S) {
  for (Value *V : {S.DoubtBits, S.DoubtMask})
    RecursivelyDeleteTriviallyDeadInstructions(V);
}

// The bits of the eight bytes around 'P', and as many more as are asked for.
static Value *loadBits(FunctionState &S, IRBuilderBase &B, Value *P, Type *T) {
  Value *Index = B.CreateAnd(B.CreateLShr(P, 3), S.DoubtMask);
  return S.RT.loadBits(B, B.CreateGEP(S.RT.I8, S.DoubtBits, Index), T);
}

void dvmir::askDoubt(FunctionState &S, Chain &Row, Value *P, uint64_t Size, bool Aligned, BasicBlock *Slow) {
  IRBuilder<> &B = Row.B;
  Runtime &RT = S.RT;
  if (Size > 32 || !isPowerOf2_64(Size))
    return Row.test(B.getTrue(), Slow);
  if (!Aligned && Size > 1)
    Row.test(B.CreateICmpUGT(B.CreateAnd(P, 7), B.getInt64(Size < 8 ? 8 - Size : 0)), Slow);
  if (Size >= 8)
    return Row.test(B.CreateIsNotNull(loadBits(S, B, P, B.getIntNTy(Size))), Slow);
  // Mostly all eight are certain; else those of the access decide.
  BasicBlock *Look = Row.block();
  Value *Bits = loadBits(S, B, P, RT.I8);
  Row.test(B.CreateIsNotNull(Bits), Look);
  IRBuilder<> LB(Look);
  LB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  Value *Own = LB.CreateLShr(LB.CreateZExt(Bits, RT.I32), LB.CreateTrunc(LB.CreateAnd(P, 7), RT.I32));
  LB.CreateCondBr(LB.CreateIsNull(LB.CreateAnd(Own, LB.getInt32((1u << Size) - 1))), Row.rest(), Slow);
}

void dvmir::touchesNothing(CallInst *Call) {
  Call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly() | MemoryEffects::argMemOnly(ModRefInfo::Ref));
}

DenseSet<const Function *> dvmir::findLoopFunctions(Module &M) {
  DenseSet<const Function *> Found;
  SmallVector<const Function *, 16> Work;
  for (const Function &F : M)
    if (any_of(instructions(F), [](const Instruction &I) { return markerName(&I) == DVMM_ITER; }))
      Work.push_back(&F);
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && !Callee->isDeclaration() && Found.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return Found;
}

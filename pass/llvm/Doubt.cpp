#include "DoubtBits.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace dvmir;

DoubtMap dvmir::loadMap(Runtime &RT, IRBuilderBase &B) {
  auto Field = [&](size_t Offset) { return B.CreateConstInBoundsGEP1_64(RT.I8, RT.doubt(), Offset); };
  Value *Outside = B.CreateIsNull(RT.loadNow(B, offsetof(dvmrt_now, mask)));
  Value *Bits = RT.loadDoubt(B, offsetof(dvmrt_doubt, bits), RT.Ptr), *Mask = RT.loadDoubt(B, offsetof(dvmrt_doubt, mask), RT.I64);
  return {B.CreateSelect(Outside, Bits, Field(offsetof(dvmrt_doubt, all)), "dvm.doubt"),
          B.CreateSelect(Outside, Mask, B.getInt64(0), "dvm.doubt.mask")};
}

Instruction *dvmir::placeBefore(Function &F, const SmallPtrSetImpl<BasicBlock *> &Asking) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  BasicBlock *At = nullptr;
  for (BasicBlock *BB : Asking)
    if (DT.isReachableFromEntry(BB))
      At = At ? DT.findNearestCommonDominator(At, BB) : BB;
  At = At ? At : &F.getEntryBlock();
  while (Loop *L = LI.getLoopFor(At))
    At = DT.getNode(L->getHeader())->getIDom()->getBlock();
  return Asking.contains(At) ? &*At->getFirstNonPHIOrDbgOrAlloca() : At->getTerminator();
}

void dvmir::loadDoubt(FunctionState &S) {
  if (!S.RT.InLoops.contains(&S.F))
    return;
  IRBuilder<> B(S.entryPoint());
  S.Doubt = loadMap(S.RT, B);
}

void dvmir::dropDoubt(FunctionState &S) {
  for (Value *V : {S.Doubt.Bits, S.Doubt.Mask})
    if (V)
      RecursivelyDeleteTriviallyDeadInstructions(V);
}

static constexpr uint64_t MostBytes = 57; // whose bits are in 64, wherever among eight bytes they begin

bool dvmir::isLooked(uint64_t Size) { return Size && Size <= MostBytes; }

static bool isWhole(uint64_t Size, bool Aligned) { return Aligned && isPowerOf2_64(Size) && Size >= 8; }

unsigned dvmir::bitsAround(uint64_t Size, bool Aligned) {
  if (isWhole(Size, Aligned))
    return Size;
  return Size == 1 || (Aligned && isPowerOf2_64(Size)) ? 8 : std::max<uint64_t>(16, PowerOf2Ceil(Size + 7));
}

bool dvmir::holdsOthers(uint64_t Size, bool Aligned) { return !isWhole(Size, Aligned); }

Value *dvmir::loadBits(Runtime &RT, const DoubtMap &Map, IRBuilderBase &B, Value *P, Type *T) {
  Value *Index = B.CreateAnd(B.CreateLShr(P, 3), Map.Mask);
  return RT.loadBits(B, B.CreateGEP(RT.I8, Map.Bits, Index), T);
}

Value *dvmir::ownBits(IRBuilderBase &B, Value *Bits, Value *P, uint64_t Bytes, uint64_t Size) {
  Type *T = Size <= 16 ? B.getInt32Ty() : B.getInt64Ty();
  Value *Own = B.CreateLShr(B.CreateZExtOrTrunc(Bits, T), B.CreateZExtOrTrunc(B.CreateAnd(P, 7), T));
  return B.CreateIsNotNull(B.CreateAnd(Own, ConstantInt::get(T, Bytes)));
}

Value *dvmir::ownBits(IRBuilderBase &B, Value *Bits, Value *P, uint64_t Size) {
  return ownBits(B, Bits, P, maskTrailingOnes<uint64_t>(Size), Size);
}

void dvmir::askDoubt(FunctionState &S, Chain &Row, Value *P, uint64_t Size, bool Aligned, BasicBlock *Slow) {
  IRBuilder<> &B = Row.B;
  Runtime &RT = S.RT;
  if (!isLooked(Size))
    return Row.test(B.getTrue(), Slow);
  Value *Bits = loadBits(RT, S.Doubt, B, P, B.getIntNTy(bitsAround(Size, Aligned)));
  if (!holdsOthers(Size, Aligned))
    return Row.test(B.CreateIsNotNull(Bits), Slow);
  // Mostly all of them are certain; else those of the access decide.
  BasicBlock *Look = Row.block();
  Row.test(B.CreateIsNotNull(Bits), Look);
  IRBuilder<> LB(Look);
  LB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  LB.CreateCondBr(ownBits(LB, Bits, P, Size), Slow, Row.rest());
}

// ---- The question as a call ----

CallInst *dvmir::lookCall(Instruction *I) {
  auto *Call = dyn_cast<CallInst>(I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == "__dvmrt_look" ? Call : nullptr;
}

const CallInst *dvmir::lookCall(const Instruction *I) { return lookCall(const_cast<Instruction *>(I)); }

uint64_t dvmir::lookNumber(const CallInst *Look, LookOperand N) { return cast<ConstantInt>(Look->getArgOperand(N))->getZExtValue(); }

// The optimiser may move what the program does across it, and puts functions inline as if it were not there.
static void passBy(CallInst *Call, ArrayRef<unsigned> Addresses) {
  Call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  Call->addFnAttr(Attribute::NoUnwind);
  Call->addFnAttr(Attribute::WillReturn);
  Call->addFnAttr(Attribute::get(Call->getContext(), "call-inline-cost", "0"));
  for (unsigned N : Addresses) {
    Call->addParamAttr(N, Attribute::NoCapture);
    Call->addParamAttr(N, Attribute::ReadNone);
  }
}

void dvmir::emitLook(Runtime &RT, IRBuilderBase &B, Value *P, uint64_t Size, Value *Site, uint32_t Flags,
                     ArrayRef<WeakTrackingVH> Subscripts) {
  Subscripts = Subscripts.take_front(DVMRT_NDIMS_MAX);
  SmallVector<Value *, 8> Args{P, B.getInt64(Size), Site, B.getInt32(Flags), B.getInt32(Subscripts.size())};
  for (Value *V : Subscripts)
    Args.push_back(V ? V : B.getInt64(0));
  FunctionCallee Look =
      RT.M.getOrInsertFunction("__dvmrt_look", FunctionType::get(RT.Void, {RT.Ptr, RT.I64, RT.Ptr, RT.I32, RT.I32}, true));
  CallInst *Call = B.CreateCall(Look, Args);
  passBy(Call, {LookAddress, LookSite});
}

void dvmir::emitBirth(Runtime &RT, IRBuilderBase &B, Value *P, uint64_t Size) {
  emitLook(RT, B, P, Size, ConstantPointerNull::get(RT.Ptr), DVMRT_BORN, {});
}

void dvmir::emitLookCopy(Runtime &RT, IRBuilderBase &B, MemTransferInst &Copy, Constant *To, Constant *From, bool Born) {
  CallInst *Call =
      RT.call(B, "__dvmrt_look_copy",
              {Copy.getRawDest(), Copy.getRawSource(), B.CreateZExtOrTrunc(Copy.getLength(), RT.I64), To, From, B.getInt32(Born)});
  passBy(Call, {0, 1});
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

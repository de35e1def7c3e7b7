#include "Doubt.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace dvmir;

// bits, mask = now.mask ? all, 0 : map;   for the whole function: a callee leaves the loops that it enters
static DoubtMap loadMap(Runtime &RT, IRBuilderBase &B) {
  auto Field = [&](size_t Offset) { return B.CreateConstInBoundsGEP1_64(RT.I8, RT.doubt(), Offset); };
  Value *Outside = B.CreateIsNull(RT.loadNow(B, offsetof(dvmrt_now, mask)));
  Value *Bits = RT.loadDoubt(B, offsetof(dvmrt_doubt, bits), RT.Ptr), *Mask = RT.loadDoubt(B, offsetof(dvmrt_doubt, mask), RT.I64);
  return {B.CreateSelect(Outside, Bits, Field(offsetof(dvmrt_doubt, all)), "dvm.doubt"),
          B.CreateSelect(Outside, Mask, B.getInt64(0), "dvm.doubt.mask")};
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

// The bits of the eight bytes around 'P', and as many more as are asked for.
static Value *loadBits(Runtime &RT, const DoubtMap &Map, IRBuilderBase &B, Value *P, Type *T) {
  Value *Index = B.CreateAnd(B.CreateLShr(P, 3), Map.Mask);
  return RT.loadBits(B, B.CreateGEP(RT.I8, Map.Bits, Index), T);
}

// Those of 'Bits' that are of an access to less than eight bytes.
static Value *ownBits(IRBuilderBase &B, Value *Bits, Value *P, uint64_t Size) {
  Value *Own = B.CreateLShr(B.CreateZExt(Bits, B.getInt32Ty()), B.CreateTrunc(B.CreateAnd(P, 7), B.getInt32Ty()));
  return B.CreateIsNotNull(B.CreateAnd(Own, B.getInt32((1u << Size) - 1)));
}

// Do the bytes lie across a border of eight?
static Value *crosses(IRBuilderBase &B, Value *P, uint64_t Size) {
  return B.CreateICmpUGT(B.CreateAnd(P, 7), B.getInt64(Size < 8 ? 8 - Size : 0));
}

static bool isAsked(uint64_t Size) { return Size <= 32 && isPowerOf2_64(Size); }

void dvmir::askDoubt(FunctionState &S, Chain &Row, Value *P, uint64_t Size, bool Aligned, BasicBlock *Slow) {
  IRBuilder<> &B = Row.B;
  Runtime &RT = S.RT;
  if (!isAsked(Size))
    return Row.test(B.getTrue(), Slow);
  if (!Aligned && Size > 1)
    Row.test(crosses(B, P, Size), Slow);
  if (Size >= 8)
    return Row.test(B.CreateIsNotNull(loadBits(RT, S.Doubt, B, P, B.getIntNTy(Size))), Slow);
  // Mostly all eight are certain; else those of the access decide.
  BasicBlock *Look = Row.block();
  Value *Bits = loadBits(RT, S.Doubt, B, P, RT.I8);
  Row.test(B.CreateIsNotNull(Bits), Look);
  IRBuilder<> LB(Look);
  LB.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  LB.CreateCondBr(ownBits(LB, Bits, P, Size), Slow, Row.rest());
}

// ---- The question as a call ----

// In functions that ask more often code generation takes time that grows with more than their size: from the first number on a
// question is one branch, from the second on it stays a call.
static constexpr size_t OneBranch = 500, NoBranch = 3000;

enum LookOperand { OfP, OfSize, OfSite, OfFlags, OfCount, OfSubscripts };

void dvmir::emitLook(Runtime &RT, IRBuilderBase &B, Value *P, uint64_t Size, Value *Site, uint32_t Flags,
                     ArrayRef<WeakTrackingVH> Subscripts) {
  Subscripts = Subscripts.take_front(DVMRT_NDIMS_MAX);
  SmallVector<Value *, 8> Args{P, B.getInt64(Size), Site, B.getInt32(Flags), B.getInt32(Subscripts.size())};
  for (Value *V : Subscripts)
    Args.push_back(V ? V : B.getInt64(0));
  FunctionCallee Look =
      RT.M.getOrInsertFunction("__dvmrt_look", FunctionType::get(RT.Void, {RT.Ptr, RT.I64, RT.Ptr, RT.I32, RT.I32}, true));
  CallInst *Call = B.CreateCall(Look, Args);
  // The optimiser may move what the program does across it.
  Call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  Call->addFnAttr(Attribute::NoUnwind);
  Call->addFnAttr(Attribute::WillReturn);
  for (unsigned N : {OfP, OfSite}) {
    Call->addParamAttr(N, Attribute::NoCapture);
    Call->addParamAttr(N, Attribute::ReadNone);
  }
}

namespace {
// The calls of one function become tests.
class LookLowering {
  Function &F;
  Runtime &RT;
  SmallVector<CallInst *, 32> Looks;
  bool HasLoops = false; // parallel ones: whether it is in one changes on the way
  DoubtMap Map;
  AllocaInst *IndexSpace = nullptr;

  void collect();
  Value *subscripts(IRBuilderBase &B, CallInst *Look);
  void slow(Instruction *At, CallInst *Look);
  void lower(CallInst *Look);

public:
  LookLowering(Function &Fn, Runtime &R) : F(Fn), RT(R) {}
  bool run();
};
} // namespace

static uint64_t number(const CallInst *Look, LookOperand N) { return cast<ConstantInt>(Look->getArgOperand(N))->getZExtValue(); }

// What a block has just given a value needs no question until somebody else may take it away.
void LookLowering::collect() {
  for (BasicBlock &BB : F) {
    DenseMap<Value *, uint64_t> Given; // bytes from there
    for (Instruction &I : make_early_inc_range(BB)) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || Callee->getName() != "__dvmrt_look") {
        HasLoops |= Callee && Callee->getName() == "__dvmrt_enter";
        if (auto *Any = dyn_cast<CallBase>(&I); Any && !Any->onlyReadsMemory() && !isa<DbgInfoIntrinsic>(Any))
          Given.clear();
        continue;
      }
      uint64_t &Known = Given[Call->getArgOperand(OfP)];
      const uint64_t Size = number(Call, OfSize);
      if (Known >= Size) {
        Call->eraseFromParent();
        continue;
      }
      if (isa<ConstantPointerNull>(Call->getArgOperand(OfSite)) || (number(Call, OfFlags) & DVMRT_WRITE))
        Known = Size;
      Looks.push_back(Call);
    }
  }
}

Value *LookLowering::subscripts(IRBuilderBase &B, CallInst *Look) {
  const uint64_t Count = number(Look, OfCount);
  if (!Count)
    return ConstantPointerNull::get(RT.Ptr);
  Type *T = ArrayType::get(RT.I64, DVMRT_NDIMS_MAX);
  if (!IndexSpace)
    IndexSpace = new AllocaInst(T, RT.DL.getAllocaAddrSpace(), "dvm.ix", F.getEntryBlock().begin());
  for (unsigned N = 0; N < Count; ++N)
    B.CreateStore(Look->getArgOperand(OfSubscripts + N), B.CreateConstInBoundsGEP2_64(T, IndexSpace, 0, N));
  return IndexSpace;
}

void LookLowering::slow(Instruction *At, CallInst *Look) {
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(Look->getDebugLoc());
  Value *P = Look->getArgOperand(OfP), *Size = Look->getArgOperand(OfSize), *Site = Look->getArgOperand(OfSite);
  if (isa<ConstantPointerNull>(Site))
    RT.call(B, "__dvmrt_assign", {P, Size});
  else
    RT.call(B, "__dvmrt_touch", {P, Size, Site, subscripts(B, Look), Look->getArgOperand(OfFlags)});
}

void LookLowering::lower(CallInst *Look) {
  IRBuilder<> B(Look);
  const uint64_t Size = number(Look, OfSize);
  if (!isAsked(Size)) {
    slow(Look, Look);
    return;
  }
  if (HasLoops)
    Map = loadMap(RT, B);
  Value *Address = Look->getArgOperand(OfP), *P = B.CreatePtrToInt(Address, RT.I64);
  Value *Bits = loadBits(RT, Map, B, P, B.getIntNTy(Size < 8 ? 8 : Size)), *Any = B.CreateIsNotNull(Bits);
  const bool Aligned = Size == 1 || Address->getPointerAlignment(RT.DL).value() >= Size || Look->hasMetadata("dvm.aligned");
  const bool AtOnce = Size < 8 && Looks.size() > OneBranch;
  if (AtOnce)
    Any = ownBits(B, Bits, P, Size);
  if (!Aligned)
    Any = B.CreateOr(Any, crosses(B, P, Size));
  Instruction *Then = SplitBlockAndInsertIfThen(Any, Look, false, RT.Unlikely);
  if (Size < 8 && !AtOnce) { // mostly all eight are certain; else those of the access decide
    IRBuilder<> LB(Then);
    Value *Own = ownBits(LB, Bits, P, Size);
    Then = SplitBlockAndInsertIfThen(Aligned ? Own : LB.CreateOr(Own, crosses(LB, P, Size)), Then, false);
  }
  slow(Then, Look);
}

bool LookLowering::run() {
  collect();
  if (Looks.empty() || Looks.size() > NoBranch)
    return false;
  if (!HasLoops) {
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Map = loadMap(RT, B);
  }
  for (CallInst *Look : Looks) {
    lower(Look);
    Look->eraseFromParent();
  }
  return true;
}

PreservedAnalyses LookPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getFunction("__dvmrt_look"))
    return PreservedAnalyses::all();
  Runtime RT(M);
  for (Function &F : M)
    if (!F.isDeclaration())
      LookLowering(F, RT).run();
  if (Function *Look = M.getFunction("__dvmrt_look"); Look->use_empty())
    Look->eraseFromParent();
  return PreservedAnalyses::none();
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

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

static constexpr uint64_t MostBytes = 57; // whose bits are in 64, wherever among eight bytes they begin

bool dvmir::isLooked(uint64_t Size) { return Size && Size <= MostBytes; }

static bool isWhole(uint64_t Size, bool Aligned) { return Aligned && isPowerOf2_64(Size) && Size >= 8; }

// How many bits hold those of an access, wherever among eight bytes it begins.
static unsigned bitsAround(uint64_t Size, bool Aligned) {
  if (isWhole(Size, Aligned))
    return Size;
  return Size == 1 || (Aligned && isPowerOf2_64(Size)) ? 8 : std::max<uint64_t>(16, PowerOf2Ceil(Size + 7));
}

// Do these bits hold others too?
static bool holdsOthers(uint64_t Size, bool Aligned) { return !isWhole(Size, Aligned); }

// The bits of the eight bytes around 'P', and as many more as are asked for.
static Value *loadBits(Runtime &RT, const DoubtMap &Map, IRBuilderBase &B, Value *P, Type *T) {
  Value *Index = B.CreateAnd(B.CreateLShr(P, 3), Map.Mask);
  return RT.loadBits(B, B.CreateGEP(RT.I8, Map.Bits, Index), T);
}

// Those of 'Bits' that are of the access.
static Value *ownBits(IRBuilderBase &B, Value *Bits, Value *P, uint64_t Size) {
  Type *T = Size <= 16 ? B.getInt32Ty() : B.getInt64Ty();
  Value *Own = B.CreateLShr(B.CreateZExtOrTrunc(Bits, T), B.CreateZExtOrTrunc(B.CreateAnd(P, 7), T));
  return B.CreateIsNotNull(B.CreateAnd(Own, ConstantInt::get(T, maskTrailingOnes<uint64_t>(Size))));
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

// In functions that ask more often code generation takes time that grows with more than their size: from the first number on a
// question is one branch, from the second on it stays a call.
static constexpr size_t OneBranch = 500, NoBranch = 3000;

CallInst *dvmir::lookCall(Instruction *I) {
  auto *Call = dyn_cast<CallInst>(I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == "__dvmrt_look" ? Call : nullptr;
}

const CallInst *dvmir::lookCall(const Instruction *I) { return lookCall(const_cast<Instruction *>(I)); }

uint64_t dvmir::lookNumber(const CallInst *Look, LookOperand N) { return cast<ConstantInt>(Look->getArgOperand(N))->getZExtValue(); }

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
  for (unsigned N : {LookAddress, LookSite}) {
    Call->addParamAttr(N, Attribute::NoCapture);
    Call->addParamAttr(N, Attribute::ReadNone);
  }
}

void dvmir::emitLookCopy(Runtime &RT, IRBuilderBase &B, MemTransferInst &Copy, Constant *To, Constant *From, bool Born) {
  CallInst *Call =
      RT.call(B, "__dvmrt_look_copy",
              {Copy.getRawDest(), Copy.getRawSource(), B.CreateZExtOrTrunc(Copy.getLength(), RT.I64), To, From, B.getInt32(Born)});
  Call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  Call->addFnAttr(Attribute::WillReturn);
  for (unsigned N : {0, 1}) {
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
  SmallVector<CallInst *, 8> Copies;
  bool HasLoops = false; // parallel ones: whether it is in one changes on the way
  DoubtMap Map;
  AllocaInst *IndexSpace = nullptr;

  void collect();
  Value *subscripts(IRBuilderBase &B, CallInst *Look);
  void slow(Instruction *At, CallInst *Look);
  void lower(CallInst *Look);
  Value *anyInDoubt(IRBuilderBase &B, Value *Address, uint64_t Size);
  void lowerCopy(CallInst *Copy);

public:
  LookLowering(Function &Fn, Runtime &R) : F(Fn), RT(R) {}
  bool run();
};
} // namespace

// What a block has just given a value needs no question until somebody else may take it away.
void LookLowering::collect() {
  for (BasicBlock &BB : F) {
    DenseMap<Value *, uint64_t> Given; // bytes from there
    for (Instruction &I : make_early_inc_range(BB)) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || Callee->getName() != "__dvmrt_look") {
        if (Callee && Callee->getName() == "__dvmrt_look_copy")
          Copies.push_back(Call);
        HasLoops |= Callee && Callee->getName() == "__dvmrt_enter";
        if (auto *Any = dyn_cast<CallBase>(&I); Any && !Any->onlyReadsMemory() && !isa<DbgInfoIntrinsic>(Any))
          Given.clear();
        continue;
      }
      uint64_t &Known = Given[Call->getArgOperand(LookAddress)];
      const uint64_t Size = lookNumber(Call, LookSize);
      if (Known >= Size) {
        Call->eraseFromParent();
        continue;
      }
      if (isa<ConstantPointerNull>(Call->getArgOperand(LookSite)) || (lookNumber(Call, LookFlags) & DVMRT_WRITE))
        Known = Size;
      Looks.push_back(Call);
    }
  }
}

Value *LookLowering::subscripts(IRBuilderBase &B, CallInst *Look) {
  const uint64_t Count = lookNumber(Look, LookCount);
  if (!Count)
    return ConstantPointerNull::get(RT.Ptr);
  Type *T = ArrayType::get(RT.I64, DVMRT_NDIMS_MAX);
  if (!IndexSpace)
    IndexSpace = new AllocaInst(T, RT.DL.getAllocaAddrSpace(), "dvm.ix", F.getEntryBlock().begin());
  for (unsigned N = 0; N < Count; ++N)
    B.CreateStore(Look->getArgOperand(LookSubscripts + N), B.CreateConstInBoundsGEP2_64(T, IndexSpace, 0, N));
  return IndexSpace;
}

void LookLowering::slow(Instruction *At, CallInst *Look) {
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(Look->getDebugLoc());
  Value *P = Look->getArgOperand(LookAddress), *Size = Look->getArgOperand(LookSize), *Site = Look->getArgOperand(LookSite);
  if (isa<ConstantPointerNull>(Site))
    RT.call(B, "__dvmrt_assign", {P, Size});
  else
    RT.call(B, "__dvmrt_touch", {P, Size, Site, subscripts(B, Look), Look->getArgOperand(LookFlags)});
}

void LookLowering::lower(CallInst *Look) {
  IRBuilder<> B(Look);
  const uint64_t Size = lookNumber(Look, LookSize);
  if (!isLooked(Size)) {
    slow(Look, Look);
    return;
  }
  if (HasLoops)
    Map = loadMap(RT, B);
  Value *Address = Look->getArgOperand(LookAddress), *P = B.CreatePtrToInt(Address, RT.I64);
  const bool Aligned = Size == 1 || Address->getPointerAlignment(RT.DL).value() >= Size || Look->hasMetadata("dvm.aligned");
  const bool Others = holdsOthers(Size, Aligned), AtOnce = Others && Looks.size() > OneBranch;
  Value *Bits = loadBits(RT, Map, B, P, B.getIntNTy(bitsAround(Size, Aligned)));
  Value *Any = AtOnce ? ownBits(B, Bits, P, Size) : B.CreateIsNotNull(Bits);
  Instruction *Then = SplitBlockAndInsertIfThen(Any, Look, false, RT.Unlikely);
  if (Others && !AtOnce) { // mostly all of them are certain; else those of the access decide
    IRBuilder<> LB(Then);
    Then = SplitBlockAndInsertIfThen(ownBits(LB, Bits, P, Size), Then, false);
  }
  slow(Then, Look);
}

// Of its own bytes, and of what lies beside them among eight.
Value *LookLowering::anyInDoubt(IRBuilderBase &B, Value *Address, uint64_t Size) {
  Value *P = B.CreatePtrToInt(Address, RT.I64), *Bits = loadBits(RT, Map, B, P, B.getIntNTy(bitsAround(Size, false)));
  return ownBits(B, Bits, P, Size);
}

// The call stays, behind a test.
void LookLowering::lowerCopy(CallInst *Copy) {
  IRBuilder<> B(Copy);
  if (HasLoops)
    Map = loadMap(RT, B);
  const uint64_t Size = cast<ConstantInt>(Copy->getArgOperand(2))->getZExtValue();
  Value *Any = B.CreateOr(anyInDoubt(B, Copy->getArgOperand(0), Size), anyInDoubt(B, Copy->getArgOperand(1), Size));
  Copy->moveBefore(SplitBlockAndInsertIfThen(Any, Copy, false, RT.Unlikely));
}

bool LookLowering::run() {
  collect();
  if (Looks.size() + Copies.size() == 0 || Looks.size() > NoBranch)
    return false;
  if (!HasLoops) {
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Map = loadMap(RT, B);
  }
  for (CallInst *Look : Looks) {
    lower(Look);
    Look->eraseFromParent();
  }
  for (CallInst *Copy : Copies)
    lowerCopy(Copy);
  return true;
}

PreservedAnalyses LookPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getFunction("__dvmrt_look") && !M.getFunction("__dvmrt_look_copy"))
    return PreservedAnalyses::all();
  Runtime RT(M);
  for (Function &F : M)
    if (!F.isDeclaration())
      LookLowering(F, RT).run();
  if (Function *Look = M.getFunction("__dvmrt_look"); Look && Look->use_empty())
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

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

namespace {
// The calls of one function become tests.
class LookLowering {
  Function &F;
  Runtime &RT;
  SmallVector<WeakTrackingVH, 32> Looks;
  SmallVector<CallInst *, 8> Copies;
  bool HasLoops = false; // parallel ones: whether it is in one changes on the way
  DoubtMap Map;
  AllocaInst *IndexSpace = nullptr;

  void collect();
  Value *subscripts(IRBuilderBase &B, CallInst *Look);
  void slow(Instruction *At, CallInst *Look);
  void lower(CallInst *Look);
  Value *anyInDoubt(IRBuilderBase &B, Value *Address, uint64_t Size);
  void plainCopy(CallInst *Copy);
  SmallVector<CallInst *, 4> looksBehind(CallInst *Copy, bool &Over);
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
        if (Callee && Callee->getName() == "__dvmrt_look_copy") {
          auto *Size = dyn_cast<ConstantInt>(Call->getArgOperand(2));
          if (Size && isLooked(Size->getZExtValue()))
            Copies.push_back(Call);
          else
            plainCopy(Call);
        }
        HasLoops |= Callee && Callee->getName() == "__dvmrt_enter";
        if (auto *Any = dyn_cast<CallBase>(&I); Any && !Any->onlyReadsMemory() && !isa<DbgInfoIntrinsic>(Any))
          Given.clear();
        continue;
      }
      uint64_t &Known = Given[Call->getArgOperand(LookAddress)];
      const uint64_t Size = lookNumber(Call, LookSize);
      if (lookNumber(Call, LookFlags) & DVMRT_BORN) {
        Known = 0;
        Looks.push_back(Call);
        continue;
      }
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
  if (lookNumber(Look, LookFlags) & DVMRT_BORN)
    RT.call(B, "__dvmrt_born", {P, Size});
  else if (isa<ConstantPointerNull>(Site))
    RT.call(B, "__dvmrt_assign", {P, Size});
  else
    RT.call(B, "__dvmrt_touch", {P, Size, Site, subscripts(B, Look), Look->getArgOperand(LookFlags)});
}

void LookLowering::lower(CallInst *Look) {
  IRBuilder<> B(Look);
  const uint64_t Size = lookNumber(Look, LookSize);
  if (HasLoops)
    Map = loadMap(RT, B);
  if (lookNumber(Look, LookFlags) & DVMRT_BORN) // the mask is 0 in loops alone
    return slow(SplitBlockAndInsertIfThen(B.CreateIsNull(Map.Mask), Look, false, RT.Unlikely), Look);
  if (!isLooked(Size)) {
    slow(Look, Look);
    return;
  }
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

// Of a length that has not become known, or of more than a few bytes.
void LookLowering::plainCopy(CallInst *Copy) {
  IRBuilder<> B(Copy);
  SmallVector<Value *, 5> Args(drop_end(Copy->args()));
  if (isa<ConstantPointerNull>(Args[3]) && isa<ConstantPointerNull>(Args[4]))
    RT.call(B, "__dvmrt_copy", ArrayRef(Args).drop_back(2));
  else
    RT.call(B, "__dvmrt_copy_at", Args);
  Copy->eraseFromParent();
}

// Next in the block, of the home that is copied to: what they would find is known where nothing in doubt is copied.  'Over': the last
// gives it a value, so that no doubt outlives them.
SmallVector<CallInst *, 4> LookLowering::looksBehind(CallInst *Copy, bool &Over) {
  SmallVector<CallInst *, 4> Found;
  Value *Home = Copy->getArgOperand(0);
  Over = false;
  if (!isa<AllocaInst>(Home) || !cast<AllocaInst>(Home)->hasMetadata("dvm.home"))
    return Found;
  for (Instruction *I = Copy->getNextNode(); I && !Over; I = I->getNextNode()) {
    auto *Any = dyn_cast<CallBase>(I);
    if (!Any || isa<DbgInfoIntrinsic>(I) || (isa<IntrinsicInst>(I) && !I->mayHaveSideEffects()))
      continue;
    auto *Life = dyn_cast<IntrinsicInst>(I);
    if (Life && Life->isLifetimeStartOrEnd() && (Life->getArgOperand(1) != Home || Life->getIntrinsicID() == Intrinsic::lifetime_end))
      continue;
    CallInst *Look = lookCall(I);
    if (!Look || Look->getArgOperand(LookAddress)->stripInBoundsConstantOffsets() != Home || lookNumber(Look, LookCount) ||
        (lookNumber(Look, LookFlags) & DVMRT_BORN))
      break;
    Found.push_back(Look);
    Over = isa<ConstantPointerNull>(Look->getArgOperand(LookSite)) && Look->getArgOperand(LookAddress) == Home &&
           Look->getArgOperand(LookSize) == Copy->getArgOperand(2);
  }
  return Found;
}

// The call stays, behind a test, and with it the questions that only it can give another answer.
void LookLowering::lowerCopy(CallInst *Copy) {
  IRBuilder<> B(Copy);
  if (HasLoops)
    Map = loadMap(RT, B);
  bool Over = false;
  const SmallVector<CallInst *, 4> Behind = looksBehind(Copy, Over);
  const uint64_t Size = cast<ConstantInt>(Copy->getArgOperand(2))->getZExtValue();
  Value *Any = anyInDoubt(B, Copy->getArgOperand(1), Size);
  if (!Over)
    Any = B.CreateOr(Any, anyInDoubt(B, Copy->getArgOperand(0), Size));
  Instruction *Then = SplitBlockAndInsertIfThen(Any, Copy, false, RT.Unlikely);
  Copy->moveBefore(Then);
  for (CallInst *Look : Behind) {
    if (auto *Part = dyn_cast<GetElementPtrInst>(Look->getArgOperand(LookAddress))) {
      auto *Own = Part->clone();
      Own->insertBefore(Then);
      Look->setArgOperand(LookAddress, Own);
    }
    slow(Then, Look);
    Look->eraseFromParent();
  }
}

bool LookLowering::run() {
  collect();
  if (Looks.size() + Copies.size() == 0 || Looks.size() > NoBranch)
    return false;
  if (!HasLoops) {
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Map = loadMap(RT, B);
  }
  for (CallInst *Copy : Copies)
    lowerCopy(Copy);
  for (WeakTrackingVH &Look : Looks) {
    if (!Look)
      continue;
    lower(cast<CallInst>(Look));
    cast<CallInst>(Look)->eraseFromParent();
  }
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

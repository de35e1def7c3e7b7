// Once the optimiser is done: the calls that ask whether something is in doubt become tests.
#include "DoubtBits.h"
#include "LookGroups.h"
#include "runtime/abi.h"

using namespace llvm;
using namespace dvmir;

// In functions that ask more often code generation takes time that grows with more than their size: from the first number on a
// question is one branch, from the second on it stays a call.
static constexpr size_t OneBranch = 500, NoBranch = 3000;

namespace {
// The calls of one function become tests.
class LookLowering {
  Function &F;
  Runtime &RT;
  SmallVector<WeakTrackingVH, 32> Looks;
  SmallVector<CallInst *, 8> Copies;
  std::vector<LookGroup> Together;
  size_t Asked = 0;
  bool HasLoops = false; // parallel ones: whether it is in one changes on the way
  DoubtMap Map;
  AllocaInst *IndexSpace = nullptr;

  void collect();
  size_t questions() const;
  Instruction *mapPoint();
  Value *subscripts(IRBuilderBase &B, CallInst *Look);
  void slow(Instruction *At, CallInst *Look);
  void lower(CallInst *Look);
  Instruction *askAbout(const LookGroup &G, Instruction *First);
  void askEach(LookGroup &G, Instruction *At);
  void lowerTogether(LookGroup &G);
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
  LookGroups Groups(RT.DL);
  for (BasicBlock &BB : F) {
    Groups.close();
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
        if (!mayAskBefore(I))
          Groups.close();
        continue;
      }
      uint64_t &Known = Given[Call->getArgOperand(LookAddress)];
      const uint64_t Size = lookNumber(Call, LookSize);
      if (lookNumber(Call, LookFlags) & DVMRT_BORN) {
        Known = 0;
        Groups.close();
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
      if (isLooked(Size))
        Groups.add(Call);
      else
        Groups.close();
    }
  }
  Together = Groups.take();
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
  const bool Others = holdsOthers(Size, Aligned), AtOnce = Others && Asked > OneBranch;
  Value *Bits = loadBits(RT, Map, B, P, B.getIntNTy(bitsAround(Size, Aligned)));
  Value *Any = AtOnce ? ownBits(B, Bits, P, Size) : B.CreateIsNotNull(Bits);
  Instruction *Then = SplitBlockAndInsertIfThen(Any, Look, false, RT.Unlikely);
  if (Others && !AtOnce) { // mostly all of them are certain; else those of the access decide
    IRBuilder<> LB(Then);
    Then = SplitBlockAndInsertIfThen(ownBits(LB, Bits, P, Size), Then, false);
  }
  slow(Then, Look);
}

// Is any of their bytes in doubt?  The end of the block that goes on if so.
Instruction *LookLowering::askAbout(const LookGroup &G, Instruction *First) {
  IRBuilder<> B(First);
  const uint64_t Bytes = G.bytes(), Span = uint64_t(G.End - G.Low);
  const std::optional<unsigned> Known = G.place();
  Value *P = B.CreatePtrToInt(B.CreateGEP(RT.I8, G.Base, B.getInt64(uint64_t(G.Low))), RT.I64);
  const uint64_t Width = Known ? PowerOf2Ceil(std::max<uint64_t>(8, *Known + Log2_64(Bytes) + 1)) : bitsAround(Span, false);
  Value *Bits = loadBits(RT, Map, B, P, B.getIntNTy(unsigned(Width)));
  if (Known)
    Bits = B.CreateAnd(Bits, ConstantInt::get(Bits->getType(), Bytes << *Known));
  Instruction *Then = SplitBlockAndInsertIfThen(B.CreateIsNotNull(Bits), First, false, RT.Unlikely);
  if (Known)
    return Then;
  IRBuilder<> LB(Then);
  return SplitBlockAndInsertIfThen(ownBits(LB, Bits, P, Bytes, Span), Then, false);
}

// What each of them asks, by calls that test once more.
void LookLowering::askEach(LookGroup &G, Instruction *At) {
  IRBuilder<> B(At);
  for (LookGroup::Part &P : G.Parts) {
    if (!P.Look)
      continue;
    auto *Look = cast<CallInst>(P.Look);
    SmallVector<Value *, 8> Args(Look->args());
    Args[LookAddress] = B.CreateGEP(RT.I8, G.Base, B.getInt64(uint64_t(P.At)));
    CallInst *Call = B.CreateCall(Look->getFunctionType(), Look->getCalledOperand(), Args);
    Call->setDebugLoc(Look->getDebugLoc());
    Call->addFnAttr(Attribute::NoUnwind);
    Call->addFnAttr(Attribute::Cold);
    Look->eraseFromParent();
  }
}

void LookLowering::lowerTogether(LookGroup &G) {
  erase_if(G.Parts, [](const LookGroup::Part &P) { return !P.Look; }); // a copy before them has taken them along
  if (G.Parts.size() < 2)
    return;
  auto *First = cast<CallInst>(G.Parts[0].Look);
  IRBuilder<> B(First);
  if (HasLoops)
    Map = loadMap(RT, B);
  askEach(G, askAbout(G, First));
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

size_t LookLowering::questions() const {
  size_t N = Looks.size();
  for (const LookGroup &G : Together)
    N -= G.Parts.size() - 1;
  return N;
}

// Before all questions.
Instruction *LookLowering::mapPoint() {
  SmallPtrSet<BasicBlock *, 16> Asking;
  for (CallInst *Copy : Copies)
    Asking.insert(Copy->getParent());
  for (WeakTrackingVH &Look : Looks)
    Asking.insert(cast<CallInst>(Look)->getParent());
  return placeBefore(F, Asking);
}

bool LookLowering::run() {
  collect();
  Asked = questions();
  if (Asked + Copies.size() == 0 || Asked > NoBranch)
    return false;
  if (!HasLoops) {
    IRBuilder<> B(mapPoint());
    Map = loadMap(RT, B);
  }
  for (CallInst *Copy : Copies)
    lowerCopy(Copy);
  for (LookGroup &G : Together)
    lowerTogether(G);
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

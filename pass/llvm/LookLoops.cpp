// Innermost loops of what the optimiser has made of the source, in C:
//
//   if (more >= least && __dvmrt_run(first, step, more, size, flags) && ..)   // for each reference; 'more' turns follow the first
//     loop without these looks
//   else
//     loop with looks
//
// Stretches.cpp does so for loops of the source that count, and for elements; here are those that move pointers, were put inline, or
// came to count by what the optimiser found.
#include "Doubt.h"
#include "runtime/abi.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t LeastTurns = 8, Together = 64; // bytes between references that are asked for as one
static constexpr unsigned MostRuns = 8, MostCost = 12;

namespace {
// What one reference, or several beside each other, touch in all turns.
struct Run {
  const SCEV *First; // i64: lowest byte in the first turn
  int64_t Step;
  uint64_t Size;
  bool Fills;  // gives each byte a value, and reads none
  bool Stores; // .. and no reference of the source is asked about: elements of distributed arrays are given their value, too
};

class LookLoop {
  Function &F;
  Loop &L;
  ScalarEvolution &SE;
  LoopInfo &LI;
  DominatorTree &DT;
  const TargetTransformInfo &TTI;
  SCEVExpander Expander;
  const SCEV *More = nullptr;
  SmallVector<Run, 8> Runs;
  SmallVector<CallInst *, 16> Told;

  bool add(Value *Address, uint64_t Size, bool Fills, bool Stores = false);
  bool add(CallInst *Call);
  bool collect();
  void merge();
  bool isCheap();
  SmallVector<BasicBlock *, 8> ask(BasicBlock *Before);
  void cloneWithout(BasicBlock *Known, BasicBlock *Own);

public:
  LookLoop(Function &Fn, Loop &Inner, ScalarEvolution &S, LoopInfo &Loops, DominatorTree &Dominators, const TargetTransformInfo &T)
      : F(Fn), L(Inner), SE(S), LI(Loops), DT(Dominators), TTI(T), Expander(S, Fn.getDataLayout(), "dvm.run") {}
  bool plan();
  void carryOut();
};
} // namespace

// ---- May it be asked? -----------------------------------------------------------------------------------------------------------

static bool leavesDoubt(const CallBase &Call) {
  auto *Known = dyn_cast<IntrinsicInst>(&Call);
  return Call.onlyReadsMemory() || (Known && (Known->isAssumeLikeIntrinsic() || isa<MemIntrinsic>(Known)));
}

// 'Fills': a write in each turn.
bool LookLoop::add(Value *Address, uint64_t Size, bool Fills, bool Stores) {
  Type *I64 = Type::getInt64Ty(F.getContext());
  const SCEV *P = SE.getPtrToIntExpr(SE.getSCEV(Address), I64);
  int64_t Step = 0;
  if (auto *Moves = dyn_cast<SCEVAddRecExpr>(P)) {
    auto *Constant = dyn_cast<SCEVConstant>(Moves->getOperand(1));
    if (Moves->getLoop() != &L || !Moves->isAffine() || !Constant)
      return false;
    P = Moves->getStart();
    Step = Constant->getAPInt().getSExtValue();
  }
  if (isa<SCEVCouldNotCompute>(P) || !SE.isLoopInvariant(P, &L) || std::abs(Step) >= INT32_MAX)
    return false;
  Fills &= uint64_t(std::abs(Step)) == Size;
  Runs.push_back({P, Step, Size, Fills, Fills && Stores});
  return true;
}

// A question, of whatever kind; others leave the loop as it is.
bool LookLoop::add(CallInst *Call) {
  if (!lookCall(Call)) {
    auto *Size = dyn_cast<ConstantInt>(Call->getArgOperand(2));
    return Size && isLooked(Size->getZExtValue()) && add(Call->getArgOperand(0), Size->getZExtValue(), false) &&
           add(Call->getArgOperand(1), Size->getZExtValue(), false);
  }
  const uint64_t Flags = lookNumber(Call, LookFlags);
  if (Flags & DVMRT_BORN) // matters where no run is granted
    return true;
  const bool Always = L.getExitingBlock() == L.getLoopLatch() && DT.dominates(Call->getParent(), L.getLoopLatch());
  return add(Call->getArgOperand(LookAddress), lookNumber(Call, LookSize),
             Always && (Flags & (DVMRT_READ | DVMRT_WRITE | DVMRT_NAMED)) == DVMRT_WRITE,
             isa<ConstantPointerNull>(Call->getArgOperand(LookSite)));
}

static bool isQuestion(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return lookCall(&I) || (Callee && Callee->getName() == "__dvmrt_look_copy");
}

bool LookLoop::collect() {
  for (BasicBlock *BB : L.blocks()) {
    if (BB->hasAddressTaken() || BB->isEHPad() || isa<IndirectBrInst, CallBrInst, InvokeInst>(BB->getTerminator()))
      return false;
    for (Instruction &I : *BB) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (I.getType()->isTokenTy() || (Call && Call->cannotDuplicate()) || I.hasMetadata("dvm.asked"))
        return false;
      if (isQuestion(I)) {
        if (add(cast<CallInst>(&I)))
          Told.push_back(cast<CallInst>(&I));
        else if (!lookCall(&I))
          return false; // what it copies may have no value
      } else if (Call && !leavesDoubt(*Call)) {
        return false;
      }
    }
  }
  return !Told.empty();
}

// Neighbours are one run; what has been read need not be filled.
void LookLoop::merge() {
  SmallVector<Run, 8> Kept;
  for (bool Fills : {false, true})
    for (const Run &R : Runs) {
      if (R.Fills != Fills)
        continue;
      bool Covered = false;
      for (Run &K : Kept) {
        auto Way = K.Step == R.Step ? SE.computeConstantDifference(R.First, K.First) : std::nullopt;
        if (!Way || (K.Stores && !R.Stores) || Way->abs().ugt(Together))
          continue;
        const int64_t From = Way->getSExtValue(), End = From + int64_t(R.Size);
        if (From < 0 || End > int64_t(K.Size)) {
          if (K.Fills || R.Fills)
            continue;
          K.Size = std::max<int64_t>(End, K.Size) - std::min<int64_t>(From, 0);
          K.First = From < 0 ? R.First : K.First;
        }
        Covered = true;
        break;
      }
      if (!Covered)
        Kept.push_back(R);
    }
  Runs = std::move(Kept);
}

bool LookLoop::isCheap() {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SmallVector<const SCEV *, 8> All{More};
  for (const Run &R : Runs)
    All.push_back(R.First);
  return all_of(All, [&](const SCEV *E) { return Expander.isSafeToExpandAt(E, At); }) &&
         !Expander.isHighCostExpansion(All, &L, MostCost * All.size(), &TTI, At);
}

bool LookLoop::plan() {
  if (!L.isLoopSimplifyForm() || !L.getUniqueExitBlock() || !collect() || !L.isLCSSAForm(DT))
    return false;
  More = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(More) || SE.getTypeSizeInBits(More->getType()) > 64)
    return false;
  if (auto *Known = dyn_cast<SCEVConstant>(More); Known && Known->getAPInt().ult(LeastTurns - 1))
    return false;
  merge();
  return Runs.size() <= MostRuns && isCheap();
}

// ---- Both loops -----------------------------------------------------------------------------------------------------------------

// A block for each question, the first for whether it is worth asking; each goes on to the next one for now.
SmallVector<BasicBlock *, 8> LookLoop::ask(BasicBlock *Before) {
  Type *I64 = Type::getInt64Ty(F.getContext());
  Instruction *At = Before->getTerminator();
  SmallVector<Value *, 8> Firsts;
  Value *Turns = Expander.expandCodeFor(SE.getNoopOrZeroExtend(More, I64), I64, At);
  for (const Run &R : Runs)
    Firsts.push_back(Expander.expandCodeFor(R.First, I64, At));
  Runtime RT(*F.getParent());
  MDNode *Likely = MDBuilder(F.getContext()).createLikelyBranchWeights();
  SmallVector<BasicBlock *, 8> Rows{Before};
  for (unsigned N = 0; N <= Runs.size(); ++N)
    Rows.push_back(SplitBlock(Rows.back(), Rows.back()->getTerminator(), &DT, &LI, nullptr, "dvm.run"));
  BasicBlock *Own = Rows.pop_back_val(); // the loop's preheader
  for (unsigned N = 0; N < Rows.size(); ++N) {
    IRBuilder<> B(Rows[N]->getTerminator());
    B.SetCurrentDebugLocation(L.getStartLoc());
    Value *Yes = B.CreateICmpUGE(Turns, B.getInt64(LeastTurns - 1));
    if (N) {
      const Run &R = Runs[N - 1];
      Yes = B.CreateIsNotNull(
          RT.call(B, "__dvmrt_run",
                  {B.CreateIntToPtr(Firsts[N - 1], RT.Ptr), ConstantInt::getSigned(RT.I64, R.Step), Turns, B.getInt64(R.Size),
                   B.getInt32(R.Stores  ? DVMRT_WRITE | DVMRT_STORED
                              : R.Fills ? DVMRT_WRITE
                                        : DVMRT_READ)}));
    }
    BasicBlock *Next = N + 1 < Rows.size() ? Rows[N + 1] : Own; // the copy's, once there is one
    Rows[N]->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Rows[N]);
    B.CreateCondBr(Yes, Next, Own, Likely);
  }
  DT.changeImmediateDominator(Own, Before);
  Rows.push_back(Own);
  return Rows;
}

void dvmir::addExitsOfCopy(const Loop &L, ValueToValueMapTy &Map) {
  for (PHINode &Phi : L.getUniqueExitBlock()->phis())
    for (unsigned N = 0, End = Phi.getNumIncomingValues(); N < End; ++N) {
      Value *V = Phi.getIncomingValue(N), *New = Map.lookup(V);
      Phi.addIncoming(New ? New : V, cast<BasicBlock>(Map[Phi.getIncomingBlock(N)]));
    }
}

void dvmir::forgetLoop(ScalarEvolution &SE, const Loop &L) {
  for (PHINode &Phi : L.getUniqueExitBlock()->phis())
    SE.forgetValue(&Phi);
  SE.forgetTopmostLoop(&L);
  SE.forgetBlockAndLoopDispositions();
}

void LookLoop::cloneWithout(BasicBlock *Known, BasicBlock *Own) {
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Own, Known, &L, Map, ".sure", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  for (CallInst *Look : Told)
    cast<Instruction>(Map[Look])->eraseFromParent();
  Known->getTerminator()->setSuccessor(0, Copy->getLoopPreheader());
  addExitsOfCopy(L, Map);
}

void LookLoop::carryOut() {
  BasicBlock *Before = L.getLoopPreheader(), *Exit = L.getUniqueExitBlock();
  auto Rows = ask(Before);
  BasicBlock *Own = Rows.pop_back_val();
  cloneWithout(Rows.back(), Own);
  DT.changeImmediateDominator(Exit, Before);
  forgetLoop(SE, L);
  Loop *Copy = nullptr;
  for (BasicBlock *P : predecessors(Exit))
    if (Loop *Of = LI.getLoopFor(P); Of && Of != &L)
      Copy = Of;
  for (Loop *Each : {&L, Copy})
    formDedicatedExitBlocks(Each, &DT, &LI, nullptr, true);
  addStringMetadataToLoop(&L, "llvm.loop.unroll.disable");
}

static bool hasLooks(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) { return any_of(*BB, isQuestion); });
}

PreservedAnalyses LookLoopPass::run(Function &F, FunctionAnalysisManager &AM) {
  Function *Look = F.getParent()->getFunction("__dvmrt_look");
  if (!Look || none_of(Look->users(), [&](const User *U) { return isa<CallInst>(U) && cast<CallInst>(U)->getFunction() == &F; }))
    return PreservedAnalyses::all();
  auto &LI = AM.getResult<LoopAnalysis>(F);
  auto &DT = AM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = AM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<Loop *, 16> Inner;
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost() && hasLooks(*L))
      Inner.push_back(L);
  bool Changed = !Inner.empty();
  for (Loop *L : Inner) {
    simplifyLoop(L, &DT, &LI, &SE, &AM.getResult<AssumptionAnalysis>(F), nullptr, /*PreserveLCSSA=*/false);
    formLCSSA(*L, DT, &LI, &SE);
    LookLoop Each(F, *L, SE, LI, DT, AM.getResult<TargetIRAnalysis>(F));
    if (Each.plan())
      Each.carryOut();
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

// Nests whose inner loops have few turns, or call procedures that only ask themselves, in C:
//
//   if (__dvmrt_sure(known, low, bytes, accesses) && ..)   // for each array, all that the nest can touch of it
//     nest without these looks
//   else
//     nest with looks
//
// More may be asked about than is touched: then the nest runs with its looks where it need not.  LookLoops.cpp does so for single loops.
#include "LookNests.h"
#include "Doubt.h"
#include "NestHull.h"
#include "NestLoads.h"
#include "runtime/abi.h"
#include "runtime/nest_abi.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace dvmir;

static constexpr unsigned MostHulls = 10, MostCost = 24, MostCalls = 16; // the cost: of an array's ends
static constexpr size_t MostInstructions = 3000; // of a nest, with its looks
static constexpr unsigned LeastAccesses = 8; // for each question

// ---- Calls ----------------------------------------------------------------------------------------------------------------------

static bool isOneOf(const CallBase &Call, ArrayRef<StringRef> Names) {
  const Function *F = Call.getCalledFunction();
  return F && is_contained(Names, F->getName());
}

// What asks, tells what is wrong, or takes doubts away.
static bool isHarmless(const CallBase &Call) {
  return isOneOf(Call, {"__dvmrt_look", "__dvmrt_bounds", "__dvmrt_certain", "__dvmrt_turns", "__dvmrt_run", "__dvmrt_sure",
                        "__dvmrt_assign", "__dvmrt_touch", "__dvmrt_section"});
}

static bool asksAboutRow(const CallBase &Call) { return isOneOf(Call, {"__dvmrt_certain", "__dvmrt_run", "__dvmrt_sure"}); }

// Doubts of its own objects end with them; of others it sets none.
static bool isOfOwnObject(const CallBase &Call) {
  return isOneOf(Call, {"__dvmrt_unwound"}) ||
         (isOneOf(Call, {"__dvmrt_born", "__dvmrt_live"}) && isa<AllocaInst>(Call.getArgOperand(0)->stripInBoundsOffsets()));
}

// Of what the program reads.
static bool changesNothing(const CallBase &Call) { return isHarmless(Call) || isOfOwnObject(Call); }

namespace {
// Functions that set no doubts of data that their callers know.
class Keepers {
  DenseMap<const Function *, bool> Known;

public:
  bool keep(const CallBase &Call, unsigned Depth = 3) {
    if (Call.onlyReadsMemory())
      return true;
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
      return Intrinsic->isAssumeLikeIntrinsic() || isa<MemIntrinsic>(Intrinsic) || !Intrinsic->mayHaveSideEffects() ||
             is_contained({Intrinsic::stacksave, Intrinsic::stackrestore}, Intrinsic->getIntrinsicID());
    const Function *Callee = Call.getCalledFunction();
    return Callee && (isHarmless(Call) || (Depth && keep(*Callee, Depth - 1)));
  }

  bool keep(const Function &F, unsigned Depth) {
    if (F.isDeclaration() || F.isInterposable())
      return false;
    if (auto Found = Known.find(&F); Found != Known.end())
      return Found->second;
    Known[&F] = false; // if it calls itself
    return Known[&F] = all_of(instructions(F), [&](const Instruction &I) {
             auto *Call = dyn_cast<CallBase>(&I);
             return !Call || isOfOwnObject(*Call) || keep(*Call, Depth);
           });
  }
};

// ---- What a nest asks -------------------------------------------------------------------------------------------------------------

class LookNest {
  Function &F;
  Loop &L;
  ScalarEvolution &SE;
  LoopInfo &LI;
  DominatorTree &DT;
  const TargetTransformInfo &TTI;
  Keepers &Calls;
  SCEVExpander Expander;
  NestHull Touched;
  SmallVector<CallInst *, 32> Told, Rows;
  unsigned Called = 0;

  bool add(CallBase &Call);
  bool collect();
  BasicBlock *ask(BasicBlock *Before);
  void cloneWithout(BasicBlock *Known, BasicBlock *Own);

public:
  LookNest(Function &Fn, Loop &Nest, ScalarEvolution &S, LoopInfo &Loops, DominatorTree &Dominators, const TargetTransformInfo &T,
           Keepers &K)
      : F(Fn), L(Nest), SE(S), LI(Loops), DT(Dominators), TTI(T), Calls(K), Expander(S, Fn.getDataLayout(), "dvm.nest"),
        Touched(Nest, S, Loops, Fn.getDataLayout()) {}
  bool plan();
  void carryOut();
};
} // namespace

// Rows are asked about elements of distributed arrays, too, which the nest tells of without a question ('touch').
bool LookNest::add(CallBase &Call) {
  CallInst *Look = lookCall(&Call);
  if (Look && (lookNumber(Look, LookFlags) & DVMRT_BORN)) // matters in loops alone
    return true;
  if (Look) {
    Told.push_back(Look);
    return Touched.add(Look);
  }
  if (Call.cannotDuplicate() || isOneOf(Call, {"__dvmrt_touch"}) || !Calls.keep(Call))
    return false;
  if (asksAboutRow(Call))
    Rows.push_back(cast<CallInst>(&Call));
  else if (Call.getCalledFunction() && !Call.getCalledFunction()->isDeclaration())
    ++Called;
  return Called <= MostCalls;
}

bool LookNest::collect() {
  size_t Instructions = 0;
  for (BasicBlock *BB : L.blocks()) {
    if (BB->hasAddressTaken() || BB->isEHPad() || isa<IndirectBrInst, CallBrInst, InvokeInst>(BB->getTerminator()))
      return false;
    for (Instruction &I : *BB) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (I.getType()->isTokenTy() || ++Instructions > MostInstructions || isa<AllocaInst>(I))
        return false;
      if (Call && !isa<DbgInfoIntrinsic>(I) && !add(*Call))
        return false;
    }
  }
  const size_t Asked = Touched.Bases.size();
  auto *Few = dyn_cast<SCEVConstant>(Touched.Accesses);
  return Asked && Asked <= MostHulls && !(Few && Few->getAPInt().ult(LeastAccesses * Asked));
}

bool LookNest::plan() {
  if (!L.isLoopSimplifyForm() || !L.getUniqueExitBlock() || !collect() || !L.isRecursivelyLCSSAForm(DT, LI))
    return false;
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SmallVector<const SCEV *, 16> All{Touched.Accesses};
  for (const SCEV *Base : Touched.Bases)
    All.append({Base, Touched.of(Base).Low, Touched.of(Base).End});
  return all_of(All, [&](const SCEV *E) { return Expander.isSafeToExpandAt(E, At); }) &&
         !Expander.isHighCostExpansion(All, &L, MostCost * unsigned(Touched.Bases.size() + 1), &TTI, At);
}

// ---- Both nests -------------------------------------------------------------------------------------------------------------------

// The block that is reached where nothing is in doubt; it goes on to the preheader 'Own' as the others do, which is returned behind it.
BasicBlock *LookNest::ask(BasicBlock *Before) {
  Runtime RT(*F.getParent());
  MDNode *Likely = MDBuilder(F.getContext()).createLikelyBranchWeights();
  BasicBlock *Own = SplitBlock(Before, Before->getTerminator(), &DT, &LI, nullptr, "dvm.nest.own"), *Row = Before;
  Instruction *At = Before->getTerminator();
  Value *Accesses = Expander.expandCodeFor(Touched.Accesses, RT.I64, At);
  SmallVector<std::array<Value *, 2>, 8> Asked;
  for (const SCEV *Base : Touched.Bases) {
    const Hull &H = Touched.of(Base);
    const SCEV *From = SE.getAddExpr(SE.getPtrToIntExpr(Base, RT.I64), H.Low);
    Asked.push_back({Expander.expandCodeFor(From, RT.I64, At), Expander.expandCodeFor(SE.getMinusSCEV(H.End, H.Low), RT.I64, At)});
  }
  Type *Known = ArrayType::get(RT.I64, sizeof(dvmrt_sure) / 8);
  for (unsigned N = 0; N < Asked.size(); ++N) {
    auto *Cache = new GlobalVariable(*F.getParent(), Known, false, GlobalValue::InternalLinkage, Constant::getNullValue(Known), "dvm.sure");
    BasicBlock *Next = BasicBlock::Create(F.getContext(), "dvm.nest", &F, Own);
    if (Row == Before)
      Row->getTerminator()->eraseFromParent();
    IRBuilder<> B(Row);
    B.SetCurrentDebugLocation(L.getStartLoc());
    Value *Yes = RT.call(B, "__dvmrt_sure", {Cache, B.CreateIntToPtr(Asked[N][0], RT.Ptr), Asked[N][1], Accesses});
    B.CreateCondBr(B.CreateIsNotNull(Yes), Next, Own, Likely);
    if (Loop *Around = LI.getLoopFor(Before))
      Around->addBasicBlockToLoop(Next, LI);
    DT.addNewBlock(Next, Row);
    Row = Next;
  }
  DT.changeImmediateDominator(Own, Before);
  return Row;
}

// Rows that would be asked about from some turns on (Stretches.cpp): here it costs nothing.
static void askOnlyForBounds(BasicBlock &BB) {
  for (Instruction &I : BB)
    for (Use &U : I.operands())
      if (auto *Least = dyn_cast<LoadInst>(U.get());
          Least && isa<ICmpInst>(I) && Least->getPointerOperand()->getName() == "__dvmrt_stretch_least")
        U.set(ConstantInt::get(Least->getType(), 1));
}

void LookNest::cloneWithout(BasicBlock *Known, BasicBlock *Own) {
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 32> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Own, Known, &L, Map, ".sure", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  for (CallInst *Look : Told)
    cast<Instruction>(Map[Look])->eraseFromParent();
  for (CallInst *Row : Rows) { // the same question, of a part
    auto *Asks = cast<Instruction>(Map[Row]);
    Asks->replaceAllUsesWith(ConstantInt::get(Asks->getType(), 1));
    Asks->eraseFromParent();
  }
  BranchInst::Create(Copy->getLoopPreheader(), Known);
  for (BasicBlock *BB : Blocks)
    askOnlyForBounds(*BB);
  addExitsOfCopy(L, Map);
}

void LookNest::carryOut() {
  BasicBlock *Before = L.getLoopPreheader(), *Exit = L.getUniqueExitBlock();
  BasicBlock *Known = ask(Before);
  cloneWithout(Known, L.getLoopPreheader());
  DT.changeImmediateDominator(Exit, Before);
  forgetLoop(SE, L);
}

// ---- The pass -----------------------------------------------------------------------------------------------------------------------

static size_t countLooks(const Loop &L) {
  size_t N = 0;
  for (const BasicBlock *BB : L.blocks())
    N += size_t(count_if(*BB, [](const Instruction &I) { return lookCall(&I) != nullptr; }));
  return N;
}

// Single loops with many turns are asked about row by row.
static bool isWorthIt(const Loop &L, ScalarEvolution &SE) {
  if (!countLooks(L))
    return false;
  auto *More = dyn_cast<SCEVConstant>(SE.getBackedgeTakenCount(&L));
  return !L.isInnermost() || (More && More->getAPInt().ult(8));
}

PreservedAnalyses LookNestPass::run(Function &F, FunctionAnalysisManager &AM) {
  Function *Look = F.getParent()->getFunction("__dvmrt_look");
  if (!Look || none_of(Look->users(), [&](const User *U) { return isa<CallInst>(U) && cast<CallInst>(U)->getFunction() == &F; }))
    return PreservedAnalyses::all();
  auto &LI = AM.getResult<LoopAnalysis>(F);
  auto &DT = AM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = AM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<Loop *, 16> Work(LI.rbegin(), LI.rend());
  Keepers Calls;
  bool Changed = false;
  while (!Work.empty()) {
    Loop *L = Work.pop_back_val();
    if (!isWorthIt(*L, SE))
      continue;
    Changed = true;
    simplifyLoop(L, &DT, &LI, &SE, &AM.getResult<AssumptionAnalysis>(F), nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*L, DT, &LI, &SE);
    if (L->isLoopSimplifyForm() && L->getUniqueExitBlock() && hoistLoads(*L, DT, AM.getResult<AAManager>(F), changesNothing))
      forgetLoop(SE, *L);
    LookNest Each(F, *L, SE, LI, DT, AM.getResult<TargetIRAnalysis>(F), Calls);
    if (Each.plan())
      Each.carryOut();
    Work.append(L->rbegin(), L->rend()); // where something of the whole is in doubt a part may not be
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

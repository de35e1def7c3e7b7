#include "LocalCalls.h"
#include "LocalFunctions.h"
#include "Forward.h"
#include "Function.h"
#include "MovingLocals.h"
#include "NestTexts.h"
#include "PlainCode.h"
#include "Descriptors.h"
#include "RowSums.h"
#include "Splits.h"
#include "pass/markers.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dvmir;

static constexpr unsigned MostOfCaller = 6000; // instructions without marks

namespace {
class CallExpander {
  Function &F;
  LocalFunctions &Local;
  const DistributedArrays &Arrays;
  DominatorTree DT;
  SmallVector<CallInst *, 4> Iterations;
  const bool Whole; // all of it is executed in iterations of others
  unsigned Size;
  int64_t Id = 0; // of the last access

  SmallPtrSet<const Value *, 4> Results; // of reductions

  bool isInIteration(const Instruction &I) const;
  void findResults(CallInst &Enter);
  bool isToExpand(CallInst &Call);
  void renumber(const SmallPtrSetImpl<const Instruction *> &Before);
  void expand(CallInst &Call, SmallVectorImpl<CallInst *> &Work);

public:
  CallExpander(Function &F, LocalFunctions &Local, const DistributedArrays &Arrays, bool Whole)
      : F(F), Local(Local), Arrays(Arrays), DT(F), Whole(Whole), Size(sizeOf(F)) {}
  void run();
};
} // namespace

bool CallExpander::isInIteration(const Instruction &I) const {
  return Whole || any_of(Iterations, [&](const CallInst *Begin) { return DT.dominates(Begin, &I); });
}

void CallExpander::findResults(CallInst &Enter) {
  const auto Text = DirectiveText::parse(markerText(markerTextArgument(&Enter)));
  for (auto [Arg, Value] : zip(Text.Args, markerArguments(&Enter)))
    if (Arg.Line == DVMRT_DIRECTIVE_REDUCTION)
      Results.insert(rootOf(Value));
}

// Made for the same processor, and with the same rules of arithmetic.
static bool isAlike(const Function &F, const Function &G) {
  return AttributeFuncs::areInlineCompatible(F, G) && F.hasFnAttribute(Attribute::StrictFP) == G.hasFnAttribute(Attribute::StrictFP) &&
         all_of(ArrayRef({"target-cpu", "target-features"}),
                [&](const char *Name) { return F.getFnAttribute(Name) == G.getFnAttribute(Name); });
}

// What a reduction adds up is seen where its text stands.
bool CallExpander::isToExpand(CallInst &Call) {
  Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee == &F || !isInIteration(Call) || Call.getCallingConv() != Callee->getCallingConv() || Call.isMustTailCall() ||
      Call.getFunctionType() != Callee->getFunctionType() || !isAlike(F, *Callee))
    return false;
  const LocalFunctions::Variables *Read = Local.variablesOf(*Callee);
  if (!Read || any_of(*Read, [&](const GlobalVariable *G) { return Results.contains(G); }))
    return false;
  const bool Seen = all_of(Call.args(), [&](Value *V) { return !V->getType()->isPointerTy() || !Results.contains(rootOf(V)); });
  return Seen && Size + sizeOf(*Callee) <= MostOfCaller;
}

static bool hasId(const Instruction &I) {
  StringRef Name = markerName(&I);
  return Name == DVMM_ACCESS || Name == DVMM_INDEX;
}

// Numbers are unique in the function.
void CallExpander::renumber(const SmallPtrSetImpl<const Instruction *> &Before) {
  const int64_t Others = Id;
  for (Instruction &I : instructions(F)) {
    if (!hasId(I))
      continue;
    auto &Call = cast<CallInst>(I);
    auto *Number = cast<ConstantInt>(Call.getArgOperand(IdOperand));
    if (!Before.contains(&I))
      Call.setArgOperand(IdOperand, Number = ConstantInt::get(cast<IntegerType>(Number->getType()), Others + Number->getSExtValue()));
    Id = std::max(Id, Number->getSExtValue());
  }
}

void CallExpander::expand(CallInst &Call, SmallVectorImpl<CallInst *> &Work) {
  SmallPtrSet<const Instruction *, 32> Before;
  for (Instruction &I : instructions(F))
    if (hasId(I))
      Before.insert(&I);
  Size += sizeOf(*Call.getCalledFunction());
  InlineFunctionInfo Info;
  if (!InlineFunction(Call, Info, /*MergeAttributes=*/true).isSuccess())
    return;
  renumber(Before);
  for (CallBase *Inner : Info.InlinedCallSites)
    if (auto *I = dyn_cast<CallInst>(Inner))
      Work.push_back(I);
  DT.recalculate(F);
}

// The first instruction of 'variable = variable + step', with its marks, that ends the block; null: it ends otherwise.
static Instruction *stepOf(BasicBlock &BB) {
  auto *Store = dyn_cast_or_null<StoreInst>(BB.getTerminator()->getPrevNonDebugInstruction());
  auto *Step = Store ? dyn_cast<BinaryOperator>(Store->getValueOperand()) : nullptr;
  auto *Load = Step ? dyn_cast<LoadInst>(Step->getOperand(0)) : nullptr;
  if (!Load || !isa<AllocaInst>(behindAll(Store->getPointerOperand())) ||
      behindAll(Load->getPointerOperand()) != behindAll(Store->getPointerOperand()))
    return nullptr;
  const SmallPtrSet<const Value *, 4> Parts{Store, Step, Load, Store->getPointerOperand(), Load->getPointerOperand()};
  Instruction *First = Store;
  while (First->getPrevNode() && (Parts.contains(First->getPrevNode()) || First->getPrevNode()->isDebugOrPseudoInst()))
    First = First->getPrevNode();
  return First;
}

// As clang makes loops, and those who look at them expect it: what is put inline has the step in one block with the body.
static void separateSteps(DominatorTree &DT) {
  LoopInfo LI(DT);
  for (Loop *L : LI.getLoopsInPreorder()) {
    BasicBlock *Latch = L->getLoopLatch();
    Instruction *Step = Latch && Latch != L->getHeader() ? stepOf(*Latch) : nullptr;
    if (Step && Step != &Latch->front())
      SplitBlock(Latch, Step, &DT, &LI);
  }
}

void CallExpander::run() {
  SmallVector<CallInst *, 16> Work;
  for (Instruction &I : instructions(F)) {
    if (hasId(I))
      Id = std::max(Id, cast<ConstantInt>(cast<CallInst>(I).getArgOperand(IdOperand))->getSExtValue());
    if (auto *Call = dyn_cast<CallInst>(&I); markerName(&I) == DVMM_ITER)
      Iterations.push_back(Call);
    else if (markerName(&I) == DVMM_ENTER)
      findResults(*Call);
    else if (Call && Call->getCalledFunction() && markerName(&I).empty())
      Work.push_back(Call);
  }
  for (size_t N = 0; N < Work.size(); ++N)
    if (isToExpand(*Work[N]))
      expand(*Work[N], Work);
  separateSteps(DT);
  splitVariables(F, Whole);
  countMovingLocals(F, DT, Results);
  forwardLocals(F, DT, Results);
  completeNestTexts(F, DT, Arrays);
}

static bool hasIterations(Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return markerName(&I) == DVMM_ITER; });
}

void dvmir::expandLocalCalls(Module &M, const DenseSet<const Function *> &InLoops) {
  if (isFromFlang(M))
    return;
  LocalFunctions Local;
  const DistributedArrays Arrays = distributedArraysOf(M);
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasFnAttribute(Attribute::OptimizeNone) && (InLoops.contains(&F) || hasIterations(F)))
      CallExpander(F, Local, Arrays, InLoops.contains(&F)).run();
}

#include "LocalCalls.h"
#include "Forward.h"
#include "Function.h"
#include "NestTexts.h"
#include "PlainCode.h"
#include "Descriptors.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dvmir;

static constexpr unsigned MostOfFunction = 600, MostOfCaller = 6000, DepthMax = 8; // instructions without marks

static unsigned sizeOf(const Function &F) {
  return unsigned(count_if(instructions(F), [](const Instruction &I) { return markerName(&I).empty(); }));
}

namespace {
// Functions that are judged as well where they are called: they write nothing but their own variables, what their parameters lead to, and
// elements of distributed arrays; what else they read are variables of the file.
class LocalFunctions {
public:
  using Variables = SmallPtrSet<const GlobalVariable *, 4>;

private:
  struct Kind {
    bool Local = false;
    Variables Read; // and written, by it and by those that it calls
  };
  DenseMap<const Function *, std::unique_ptr<Kind>> Known;
  // Of the function that is looked at.
  SmallPtrSet<const AllocaInst *, 8> Pointers; // that hold a parameter, or what one leads to
  Variables *Read = nullptr;

  bool isInside(Value *P);
  bool isWritable(Value *P);
  bool isPointerOf(Value *P);
  bool isInside(Instruction &I, unsigned Depth);
  bool isInside(CallBase &Call, unsigned Depth);
  bool findPointers(Function &F);
  bool find(Function &F, unsigned Depth, Kind &K);

public:
  // Null: it is none.
  const Variables *variablesOf(Function &F, unsigned Depth = 0);
};
} // namespace

// A pointer parameter, or a pointer variable of the function or the file.
bool LocalFunctions::isPointerOf(Value *P) {
  Value *At = behindAll(P);
  if (auto *Home = dyn_cast<AllocaInst>(At))
    return Pointers.contains(Home);
  auto *G = dyn_cast<GlobalVariable>(At);
  if (G)
    Read->insert(G);
  return G && !G->isThreadLocal();
}

bool LocalFunctions::isInside(Value *P) {
  Value *Root = rootOf(P);
  if (isa<AllocaInst, Argument>(Root))
    return true;
  if (auto *G = dyn_cast<GlobalVariable>(Root)) {
    Read->insert(G);
    return !G->isThreadLocal();
  }
  auto *Load = dyn_cast<LoadInst>(Root);
  return Load && isPointerOf(Load->getPointerOperand());
}

static bool isDistributed(Value *P) {
  return markerName(P) == DVMM_ACCESS && AccessText::parse(markerText(cast<CallInst>(P)->getArgOperand(2))).OfDistributed;
}

bool LocalFunctions::isWritable(Value *P) {
  Value *Root = rootOf(P);
  auto *Load = dyn_cast<LoadInst>(Root);
  return isInside(P) && (isa<AllocaInst>(Root) || (Load && isa<AllocaInst>(behindAll(Load->getPointerOperand()))) || isDistributed(P));
}

bool LocalFunctions::isInside(CallBase &Call, unsigned Depth) {
  StringRef Mark = markerName(&Call);
  if (!Mark.empty())
    return Mark == DVMM_ACCESS || Mark == DVMM_INDEX;
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Call)) {
    auto *Copy = dyn_cast<MemTransferInst>(Memory);
    return !Memory->isVolatile() && isWritable(Memory->getRawDest()) && (!Copy || isInside(Copy->getRawSource()));
  }
  if (auto *I = dyn_cast<IntrinsicInst>(&Call))
    return (I->isAssumeLikeIntrinsic() || I->doesNotAccessMemory()) && I->getIntrinsicID() != Intrinsic::returnaddress &&
           I->getIntrinsicID() != Intrinsic::frameaddress;
  Function *F = Call.getCalledFunction();
  if (!F || !isa<CallInst>(Call) || Call.isInlineAsm())
    return false;
  Variables *Own = Read;
  const auto Pointed = Pointers;
  const Variables *Inner = F->isDeclaration() ? nullptr : variablesOf(*F, Depth + 1);
  Read = Own;
  Pointers = Pointed;
  if (Inner)
    Read->insert(Inner->begin(), Inner->end());
  return (Inner || isMathematical(F)) &&
         all_of(Call.args(), [&](Value *V) { return !V->getType()->isPointerTy() || (Inner ? isInside(V) : isWritable(V)); });
}

bool LocalFunctions::isInside(Instruction &I, unsigned Depth) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return isInside(*Call, Depth);
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() &&
           (Load->getType()->isPointerTy() ? isPointerOf(Load->getPointerOperand()) : isInside(Load->getPointerOperand()));
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    auto *Home = dyn_cast<AllocaInst>(Store->getPointerOperand());
    return Store->isSimple() &&
           (Store->getValueOperand()->getType()->isPointerTy() ? Home && Pointers.contains(Home) : isWritable(Store->getPointerOperand()));
  }
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return A->isStaticAlloca();
  if (isa<PHINode, SelectInst, ICmpInst, PtrToIntInst, IntToPtrInst, ReturnInst>(I))
    return none_of(I.operands(), [](const Use &U) { return U->getType()->isPointerTy(); }) && !I.getType()->isPointerTy();
  return !I.mayReadOrWriteMemory() && !isa<IndirectBrInst, ResumeInst>(I);
}

// False: a pointer variable does not keep what it was given, or that leads elsewhere.
bool LocalFunctions::findPointers(Function &F) {
  Pointers.clear();
  for (const Argument &A : F.args())
    if (A.getType()->isPointerTy() && (A.hasPassPointeeByValueCopyAttr() || A.hasStructRetAttr()))
      return false;
  SmallVector<std::pair<AllocaInst *, StoreInst *>, 8> Given;
  for (Instruction &I : instructions(F))
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->getAllocatedType()->isPointerTy()) {
      if (StoreInst *Store = onlyStore(A))
        Given.push_back({A, Store});
      else
        return false;
      Pointers.insert(A);
    }
  return all_of(Given, [&](auto &G) { return isInside(G.second->getValueOperand()); });
}

bool LocalFunctions::find(Function &F, unsigned Depth, Kind &K) {
  if (F.isDeclaration() || F.isInterposable() || F.isVarArg() || Depth > DepthMax || F.hasFnAttribute(Attribute::NoInline) ||
      F.hasFnAttribute(Attribute::OptimizeNone) || F.hasFnAttribute(Attribute::Naked) || F.callsFunctionThatReturnsTwice() ||
      F.hasPersonalityFn() || sizeOf(F) > MostOfFunction)
    return false;
  Read = &K.Read;
  return findPointers(F) && all_of(instructions(F), [&](Instruction &I) { return isInside(I, Depth); });
}

const LocalFunctions::Variables *LocalFunctions::variablesOf(Function &F, unsigned Depth) {
  auto [At, New] = Known.try_emplace(&F); // one that calls itself is none
  if (New) {
    At->second = std::make_unique<Kind>();
    Kind *K = At->second.get();
    K->Local = find(F, Depth, *K);
  }
  const Kind *K = Known[&F].get();
  return K->Local ? &K->Read : nullptr;
}

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

// The number that ties subscripts to their access: its place among the operands.
static constexpr unsigned IdOperand = 1;
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

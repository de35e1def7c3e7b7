#include "DvmPass.h"
#include "ArrayPages.h"
#include "CountedLoops.h"
#include "Descriptors.h"
#include "Doubt.h"
#include "DummyTags.h"
#include "Folder.h"
#include "Function.h"
#include "LocalCalls.h"
#include "Memory.h"
#include "Parameters.h"
#include "Parallel.h"
#include "PlainCode.h"
#include "PureFunctions.h"
#include "Reached.h"
#include "Reductions.h"
#include "Splits.h"
#include "Stretches.h"
#include "Summaries.h"
#include "Temporaries.h"
#include "Trace.h"
#include "pass/markers.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

// Left in the module, so that IR that was instrumented once is not again.
static constexpr char InstrumentedFlag[] = "dvm-instrumented";

// Marks do not throw; where cleanups are pending (-fexceptions) clang could not know.
static void callMarkers(Function &F) {
  for (BasicBlock &BB : make_early_inc_range(F))
    if (auto *Invoke = dyn_cast<InvokeInst>(BB.getTerminator()))
      if (Function *Callee = Invoke->getCalledFunction(); Callee && Callee->getName().starts_with("__dvmm_"))
        changeToCall(Invoke);
}

// Marks never stay, whatever the function.
static void removeMarkers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    StringRef Name = markerName(&I);
    if (Name.empty())
      continue;
    auto *Call = cast<CallInst>(&I);
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(Name == DVMM_ENTER ? Constant::getNullValue(Call->getType()) : Call->getArgOperand(0));
    Call->eraseFromParent();
  }
}

// Resolvers of ifuncs run before there is thread-local memory.
static bool isInstrumentable(const Function &F) {
  if (F.hasFnAttribute(Attribute::Naked))
    return false;
  return none_of(F.getParent()->ifuncs(), [&](const GlobalIFunc &I) { return I.getResolverFunction() == &F; });
}

// An 'inline' function without an external definition anywhere is a mistake that nobody notices as long as every call is
// expanded.  With checks it has grown, and calls remain: they find it here; a definition elsewhere still goes first.  The
// library's own are left to the library.
static void keepInlineFunctions(Module &M, ArrayRef<Function *> Functions) {
  TargetLibraryInfoImpl Library(Triple(M.getTargetTriple()));
  for (Function *F : Functions) {
    LibFunc Ignored;
    if (F->hasAvailableExternallyLinkage() && !F->hasFnAttribute(Attribute::AlwaysInline) && !Library.getLibFunc(*F, Ignored))
      F->setLinkage(GlobalValue::LinkOnceODRLinkage);
  }
}

// The runtime tells executions of a construct apart by the frame.
static void keepFrames(const FunctionState &S) {
  bool CallsItself = any_of(S.F.users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    return Call && Call->getFunction() == &S.F;
  });
  if (CallsItself && !S.Constructs.empty() && !S.F.hasFnAttribute(Attribute::AlwaysInline))
    S.F.addFnAttr(Attribute::NoInline);
}

static void instrument(Function &F, Runtime &RT, const Parameters &Known) {
  rewriteCountedLoops(F);
  readDescriptorsInPlace(F);
  splitVariables(F, RT.InLoops.contains(&F)); // those of C have been, where calls were expanded
  FunctionState S(F, RT);
  keepFrames(S);
  noteCalls(S);
  findVariables(S);
  proveAssigned(S, Known);
  gatherTemporaries(S);
  MemoryLowering Unmarked(S, Known);
  mirrorReductions(S);
  findTables(S);
  summarizeNests(S);
  findStretches(S);
  loadDoubt(S);
  lowerVariables(S);
  Unmarked.run();
  lowerAccesses(S);
  lowerSections(S);
  lowerConstructs(S);
  dropDoubt(S);
}

static void executeInParallel(Module &M, ArrayRef<Function *> Work) {
  ParallelModule Parallel(M);
  for (Function *F : Work)
    if (isInstrumentable(*F))
      Parallel.prepare(*F);
  for (Function *F : Work) {
    if (isInstrumentable(*F))
      Parallel.instrument(*F);
    removeMarkers(*F);
  }
  for (Function *F : Parallel.added())
    removeMarkers(*F);
  Parallel.finish();
}

static void collectFunctions(const Constant *C, SmallPtrSetImpl<Function *> &Found) {
  if (auto *F = dyn_cast<Function>(const_cast<Constant *>(C)->stripPointerCasts()))
    Found.insert(F);
  else
    for (const Use &U : C->operands())
      if (auto *Part = dyn_cast<Constant>(U))
        collectFunctions(Part, Found);
}

// What declares the arrays of a module of Fortran (pass/fortran/Place.h).
static void callModuleDeclarations(Module &M) {
  for (Function &F : M)
    if (!F.isDeclaration() && F.getName().contains("Pdvmmi_"))
      appendToGlobalCtors(M, &F, 101);
}

// .. and of one of its arrays that this file has allocated: a module without directives has no such procedure.
static void callDeclarationsThatExist(Module &M) {
  for (Function &F : M) {
    if (!F.isDeclaration() || !F.getName().contains("Pdvmma_"))
      continue;
    F.setLinkage(GlobalValue::ExternalWeakLinkage);
    F.setDSOLocal(false);
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      IRBuilder<> B(Call);
      Call->moveBefore(SplitBlockAndInsertIfThen(B.CreateIsNotNull(&F), Call, false));
    }
  }
}

// What a function reaches is told of branches that clang leaves out, too: data that the module only declares, and that nothing else
// in it uses, may be defined nowhere.
static void weakenUnused(Module &M) {
  auto Tells = [](User *U) {
    if (markerName(U) != DVMM_DIRECT)
      return false;
    StringRef Kind = DirectiveText::parse(markerText(cast<CallInst>(U)->getArgOperand(0))).Kind;
    return Kind == "reached" || Kind == "reaches";
  };
  for (GlobalVariable &G : M.globals())
    if (G.hasExternalLinkage() && G.isDeclaration() && !G.isThreadLocal() && !G.use_empty() && all_of(G.users(), Tells)) {
      G.setLinkage(GlobalValue::ExternalWeakLinkage);
      G.setDSOLocal(false);
    }
}

// Stores that are no assignments of the program.
static void exemptKept(Module &M) {
  Function *Kept = M.getFunction(DVMM_KEPT);
  if (!Kept)
    return;
  for (User *U : make_early_inc_range(Kept->users())) {
    auto *Call = cast<CallInst>(U);
    for (User *By : Call->users())
      if (auto *Store = dyn_cast<StoreInst>(By))
        Store->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(M.getContext(), {}));
    Call->replaceAllUsesWith(Call->getArgOperand(0));
    Call->eraseFromParent();
  }
}

// They run before the run-time library's own beginning.
static void beginEarly(Module &M) {
  SmallPtrSet<Function *, 4> Early;
  for (const GlobalVariable &G : M.globals())
    if (G.hasInitializer() && G.getSection() == ".preinit_array")
      collectFunctions(G.getInitializer(), Early);
  for (Function *F : Early)
    if (!F->isDeclaration() && isInstrumentable(*F))
      IRBuilder<>(&*F->getEntryBlock().begin()).CreateCall(M.getOrInsertFunction("__dvmrt_early", Type::getVoidTy(M.getContext())));
}

static void eraseMarkers(Module &M) {
  for (Function &F : make_early_inc_range(M))
    if (F.getName().starts_with("__dvmm_") && F.use_empty())
      F.eraseFromParent();
}

PreservedAnalyses DvmPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getModuleFlag(InstrumentedFlag))
    return PreservedAnalyses::all();
  M.addModuleFlag(Module::Max, InstrumentedFlag, 1);
  keepDummies(M);
  SmallVector<Function *, 16> Work;
  for (Function &F : M)
    if (!F.isDeclaration())
      Work.push_back(&F);
  for (Function *F : Work)
    callMarkers(*F);
  exemptKept(M);
  weakenUnused(M);
  if (runsParallel(M) || recordsTrace(M)) {
    tellReached(M);
    tellFolder(M);
  }
  callModuleDeclarations(M);
  callDeclarationsThatExist(M);
  if (runsParallel(M)) {
    executeInParallel(M, Work);
    eraseMarkers(M);
    tagDummies(M);
    return PreservedAnalyses::none();
  }
  const bool Trace = recordsTrace(M);
  if (!Trace) {
    separateArrays(M, distributedArraysOf(M));
    expandLocalCalls(M, findLoopFunctions(M));
  }
  Runtime RT(M);
  TraceModule Recording(M);
  findPureFunctions(M, RT);
  RT.InLoops = findLoopFunctions(M);
  const Parameters Known(M);
  for (Function *F : Work) {
    if (isInstrumentable(*F))
      Trace ? Recording.instrument(*F) : instrument(*F, RT, Known);
    removeMarkers(*F);
  }
  keepInlineFunctions(M, Work);
  if (!Trace)
    beginEarly(M);
  Trace ? Recording.finish() : RT.finish();
  eraseMarkers(M);
  tagDummies(M);
  return PreservedAnalyses::none();
}

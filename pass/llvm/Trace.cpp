// Recording: each marked access, iteration, construct and sequential loop writes a raw record (runtime/trace/abi.h), inline
// where it is hot.
#include "Trace.h"
#include "Recorder.h"
#include "TraceCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

static cl::opt<bool> TraceOption("dvm-trace", cl::desc("record what the program does instead of checking it"), cl::Hidden);
static cl::opt<bool>
    ShareOption("dvm-share-statics",
                cl::desc("give static symbols names that the linker sees, so that objects built from one source can be mixed"), cl::Hidden);
static constexpr char TraceFlag[] = "dvm-trace";
static cl::opt<unsigned> LargeOption("dvm-trace-large", cl::init(100), cl::Hidden,
                                     cl::desc("number of accesses in a function from which records are written by calls"));
static constexpr char FunctionsSection[] = "dvmt_functions";

bool dvmir::recordsTrace(const Module &M) { return TraceOption || M.getModuleFlag(TraceFlag); }

void Recorder::instrument(Function &F) {
  if (isOfLibrary(F))
    return;
  Now = &F;
  SmallVector<CallInst *, 8> Giving = findGivingCalls(F);
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    noteHeap(Call);
    noteExit(Call);
  }
  const bool Tells = callsOthers(F);
  FunctionState S(F, RT);
  findLocals(S);
  Besides.clear();
  for (CallInst *Mark : S.Directs)
    if (siteLine(markerText(markerTextArgument(Mark)), DVMRT_ANY_KIND) == "unrecorded")
      recordBeside(Mark);
  for (auto &[Cid, K] : S.Constructs)
    lowerConstruct(S, *K);
  for (CallInst *I : S.Indices) {
    I->replaceAllUsesWith(I->getArgOperand(0));
    I->eraseFromParent();
  }
  noteOrigins(S);
  Large = S.Accesses.size() > LargeOption;
  for (CallInst *Call : Giving)
    recordCall(*this, S, Call);
  lowerDirects(S);
  for (CallInst *Mark : S.Sections)
    lowerSection(S, Mark);
  for (Access &A : S.Accesses) {
    lowerAccess(A);
    A.Mark->replaceAllUsesWith(A.Mark->getArgOperand(0));
    A.Mark->eraseFromParent();
  }
  tellLocals(S);
  if (Tells)
    tellFunction(S);
  if (Large)
    putTogether(F);
}

// A name that all objects of this source have, however they are compiled.
void Recorder::shareStatics() {
  const std::string End = ".dvm." + utohexstr(xxh3_64bits(M.getSourceFileName()), true);
  auto Share = [&](GlobalValue &G) {
    if (!G.hasInternalLinkage() || G.getName().starts_with("dvm") || G.getName().starts_with("llvm.") || G.getName().empty())
      return;
    G.setName(G.getName() + End);
    G.setLinkage(GlobalValue::ExternalLinkage);
    G.setDSOLocal(false);
  };
  for (Function &F : M)
    if (!F.isDeclaration())
      Share(F);
  for (GlobalVariable &G : M.globals())
    if (!G.hasSection())
      Share(G);
}

// Functions that others may call: so that they are known not to be foreign.
void Recorder::tellFunctions() {
  for (Function &F : M) {
    if (F.isDeclarationForLinker() || isOfLibrary(F) || F.getName().starts_with("dvmt.") || (F.hasLocalLinkage() && !F.hasAddressTaken()))
      continue;
    auto *G = new GlobalVariable(M, RT.Ptr, false, GlobalValue::PrivateLinkage, &F, "dvm.trace.function");
    G->setSection(FunctionsSection);
    G->setAlignment(Align(8));
    Kept.push_back(G);
  }
}

// As Runtime::makeConstructor, for our section.
void Recorder::finish() {
  if (!HasSites)
    return;
  tellGlobals();
  if (ShareOption)
    shareStatics();
  tellFunctions();
  auto Boundary = [&](const Twine &Symbol) {
    auto *G = new GlobalVariable(M, RT.I8, false, GlobalValue::ExternalWeakLinkage, nullptr, Symbol);
    G->setVisibility(GlobalValue::HiddenVisibility);
    return G;
  };
  auto Make = [&](StringRef Name, StringRef Entry, ArrayRef<Value *> Args) {
    Function *F = Function::createWithDefaultAttr(FunctionType::get(RT.Void, false), GlobalValue::LinkOnceODRLinkage, 0, Name, &M);
    F->setVisibility(GlobalValue::HiddenVisibility);
    F->setComdat(M.getOrInsertComdat(Name));
    F->addFnAttr(Attribute::NoUnwind);
    IRBuilder<> B(BasicBlock::Create(C, "", F));
    call(B, Entry, RT.Void, Args);
    B.CreateRetVoid();
    return F;
  };
  Value *First = Boundary(Twine("__start_") + SitesSection), *Last = Boundary(Twine("__stop_") + SitesSection);
  Function *Constructor =
      Make("dvmt.module_ctor", DVMT_MODULE_SYMBOL,
           {First, Last, Boundary(Twine("__start_") + FunctionsSection), Boundary(Twine("__stop_") + FunctionsSection)});
  appendToGlobalCtors(M, Constructor, 1, Constructor);
  Function *Destructor = Make("dvmt.module_dtor", "__dvmt_module_gone", {First, Last});
  appendToGlobalDtors(M, Destructor, 1, Destructor);
  appendToCompilerUsed(M, Kept);
}

TraceModule::TraceModule(Module &M) : Inside(new Recorder(M)) {}
TraceModule::~TraceModule() { delete Inside; }
void TraceModule::instrument(Function &F) { Inside->instrument(F); }
void TraceModule::finish() { Inside->finish(); }

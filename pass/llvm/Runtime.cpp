#include "Runtime.h"
#include "runtime/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

static const unsigned char InlineBitcode[] = {
#include "inline.bc.inc"
};

static constexpr char SitesSection[] = "dvmrt_sites";

// Rows: name; result and parameters, a letter each: v void, p pointer, i 32 bits, l 64 bits; '.' at the end: as many pointers as follow.
static const struct {
  StringRef Name, Types;
} EntryPoints[] = {
    {"__dvmrt_touch", "vplppi"},    {"__dvmrt_bounds", "vpppili"},     {"__dvmrt_place", "ippppi"},
    {"__dvmrt_local", "ipiiip"},    {"__dvmrt_enter", "ippp"},         {"__dvmrt_leave", "vpp"},
    {"__dvmrt_row", "vp"},          {"__dvmrt_direct", "vpp"},         {"__dvmrt_view", "ppii"},
    {"__dvmrt_born", "vpl"},        {"__dvmrt_live", "vpl"},           {"__dvmrt_look_copy", "vpplppi"},
    {"__dvmrt_assign", "vpl"},      {"__dvmrt_copy", "vppl"},          {"__dvmrt_copy_at", "vpplpp"},
    {"__dvmrt_write_at", "vplp"},   {"__dvmrt_read_at", "vplpi"},      {"__dvmrt_length", "lpl"},
    {"__dvmrt_fill", "vpl"},        {"__dvmrt_unwound", "vp"},         {"__dvmrt_over", "vpl"},
    {"__dvmrt_foreign", "vp"},      {"__dvmrt_written", "vp"},         {"__dvmrt_given", "vpl"},
    {"__dvmrt_heap_new", "vpl"},    {"__dvmrt_heap_zero", "vpl"},      {"__dvmrt_reduction", "ipiipppddpppl"},
    {"__dvmrt_escape", "vp"},       {"__dvmrt_results", "vpiipppppl"}, {"__dvmrt_step", "vpii"},
    {"__dvmrt_summary", "ipppp"},   {"__dvmrt_data", "ippl"},          {"__dvmrt_stretch", "iplp"},
    {"__dvmrt_turns", "iplp"},      {"__dvmrt_run", "ipllli"},         {"__dvmrt_heap_free", "vp"},
    {"__dvmrt_landed", "vp"},       {"__dvmrt_realloc", "ppl"},        {DVMRT_MODULE_SYMBOL, "vpp"},
    {"__dvmrt_module_gone", "vpp"}, {"__dvmrt_section", "vplpiip"},    {"__dvmrt_handed", "vpi."},
    {"__dvmrt_handed_to", "vppi."}, {"__dvmrt_certain", "ipllp"},      {"__dvmrt_result", "iplpi"},
    {"__dvmrt_described", "vp"},    {"__dvmrt_lacks", "ipl"},          {"__dvmrt_lack", "vpl"},
    {"__dvmrt_sure", "ippll"},
};

// What is called behind a test.  The others are not: a block that was cold for them would keep functions from being put inline there.
static constexpr StringRef SlowPaths[] = {"__dvmrt_touch",  "__dvmrt_bounds",    "__dvmrt_place", "__dvmrt_local",
                                          "__dvmrt_escape", "__dvmrt_look_copy", "__dvmrt_result"};

Runtime::Runtime(Module &Mod)
    : M(Mod), C(M.getContext()), DL(M.getDataLayout()), Void(Type::getVoidTy(C)), Ptr(PointerType::getUnqual(C)), I1(Type::getInt1Ty(C)),
      I8(Type::getInt8Ty(C)), I32(Type::getInt32Ty(C)), I64(Type::getInt64Ty(C)), Unlikely(MDBuilder(C).createUnlikelyBranchWeights()) {}

CallInst *Runtime::call(IRBuilderBase &B, StringRef Name, ArrayRef<Value *> Args) {
  StringRef Types;
  for (const auto &Row : EntryPoints)
    if (Row.Name == Name)
      Types = Row.Types;
  assert(!Types.empty() && "entry point without a row");
  const bool Open = Types.consume_back(".");
  SmallVector<Type *, 8> T;
  for (char Letter : Types)
    T.push_back(Letter == 'v'   ? Void
                : Letter == 'p' ? static_cast<Type *>(Ptr)
                : Letter == 'i' ? I32
                : Letter == 'd' ? Type::getDoubleTy(C)
                                : static_cast<Type *>(I64));
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(T[0], ArrayRef(T).drop_front(), Open));
  if (auto *F = dyn_cast<Function>(Callee.getCallee())) {
    F->addFnAttr(Attribute::NoUnwind);
    // Through the lazy PLT the first call would cost a symbol look-up in the middle of a timed loop.
    F->addFnAttr(Attribute::NonLazyBind);
    if (is_contained(SlowPaths, Name))
      F->addFnAttr(Attribute::Cold);
  }
  return B.CreateCall(Callee, Args);
}

CallInst *Runtime::fast(IRBuilderBase &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  SmallVector<Type *, 8> T;
  for (Value *A : Args)
    T.push_back(A->getType());
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(Result, T, false));
  if (!is_contained(FastPaths, Name))
    FastPaths.push_back(Callee.getCallee()->getName());
  CallInst *Call = B.CreateCall(Callee, Args);
  // The inliner needs a place in functions that have debug information.
  if (!Call->getDebugLoc())
    if (DISubprogram *SP = Call->getFunction()->getSubprogram())
      Call->setDebugLoc(DILocation::get(C, SP->getScopeLine(), 0, SP));
  return Call;
}

// Types of one tree are told apart: it is that of the function's data, of which flang gives each function one.
MDNode *Runtime::rootOf(const Function &F) {
  MDNode *&Root = Roots[&F];
  for (auto I = inst_begin(F), E = inst_end(F); !Root && I != E; ++I)
    if (MDNode *Node = I->getMetadata(LLVMContext::MD_tbaa)) {
      while (Node->getNumOperands() > 1 && isa_and_nonnull<MDNode>(Node->getOperand(1)))
        Node = cast<MDNode>(Node->getOperand(1));
      Root = Node;
    }
  return Root ? Root : Root = MDBuilder(C).createTBAARoot("Simple C/C++ TBAA");
}

// Our memory aliases nothing of the user's: types of our own beside 'omnipotent char'.
MDNode *Runtime::tag(StringRef Kind, MDNode *Root) {
  MDBuilder B(C);
  MDNode *Scalar = B.createTBAAScalarTypeNode(Kind, Root);
  return B.createTBAAStructTagNode(Scalar, Scalar, 0);
}

template <typename T> T *Runtime::own(T *I, StringRef Kind) {
  I->setMetadata(LLVMContext::MD_tbaa, tag(Kind, rootOf(*I->getFunction())));
  I->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(C, {}));
  return I;
}

Value *Runtime::now(IRBuilderBase &B, size_t Offset) {
  auto *Now = cast<GlobalVariable>(M.getOrInsertGlobal("__dvmrt_now", ArrayType::get(I64, sizeof(dvmrt_now) / 8), [&] {
    auto *G = new GlobalVariable(M, ArrayType::get(I64, sizeof(dvmrt_now) / 8), false, GlobalValue::ExternalLinkage, nullptr, "__dvmrt_now",
                                 nullptr, GlobalValue::InitialExecTLSModel);
    G->setAlignment(Align(8));
    return G;
  }));
  return B.CreateConstInBoundsGEP1_64(I8, B.CreateThreadLocalAddress(Now), Offset);
}

LoadInst *Runtime::loadNow(IRBuilderBase &B, size_t Offset, const Twine &Name, Type *T) {
  T = T ? T : I32;
  return own(B.CreateAlignedLoad(T, now(B, Offset), DL.getABITypeAlign(T), Name), "dvm now");
}

void Runtime::storeNow(IRBuilderBase &B, size_t Offset, Value *V) {
  own(B.CreateAlignedStore(V, now(B, Offset), Align(DL.getTypeStoreSize(V->getType()).getFixedValue())), "dvm now");
}

LoadInst *Runtime::loadView(IRBuilderBase &B, Value *View, size_t Offset, Type *T) {
  return own(B.CreateAlignedLoad(T, B.CreateConstInBoundsGEP1_64(I8, View, Offset), DL.getABITypeAlign(T)), "dvm view");
}

Value *Runtime::doubt() {
  Type *T = ArrayType::get(I64, sizeof(dvmrt_doubt) / 8);
  return M.getOrInsertGlobal("__dvmrt_doubt", T);
}

LoadInst *Runtime::loadDoubt(IRBuilderBase &B, size_t Offset, Type *T) {
  return own(B.CreateAlignedLoad(T, B.CreateConstInBoundsGEP1_64(I8, doubt(), Offset), Align(8)), "dvm doubt");
}

LoadInst *Runtime::loadBits(IRBuilderBase &B, Value *P, Type *T) { return own(B.CreateAlignedLoad(T, P, Align(1)), "dvm bits"); }

GlobalVariable *Runtime::table(ArrayRef<uint64_t> Words) {
  Constant *Value = ConstantDataArray::get(C, Words);
  GlobalVariable *&Table = Tables[Value];
  if (!Table) {
    Table = new GlobalVariable(M, Value->getType(), true, GlobalValue::PrivateLinkage, Value, "dvm.table");
    Table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  }
  return Table;
}

GlobalVariable *Runtime::site(Constant *Text) {
  HasSites = true;
  auto *Null = ConstantPointerNull::get(Ptr);
  auto *Init = ConstantStruct::getAnon({Text, Null});
  auto *G = new GlobalVariable(M, Init->getType(), false, GlobalValue::PrivateLinkage, Init, "dvm.site");
  G->setSection(SitesSection);
  G->setAlignment(Align(alignof(dvmrt_site)));
  return G;
}

// void __attribute__((constructor(1))) ctor(void) { DVMRT_MODULE(__start_dvmrt_sites, __stop_dvmrt_sites); }
// void __attribute__((destructor(1))) dtor(void) { __dvmrt_module_gone(__start_dvmrt_sites, __stop_dvmrt_sites); }
// Once per linked object: the same COMDAT in each module, hidden, so that each shared library has its own.
void Runtime::makeConstructor() {
  auto Boundary = [&](const Twine &Symbol) {
    auto *G = new GlobalVariable(M, I8, false, GlobalValue::ExternalWeakLinkage, nullptr, Symbol);
    G->setVisibility(GlobalValue::HiddenVisibility);
    return G;
  };
  Value *Sites[] = {Boundary(Twine("__start_") + SitesSection), Boundary(Twine("__stop_") + SitesSection)};
  auto Make = [&](StringRef Name, StringRef Entry) {
    Function *F = Function::createWithDefaultAttr(FunctionType::get(Void, false), GlobalValue::LinkOnceODRLinkage, 0, Name, &M);
    F->setVisibility(GlobalValue::HiddenVisibility);
    F->setComdat(M.getOrInsertComdat(Name));
    F->addFnAttr(Attribute::NoUnwind);
    IRBuilder<> B(BasicBlock::Create(C, "", F));
    call(B, Entry, Sites);
    B.CreateRetVoid();
    return F;
  };
  Function *Constructor = Make("dvmrt.module_ctor", DVMRT_MODULE_SYMBOL);
  appendToGlobalCtors(M, Constructor, 1, Constructor);
  Function *Destructor = Make("dvmrt.module_dtor", "__dvmrt_module_gone");
  appendToGlobalDtors(M, Destructor, 1, Destructor);
}

// What was compiled for this machine must suit the function that it is inlined into.
void Runtime::markFastPath(Function &F) {
  F.setAttributes({});
  F.addFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoUnwind);
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setComdat(nullptr);
  for (Instruction &I : instructions(F)) {
    if (!isa<LoadInst, StoreInst>(I))
      continue;
    Type *T = getLoadStoreType(&I);
    own(&I, T->isIntegerTy(32) ? "dvm word" : "dvm page");
  }
}

void Runtime::linkFastPaths() {
  if (FastPaths.empty())
    return;
  StringRef Bytes(reinterpret_cast<const char *>(InlineBitcode), sizeof(InlineBitcode));
  auto Inline = cantFail(parseBitcodeFile(MemoryBufferRef(Bytes, "dvm inline.c"), C));
  Inline->setTargetTriple(M.getTargetTriple());
  Inline->setDataLayout(M.getDataLayout());
  for (NamedMDNode &N : make_early_inc_range(Inline->named_metadata()))
    N.eraseFromParent(); // flags and ident of its own compilation
  if (Linker::linkModules(M, std::move(Inline), Linker::LinkOnlyNeeded))
    report_fatal_error("dvm: cannot link the fast paths");
  for (StringRef Name : FastPaths)
    markFastPath(*M.getFunction(Name));
}

void Runtime::finish() {
  linkFastPaths();
  if (HasSites)
    makeConstructor();
}

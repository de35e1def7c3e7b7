// Recording: each marked access, iteration, construct and sequential loop writes a raw record (runtime/trace/abi.h), inline
// where it is hot.  A construct with iterations gets a second, plain body, which runs where nothing of it is recorded.
#include "Trace.h"
#include "Function.h"
#include "TraceCalls.h"
#include "pass/markers.h"
#include "runtime/trace/abi.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace dvmir;

static cl::opt<bool> TraceOption("dvm-trace", cl::desc("record what the program does, in place of checking it"), cl::Hidden);
static cl::opt<bool> ShareOption("dvm-share-statics",
                                 cl::desc("give what is static a name for the linker, so that objects of one source can be mixed"),
                                 cl::Hidden);
static constexpr char TraceFlag[] = "dvm-trace";
static constexpr char SitesSection[] = "dvmt_sites", FunctionsSection[] = "dvmt_functions";

bool dvmir::recordsTrace(const Module &M) { return TraceOption || M.getModuleFlag(TraceFlag); }

namespace {
using Arguments = SmallVector<Value *, 8>;

struct ValueType {
  char Kind = 'o';
  unsigned Bytes = 0;
  unsigned words() const { return (Bytes + 7) / 8; }
  bool known() const { return Kind != 'o' && Bytes && Bytes <= 32; }
};

ValueType valueTypeOf(StringRef Text) {
  ValueType T;
  StringRef Y = siteLine(Text, DVMRT_TRACE_VALUE);
  if (!Y.empty() && !Y.drop_front().getAsInteger(10, T.Bytes))
    T.Kind = Y[0];
  return T;
}

Value *rootOf(Value *P) {
  for (;;) {
    P = P->stripPointerCasts();
    if (auto *GEP = dyn_cast<GEPOperator>(P))
      P = GEP->getPointerOperand();
    else if (markerName(P) == DVMM_ACCESS)
      P = cast<CallInst>(P)->getArgOperand(0);
    else
      return P;
  }
}
} // namespace

struct TraceModule::Impl : TraceParts {
  Module &M;
  LLVMContext &C;
  Runtime RT;
  bool HasSites = false;
  SmallPtrSet<Constant *, 16> Known; // global variables that a site tells of
  SmallVector<GlobalValue *, 16> Kept;
  Function *Now = nullptr;           // that is being lowered
  StringMap<Constant *> Texts;       // of sites
  DenseMap<const CallInst *, StringRef> AccessTexts;   // of this function's marks
  DenseMap<const CallInst *, std::string> OriginTexts; // likewise: what they store

  explicit Impl(Module &Mod) : M(Mod), C(M.getContext()), RT(M) {}

  // ---- Sites and calls ----

  // The site's text, with the function that it stands in.
  Constant *placedText(Constant *TextConstant, StringRef More) {
    std::string Text = (markerText(TextConstant) + "\n@ " + Now->getName() + More).str();
    Constant *&Placed = Texts[Text];
    if (!Placed) {
      Constant *Data = ConstantDataArray::getString(C, Text);
      auto *G = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text");
      G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      Placed = G;
    }
    return Placed;
  }

  GlobalVariable *site(Constant *Text, unsigned Kind, unsigned Words, unsigned Bytes = 0, unsigned Where = 0, Constant *Base = nullptr,
                       uint64_t Size = 0, unsigned Args = 0, StringRef More = "") {
    HasSites = true;
    Text = placedText(Text, More);
    auto *Null = ConstantPointerNull::get(RT.Ptr);
    auto Byte = [&](unsigned V) { return ConstantInt::get(RT.I8, V); };
    auto *Init =
        ConstantStruct::getAnon({Text, Base ? Base : Null, ConstantInt::get(RT.I64, Size), Byte(Kind), Byte(Words), Byte(Bytes),
                                 Byte(Where), Byte(Args), Byte(DVMT_LEVEL_UNSET), Byte(0), Byte(0), Null, ConstantInt::get(RT.I64, 0)});
    auto *G = new GlobalVariable(M, Init->getType(), false, GlobalValue::PrivateLinkage, Init, "dvm.trace.site");
    G->setSection(SitesSection);
    G->setAlignment(Align(16));
    return G;
  }

  CallInst *call(IRBuilderBase &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) override {
    SmallVector<Type *, 8> T;
    for (Value *A : Args)
      T.push_back(A->getType());
    FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(Result, T, false));
    if (auto *F = dyn_cast<Function>(Callee.getCallee())) {
      F->addFnAttr(Attribute::NoUnwind);
      F->addFnAttr(Attribute::NonLazyBind);
    }
    return B.CreateCall(Callee, Args);
  }

  Value *state(IRBuilderBase &B, size_t Offset) {
    auto *T = ArrayType::get(RT.I64, sizeof(dvmt_state) / 8);
    auto *State = cast<GlobalVariable>(M.getOrInsertGlobal("__dvmt_state", T, [&] {
      auto *G =
          new GlobalVariable(M, T, false, GlobalValue::ExternalLinkage, nullptr, "__dvmt_state", nullptr, GlobalValue::InitialExecTLSModel);
      G->setAlignment(Align(8));
      return G;
    }));
    return B.CreateConstInBoundsGEP1_64(RT.I8, B.CreateThreadLocalAddress(State), Offset);
  }

  // What is ours aliases nothing of the user's.
  template <typename T> T *own(T *I, StringRef Kind) {
    MDBuilder B(C);
    MDNode *Scalar = B.createTBAAScalarTypeNode(Kind, B.createTBAARoot("Simple C/C++ TBAA"));
    I->setMetadata(LLVMContext::MD_tbaa, B.createTBAAStructTagNode(Scalar, Scalar, 0));
    I->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(C, {}));
    return I;
  }

  Value *loadState(IRBuilderBase &B, size_t Offset, Type *T) {
    return own(B.CreateAlignedLoad(T, state(B, Offset), Align(4)), "dvm trace state");
  }

  void storeWord(IRBuilderBase &B, Value *V, Value *Record, unsigned Word) {
    own(B.CreateAlignedStore(V, B.CreateConstInBoundsGEP1_64(RT.I8, Record, 8 * Word), Align(8)), "dvm trace record");
  }

  // ---- Records ----

  // The record's words behind the first; then the first, and on to the next record.
  void closeRecord(IRBuilderBase &B, Value *Record, GlobalVariable *Site, dvmt_tag Tag, unsigned Words, Instruction *At) {
    Value *First = B.CreateConstInBoundsGEP1_64(RT.I8, Site, Tag);
    storeWord(B, First, Record, 0);
    Value *Next = B.CreateConstInBoundsGEP1_64(RT.I8, Record, 8 * Words);
    own(B.CreateAlignedStore(Next, state(B, offsetof(dvmt_state, next)), Align(8)), "dvm trace state");
    Value *Full = B.CreateICmpUGE(Next, loadState(B, offsetof(dvmt_state, limit), RT.Ptr));
    IRBuilder<> Slow(SplitBlockAndInsertIfThen(Full, At, false, RT.Unlikely));
    Slow.SetCurrentDebugLocation(At->getDebugLoc());
    call(Slow, "__dvmt_full", RT.Void, {});
  }

  // if (state.flags & Needed) ..  Returns the end of the new block.
  Instruction *guarded(Instruction *At, uint32_t Needed) {
    IRBuilder<> B(At);
    Value *Flags = loadState(B, offsetof(dvmt_state, flags), RT.I32);
    return SplitBlockAndInsertIfThen(B.CreateIsNotNull(B.CreateAnd(Flags, Needed)), At, false);
  }

  Value *asWord(IRBuilderBase &B, Value *V) {
    Type *T = V->getType();
    if (T->isPointerTy())
      return B.CreatePtrToInt(V, RT.I64);
    if (T->isIntegerTy())
      return B.CreateZExtOrTrunc(V, RT.I64);
    unsigned Bits = T->getPrimitiveSizeInBits();
    return B.CreateZExt(B.CreateBitCast(V, B.getIntNTy(Bits)), RT.I64);
  }

  // Stores the value, which came or goes in one part or (complex) two; true if it could.
  void storeValue(IRBuilderBase &B, ArrayRef<Value *> Parts, ValueType T, Value *Record, unsigned Word) {
    unsigned PartBytes = T.Bytes / Parts.size();
    if (T.Bytes <= 8) {
      Value *V = asWord(B, Parts[0]);
      if (Parts.size() == 2)
        V = B.CreateOr(V, B.CreateShl(asWord(B, Parts[1]), PartBytes * 8));
      return storeWord(B, V, Record, Word);
    }
    for (unsigned W = 0; W < T.words(); ++W)
      storeWord(B, B.getInt64(0), Record, Word + W);
    for (unsigned N = 0; N < Parts.size(); ++N)
      own(B.CreateAlignedStore(Parts[N], B.CreateConstInBoundsGEP1_64(RT.I8, Record, 8 * Word + N * PartBytes), Align(8)),
          "dvm trace record");
  }

  struct Place {
    GlobalVariable *Site;
    Value *Address, *Root; // null: not needed
    unsigned Where;
  };

  // A read or write of the value before 'At'.
  void recordValue(Instruction *At, const Place &P, dvmt_tag Tag, ValueType T, ArrayRef<Value *> Parts) {
    Instruction *End = guarded(At, Tag == DVMT_TAG_READ ? DVMT_ON_READ : DVMT_ON_WRITE);
    IRBuilder<> B(End);
    B.SetCurrentDebugLocation(At->getDebugLoc());
    Value *Record = loadState(B, offsetof(dvmt_state, next), RT.Ptr);
    Value *Address = B.CreatePtrToInt(P.Address, RT.I64);
    unsigned Word = 1;
    if (P.Where & DVMT_WHERE_ADDRESS)
      storeWord(B, Address, Record, Word++);
    if (!(P.Where & DVMT_WHERE_ADDRESS) || (P.Where & DVMT_WHERE_POINTER))
      storeWord(B, B.CreateSub(Address, B.CreatePtrToInt(P.Root, RT.I64)), Record, Word++);
    storeValue(B, Parts, T, Record, Word);
    closeRecord(B, Record, P.Site, Tag, Word + T.words(), End);
  }

  // ---- Accesses ----

  // What the stored value is made of, as far as the statement shows: functions whose values differ by nature, and the variables that are
  // added in it (where large ones cancel, what is left has their rounding).
  struct Origin {
    std::string Nature;
    SmallSetVector<StringRef, 8> Terms; // site texts
  };

  static bool isNature(StringRef Name) {
    static const StringRef Names[] = {"time",          "clock",        "times",     "getpid",     "getppid",   "gettid",
                                      "rand",          "random",       "drand48",   "lrand48",    "mrand48",   "erand48",
                                      "rand_r",        "arc4random",   "getrandom", "dvmh_wtime", "MPI_Wtime", "omp_get_wtime",
                                      "clock_gettime", "gettimeofday", "dvmh_pid"};
    return is_contained(Names, Name);
  }

  static bool isSum(const Instruction *I) {
    if (auto *Call = dyn_cast<IntrinsicInst>(I))
      return Call->getIntrinsicID() == Intrinsic::fmuladd || Call->getIntrinsicID() == Intrinsic::fma;
    return I->getOpcode() == Instruction::FAdd || I->getOpcode() == Instruction::FSub;
  }

  // What a function of this module returns, straight or by way of a variable of its own.
  void traceResult(Function &F, Origin &O, unsigned Depth) {
    for (BasicBlock &BB : F) {
      auto *Return = dyn_cast<ReturnInst>(BB.getTerminator());
      Value *V = Return ? Return->getReturnValue() : nullptr;
      Origin Inner; // its variables are not those of the statement
      if (auto *Load = dyn_cast_or_null<LoadInst>(V); Load && isa<AllocaInst>(Load->getPointerOperand())) {
        for (User *U : Load->getPointerOperand()->users())
          if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Load->getPointerOperand())
            traceOrigin(Store->getValueOperand(), Inner, false, Depth);
      } else if (V) {
        traceOrigin(V, Inner, false, Depth);
      }
      if (O.Nature.empty())
        O.Nature = Inner.Nature;
    }
  }

  void traceOrigin(Value *V, Origin &O, bool Added = false, unsigned Depth = 0) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth > 12)
      return;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (O.Nature.empty())
        O.Nature = natureBehind(Load->getPointerOperand());
      auto *Mark = dyn_cast<CallInst>(Load->getPointerOperand()->stripPointerCasts());
      if (auto Text = AccessTexts.find(Mark); Added && O.Terms.size() < 8 && Text != AccessTexts.end())
        O.Terms.insert(Text->second);
    } else if (auto *Call = dyn_cast<CallInst>(I); Call && !isa<IntrinsicInst>(I)) {
      const Function *Callee = calledFunction(Call);
      if (Callee && isNature(Callee->getName()))
        O.Nature = Callee->getName();
      else if (Callee && !Callee->isDeclaration() && Depth < 8)
        traceResult(*const_cast<Function *>(Callee), O, Depth + 4);
    } else if (isa<BinaryOperator, CastInst, UnaryOperator, IntrinsicInst>(I)) {
      for (Value *Operand : I->operands())
        traceOrigin(Operand, O, Added || isSum(I), Depth + 1);
    }
  }

  std::string originText(ArrayRef<StoreInst *> Stores) {
    Origin O;
    for (StoreInst *St : Stores)
      traceOrigin(St->getValueOperand(), O);
    std::string Text = O.Nature.empty() ? "" : "\n~ " + O.Nature;
    SmallSetVector<StringRef, 8> Variables;
    for (StringRef Term : O.Terms)
      if (StringRef Q = siteLine(Term, DVMRT_ACCESS_DECLARED); !Q.empty() && Variables.insert(Q))
        Text += ("\n% " + siteLine(Term, DVMRT_ACCESS_VARIABLE) + " " + Q).str();
    return Text;
  }

  // Whether its address is known elsewhere: by the linker, or because it is stored.
  static bool escapes(const Value *V, unsigned Depth = 0) {
    if (const auto *G = dyn_cast<GlobalVariable>(V); G && !G->hasLocalLinkage())
      return !G->isConstant();
    return Depth < 8 && any_of(
                            V->users(),
                            [&](const User *U) {
                              if (const auto *Store = dyn_cast<StoreInst>(U))
                                return Store->getValueOperand() == V;
                              return isa<GlobalVariable>(U) ||
                                     (isa<ConstantExpr, ConstantAggregate, GetElementPtrInst>(U) && escapes(U, Depth + 1));
                            });
  }

  GlobalVariable *givenSite(Value *Pointer, Constant *Text, bool WithBefore, StringRef More) override {
    ValueType T = valueTypeOf(markerText(Text));
    if (!T.known())
      return nullptr;
    unsigned Parts = WithBefore && T.words() <= 2 ? 2 : 1;
    Place P = placeOf(Pointer, Text, T, More, Parts);
    return P.Site;
  }

  GlobalVariable *callSite(Constant *Text) override { return site(Text, DVMT_SITE_ACCESS, 0); }
  Instruction *whereRecorded(Instruction *At) override { return guarded(At, DVMT_ON_WRITE); }

  Place placeOf(Value *Pointer, Constant *TextConstant, ValueType T, StringRef More = "", unsigned Values = 1) {
    Value *Root = rootOf(Pointer);
    Place P{nullptr, Pointer, Root, 0};
    Constant *Base = nullptr;
    uint64_t Size = 0;
    StringRef Text = markerText(TextConstant);
    bool Distributed = !siteLine(Text, DVMRT_ACCESS_DISTRIBUTED).empty();
    if (auto *Alloca = dyn_cast<AllocaInst>(Root)) {
      if (auto S = Alloca->getAllocationSize(RT.DL))
        Size = S->getFixedValue();
      P.Where = Distributed ? DVMT_WHERE_ADDRESS : 0;
    } else if (auto *G = dyn_cast<GlobalVariable>(Root)) {
      if (G->getValueType()->isSized())
        Size = RT.DL.getTypeAllocSize(G->getValueType()).getFixedValue();
      Base = G->isThreadLocal() ? nullptr : G;
      P.Where = Base ? DVMT_WHERE_ADDRESS | (escapes(G) ? DVMT_WHERE_ESCAPES : 0) : 0;
    } else if (auto *Arg = dyn_cast<Argument>(Root); Arg && (Arg->hasByValAttr() || Arg->hasStructRetAttr())) {
      Type *Passed = Arg->hasByValAttr() ? Arg->getParamByValType() : Arg->getParamStructRetType();
      Size = RT.DL.getTypeAllocSize(Passed).getFixedValue();
    } else {
      P.Where = DVMT_WHERE_ADDRESS | DVMT_WHERE_POINTER;
    }
    P.Site = site(TextConstant, DVMT_SITE_ACCESS, Values * T.words(), T.Bytes, P.Where, Base, Size, 0, More);
    // What optimisation removes must not decide under which name a pointer's access to the variable is known.
    if (Base && Known.insert(Base).second)
      Kept.push_back(P.Site);
    return P;
  }

  struct Moves {
    SmallVector<LoadInst *, 2> Loads;
    SmallVector<StoreInst *, 2> Stores;
    bool Other = false; // atomic update, copy of the whole: no value to see
  };

  static void collectMoves(Value *P, Moves &M, unsigned Depth = 0) {
    for (User *U : P->users()) {
      if (auto *L = dyn_cast<LoadInst>(U))
        M.Loads.push_back(L);
      else if (auto *St = dyn_cast<StoreInst>(U); St && St->getPointerOperand() == P)
        M.Stores.push_back(St);
      else if (isa<GetElementPtrInst>(U) && !Depth)
        collectMoves(U, M, 1);
      else
        M.Other = true;
    }
  }

  // Bytes from the mark to what is moved.
  int64_t offsetOf(const Instruction *I) const {
    APInt Offset(64, 0);
    getLoadStorePointerOperand(I)->stripAndAccumulateConstantOffsets(RT.DL, Offset, true);
    return Offset.getSExtValue();
  }

  // The last moved of all parts, in one block, or nothing.
  template <typename T> static Instruction *lastOf(ArrayRef<T *> Moved) {
    Instruction *Last = Moved.front();
    for (T *I : Moved) {
      if (I->getParent() != Last->getParent())
        return nullptr;
      if (Last->comesBefore(I))
        Last = I;
    }
    return Last;
  }

  void lowerAccess(const Access &A) {
    ValueType T = valueTypeOf(markerText(A.TextConstant));
    Moves Moved;
    collectMoves(A.Mark, Moved);
    if (!T.known() || (A.Text.IndexNumber && !A.Text.Writes)) // the iteration says what its index variables are
      return;
    auto ByOffset = [&](const Instruction *X, const Instruction *Y) { return offsetOf(X) < offsetOf(Y); };
    llvm::sort(Moved.Loads, ByOffset);
    llvm::sort(Moved.Stores, ByOffset);
    unsigned Parts = T.Kind == 'c' ? 2 : 1;
    bool Read = A.Text.Reads && Moved.Loads.size() >= Parts, Write = A.Text.Writes && Moved.Stores.size() >= Parts;
    if (!Read && !Write && !(Moved.Other && A.Text.Writes))
      return;
    Place P = placeOf(A.Mark->getArgOperand(0), A.TextConstant, T, Write ? OriginTexts[A.Mark] : "");
    if (Read)
      recordLoads(P, T, ArrayRef(Moved.Loads).take_front(Parts));
    if (Write)
      recordStores(P, T, ArrayRef(Moved.Stores).take_back(Parts));
    else if (Moved.Other && A.Text.Writes)
      recordAtomic(A, P, T);
  }

  void recordLoads(const Place &P, ValueType T, ArrayRef<LoadInst *> Loads) {
    Instruction *Last = lastOf(Loads);
    if (!Last)
      return;
    SmallVector<Value *, 2> Values(Loads.begin(), Loads.end());
    recordValue(Last->getNextNode(), P, DVMT_TAG_READ, T, Values);
  }

  void recordStores(const Place &P, ValueType T, ArrayRef<StoreInst *> Stores) {
    Instruction *Last = lastOf(Stores);
    if (!Last)
      return;
    SmallVector<Value *, 2> Values;
    for (StoreInst *St : Stores)
      Values.push_back(St->getValueOperand());
    recordValue(Last->getNextNode(), P, DVMT_TAG_WRITE, T, Values);
  }

  // The value behind an atomic update is what a load right after it finds.
  void recordAtomic(const Access &A, const Place &P, ValueType T) {
    if (T.Bytes > 8 || !isPowerOf2_32(T.Bytes))
      return;
    Instruction *Update = nullptr;
    for (User *U : A.Mark->users())
      if (isa<AtomicRMWInst, AtomicCmpXchgInst>(U))
        Update = cast<Instruction>(U);
    if (!Update)
      return;
    IRBuilder<> B(Update->getNextNode());
    LoadInst *L = B.CreateAlignedLoad(B.getIntNTy(T.Bytes * 8), A.Mark->getArgOperand(0), Align(T.Bytes));
    L->setAtomic(AtomicOrdering::Monotonic);
    recordValue(L->getNextNode(), P, DVMT_TAG_WRITE, T, {L});
  }

  // ---- Constructs ----

  Value *argumentArray(FunctionState &S, IRBuilder<> &B, ArrayRef<Value *> Args) {
    if (Args.empty())
      return ConstantPointerNull::get(RT.Ptr);
    auto *T = ArrayType::get(RT.I64, Args.size());
    AllocaInst *Array = S.slot(T, "dvm.args");
    for (unsigned N = 0; N < Args.size(); ++N)
      B.CreateStore(asWord64(RT, B, Args[N]), B.CreateConstInBoundsGEP2_64(T, Array, 0, N));
    return Array;
  }

  // Addresses of local scalars would keep them out of registers in both bodies, so they are not handed over.
  static void hideLocals(const Construct &K, Arguments &Args) {
    for (unsigned N = 0; N < Args.size() && N < K.Text.Args.size(); ++N) {
      char Line = K.Text.Args[N].Line;
      if ((Line == DVMRT_DIRECTIVE_REDUCTION || Line == DVMRT_DIRECTIVE_PRIVATE) && Args[N]->getType()->isPointerTy())
        Args[N] = ConstantPointerNull::get(cast<PointerType>(Args[N]->getType()));
    }
  }

  static unsigned indexCount(const Construct &K) {
    return K.Iters.empty() ? 0 : std::min<unsigned>((K.Iters[0]->arg_size() - 2) / 2, DVMT_NDIMS_MAX);
  }

  // Whether the construct, or what it calls, may write data that no directive declares; its own scalars are gone when it ends.
  static bool writesOrdinary(const FunctionState &S, const Construct &K) {
    for (const Access &A : S.Accesses) {
      if (!A.Text.Writes || A.Text.IndexNumber || !K.holds(A.Mark->getParent()) ||
          !siteLine(markerText(A.TextConstant), DVMRT_ACCESS_DISTRIBUTED).empty())
        continue;
      const auto *Local = dyn_cast<AllocaInst>(rootOf(A.Mark->getArgOperand(0)));
      if (!Local || Local->getAllocatedType()->isArrayTy())
        return true;
    }
    for (const BasicBlock *BB : K.Blocks)
      for (const Instruction &I : *BB) {
        const auto *Call = dyn_cast<CallInst>(&I);
        if (Call && mayWriteAnything(Call))
          return true;
        if (!Call || isa<IntrinsicInst>(Call) || !markerName(Call).empty())
          continue;
        const Function *Callee = Call->getCalledFunction();
        if (!Callee || !Callee->isDeclaration() || any_of(Call->args(), [](const Value *V) { return V->getType()->isPointerTy(); }))
          return true;
      }
    return false;
  }

  void lowerConstruct(FunctionState &S, Construct &K) {
    Arguments Args = markerArguments(K.Enter);
    bool Iterates = K.hasIterations();
    GlobalVariable *Site = site(K.TextConstant, Iterates ? DVMT_SITE_CONSTRUCT : DVMT_SITE_SCOPE, Iterates ? indexCount(K) : 0, 0, 0,
                                nullptr, 0, Args.size(), Iterates && writesOrdinary(S, K) ? "\n+ ordinary" : "");
    Arguments Results = Args;
    hideLocals(K, Args);
    for (CallInst *Mark : K.Leaves)
      lowerLeave(S, K, Site, Mark, Results);
    lowerEnter(S, K, Site, Args);
    for (CallInst *Mark : K.Iters)
      lowerIter(S, Site, Mark);
  }

  // once = !once; if (once) mode = __dvmt_enter(..); .. while (once)
  void lowerEnter(FunctionState &S, Construct &K, GlobalVariable *Site, ArrayRef<Value *> Args) {
    AllocaInst *Once = S.slot(RT.I32, "dvm.once");
    IRBuilder<> Entry(S.entryPoint());
    S.store(Entry, Entry.getInt32(0), Once);
    IRBuilder<> B(K.Enter);
    Value *Run = B.CreateXor(S.load(B, Once), 1);
    S.store(B, Run, Once);
    K.Enter->replaceAllUsesWith(Run);
    if (K.Begin) {
      IRBuilder<> In(K.Begin);
      Value *Mode = call(In, "__dvmt_enter", RT.I32, {Site, S.frame(In), argumentArray(S, In, Args)});
      if (K.hasIterations())
        addPlainBody(S, K, Mode);
    }
    K.Enter->eraseFromParent();
    K.Enter = nullptr;
  }

  void lowerLeave(FunctionState &S, const Construct &K, GlobalVariable *Site, CallInst *Mark, ArrayRef<Value *> Args) {
    IRBuilder<> B(Mark);
    unsigned Number = 0;
    for (unsigned N = 0; N < Args.size() && N < K.Text.Args.size(); ++N) {
      if (K.Text.Args[N].Line != DVMRT_DIRECTIVE_REDUCTION || !K.Text.Args[N].Pointer)
        continue;
      if (N && K.Text.Args[N - 1].Line == DVMRT_DIRECTIVE_REDUCTION && K.Text.Args[N - 1].Count == K.Text.Args[N].Count)
        continue; // its location
      Number = K.Text.Args[N].Count;
      copyResult(S, B, Site, Number, Args[N], resultBytes(markerText(K.TextConstant), Number));
    }
    call(B, "__dvmt_leave", RT.Void, {Site, S.frame(B)});
    Mark->eraseFromParent();
  }

  // "R <op> <name> & <element bytes> <count> <kind>": bytes of a scalar, 0 for arrays.
  static unsigned resultBytes(StringRef Text, unsigned Number) {
    unsigned Seen = 0, Bytes = 0;
    while (!Text.empty()) {
      auto [Line, After] = Text.split('\n');
      Text = After;
      if (!Line.starts_with("R ") || Seen++ != Number)
        continue;
      SmallVector<StringRef, 10> Field;
      Line.split(Field, ' ');
      if (Field.size() > 6 && Field[5] == "1" && !Field[4].getAsInteger(10, Bytes) && Bytes <= 32)
        return Bytes;
      return 0;
    }
    return 0;
  }

  // A copy in memory, so that the variable itself may stay a register.
  void copyResult(FunctionState &S, IRBuilder<> &B, GlobalVariable *Site, unsigned Number, Value *Address, unsigned Bytes) {
    if (!Bytes)
      return;
    Type *T = Address->stripPointerCasts() == Address && isa<AllocaInst>(Address) ? cast<AllocaInst>(Address)->getAllocatedType()
                                                                                  : B.getIntNTy(Bytes * 8);
    AllocaInst *Copy = S.slot(T, "dvm.result");
    B.CreateStore(B.CreateLoad(T, Address), Copy);
    call(B, "__dvmt_result", RT.Void, {Site, B.getInt32(Number), Copy, B.getInt32(Bytes)});
  }

  // if (top == site && flags & ON_ITER) record; else if (flags & (ON_ITER | ON_SLOW)) __dvmt_iter(site, frame, iv);
  void emitIteration(FunctionState &S, GlobalVariable *Site, Instruction *At, ArrayRef<Value *> Vector) {
    IRBuilder<> B(At);
    Instruction *Then, *Else;
    Value *Flags = loadState(B, offsetof(dvmt_state, flags), RT.I32);
    Value *Fast = B.CreateAnd(B.CreateIsNotNull(B.CreateAnd(Flags, DVMT_ON_ITER)),
                              B.CreateICmpEQ(loadState(B, offsetof(dvmt_state, top), RT.Ptr), Site));
    Value *Told = B.CreateIsNotNull(B.CreateAnd(Flags, DVMT_ON_ITER | DVMT_ON_SLOW));
    SplitBlockAndInsertIfThenElse(Fast, At, &Then, &Else);
    IRBuilder<> In(Then);
    In.SetCurrentDebugLocation(At->getDebugLoc());
    Value *Record = loadState(In, offsetof(dvmt_state, next), RT.Ptr);
    for (unsigned N = 0; N < Vector.size(); ++N)
      storeWord(In, Vector[N], Record, 1 + N);
    closeRecord(In, Record, Site, DVMT_TAG_ITER, 1 + Vector.size(), Then);
    IRBuilder<> Slow(SplitBlockAndInsertIfThen(Told, Else, false, RT.Unlikely));
    Slow.SetCurrentDebugLocation(At->getDebugLoc());
    Value *Frame = S.frame(Slow);
    call(Slow, "__dvmt_iter", RT.Void, {Site, Frame, argumentArray(S, Slow, Vector)});
  }

  void lowerIter(FunctionState &S, GlobalVariable *Site, CallInst *Mark) {
    IRBuilder<> B(Mark);
    SmallVector<Value *, 4> Vector;
    for (unsigned Arg = 2; Arg + 1 < Mark->arg_size() && Vector.size() < DVMT_NDIMS_MAX; Arg += 2) {
      int64_t Bytes = cast<ConstantInt>(Mark->getArgOperand(Arg + 1))->getSExtValue();
      Value *V = B.CreateLoad(B.getIntNTy(std::abs(Bytes) * 8), Mark->getArgOperand(Arg));
      Vector.push_back(Bytes < 0 ? B.CreateSExt(V, RT.I64) : B.CreateZExt(V, RT.I64));
    }
    emitIteration(S, Site, Mark, Vector);
    Mark->eraseFromParent();
  }

  // ---- The plain body ----

  static bool clonable(const Construct &K) {
    for (BasicBlock *BB : K.Blocks) {
      if (BB->hasAddressTaken() || BB->isEHPad() || isa<IndirectBrInst, CallBrInst>(BB->getTerminator()))
        return false;
      for (Instruction &I : *BB) {
        if (markerName(&I) == DVMM_ENTER)
          return false; // a construct inside would have to be lowered twice
        for (User *U : I.users())
          if (!K.holds(cast<Instruction>(U)->getParent()))
            return false;
      }
    }
    return !K.Blocks.empty();
  }

  // if (mode == 2) a copy of the statement without records.  Before the accesses are lowered: their marks in the copy go away.
  void addPlainBody(FunctionState &S, Construct &K, Value *Mode) {
    if (!clonable(K))
      return;
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 16> Order, Copies;
    for (BasicBlock &BB : S.F) // in the function's order, so that the output does not depend on addresses
      if (K.holds(&BB))
        Order.push_back(&BB);
    for (BasicBlock *BB : Order) {
      BasicBlock *Copy = CloneBasicBlock(BB, Map, ".plain", &S.F);
      Map[BB] = Copy;
      Copies.push_back(Copy);
    }
    remapInstructionsInBlocks(Copies, Map);
    for (BasicBlock *BB : Order)
      for (BasicBlock *Next : successors(BB))
        if (!K.holds(Next))
          for (PHINode &Phi : Next->phis())
            Phi.addIncoming(Phi.getIncomingValueForBlock(BB), cast<BasicBlock>(Map[BB]));
    auto *Br = cast<BranchInst>(K.Begin);
    BasicBlock *First = Br->getSuccessor(0);
    IRBuilder<> B(Br);
    B.CreateCondBr(B.CreateICmpEQ(Mode, B.getInt32(2)), cast<BasicBlock>(Map[First]), First);
    Br->eraseFromParent();
    K.Begin = nullptr;
  }

  // ---- Sequential loops and directives ----

  static StringRef directKind(CallInst *Mark) { return siteLine(markerText(markerTextArgument(Mark)), DVMRT_ANY_KIND); }

  void lowerDirects(FunctionState &S) {
    DenseMap<unsigned, GlobalVariable *> Loops;
    auto Number = [](StringRef Kind) {
      unsigned N = 0;
      Kind.split(' ').second.getAsInteger(10, N);
      return N;
    };
    SmallVector<CallInst *, 8> Marks(S.Directs.begin(), S.Directs.end());
    Marks.append(S.Binds.begin(), S.Binds.end());
    for (CallInst *Mark : Marks)
      if (directKind(Mark).starts_with("loop ")) {
        auto *Text = cast<Constant>(markerTextArgument(Mark));
        bool Named = siteLine(markerText(Text), DVMRT_DIRECTIVE_NAMES).starts_with("1");
        Loops[Number(directKind(Mark))] = site(Text, DVMT_SITE_LOOP, Named);
      }
    for (CallInst *Mark : Marks) {
      StringRef Kind = directKind(Mark);
      if (Kind == "w init" || Kind == "r init")
        lowerInit(Mark, Kind[0] == 'r' ? DVMT_TAG_READ : DVMT_TAG_WRITE);
      else if (Kind == "unrecorded")
        lowerUnrecorded(Mark);
      else if (Kind.starts_with("loop"))
        lowerLoopMark(S, Mark, Kind, Loops.lookup(Number(Kind)));
      else
        lowerDirect(S, Mark);
      if (!Mark->getType()->isVoidTy())
        Mark->replaceAllUsesWith(Mark->getArgOperand(0));
      Mark->eraseFromParent();
    }
  }

  void lowerLoopMark(FunctionState &S, CallInst *Mark, StringRef Kind, GlobalVariable *Site) {
    if (!Site)
      return;
    if (Kind.starts_with("loop_iter ")) {
      IRBuilder<> B(Mark);
      SmallVector<Value *, 1> Vector;
      for (Value *V : markerArguments(Mark))
        Vector.push_back(asWord64(RT, B, V));
      return emitIteration(S, Site, Mark, Vector);
    }
    IRBuilder<> B(guarded(Mark, DVMT_ON_SHAPE));
    B.SetCurrentDebugLocation(Mark->getDebugLoc());
    call(B, Kind.starts_with("loop_end ") ? "__dvmt_loop_end" : "__dvmt_loop", RT.Void, {Site, S.frame(B)});
  }

  // Code without marks begins here.
  void lowerUnrecorded(CallInst *Mark) {
    GlobalVariable *Site = site(cast<Constant>(markerTextArgument(Mark)), DVMT_SITE_ACCESS, 0);
    IRBuilder<> B(guarded(Mark, DVMT_ON_WRITE));
    B.SetCurrentDebugLocation(Mark->getDebugLoc());
    call(B, "__dvmt_unrecorded", RT.Void, {Site});
  }

  Type *partType(ValueType T) {
    unsigned Bytes = T.Kind == 'c' ? T.Bytes / 2 : T.Bytes;
    if (T.Kind == 'q')
      return Type::getFP128Ty(C);
    if (T.Kind == 'f' || T.Kind == 'c')
      return Bytes == 4    ? Type::getFloatTy(C)
             : Bytes == 8  ? Type::getDoubleTy(C)
             : Bytes == 16 ? Type::getX86_FP80Ty(C)
                           : Type::getIntNTy(C, Bytes * 8);
    return Type::getIntNTy(C, Bytes * 8);
  }

  // Numbers of a line.
  static SmallVector<uint64_t, 8> numbersOf(StringRef Line) {
    SmallVector<uint64_t, 8> Numbers;
    uint64_t N;
    while (!Line.empty() && !Line.consumeInteger(10, N)) {
      Numbers.push_back(N);
      Line = Line.ltrim();
    }
    return Numbers;
  }

  // A member of a few bits, as the integer of its type.
  Value *bitField(IRBuilder<> &B, Value *Address, ValueType T, uint64_t Bit, uint64_t Width) {
    Value *V = B.CreateAlignedLoad(B.getIntNTy((Bit + Width + 7) / 8 * 8), Address, Align(1));
    V = B.CreateTrunc(B.CreateLShr(V, Bit), B.getIntNTy(Width));
    return B.CreateIntCast(V, B.getIntNTy(T.Bytes * 8), T.Kind == 'i');
  }

  // What gives the variable its first value, which the mark records.
  static StoreInst *storeBefore(CallInst *Mark) {
    const Value *Variable = rootOf(Mark->getArgOperand(1));
    for (Instruction *I = Mark->getPrevNode(); I && isa<AllocaInst>(Variable); I = I->getPrevNode())
      if (auto *Store = dyn_cast<StoreInst>(I); Store && Store->getPointerOperand() == Variable)
        return Store;
    return nullptr;
  }

  // A value that no marked access moves is there: the part of the whole at the argument that the lines r and b tell.
  //   if (flags & ON_WRITE) for (i = 0; i < count; i++) for ..  record(*(T *)(p + offset + i * stride ..));
  void lowerInit(CallInst *Mark, dvmt_tag Tag) {
    auto *Text = cast<Constant>(markerTextArgument(Mark));
    ValueType T = valueTypeOf(markerText(Text));
    if (!T.known())
      return;
    Origin Of;
    if (StoreInst *Store = Tag == DVMT_TAG_WRITE ? storeBefore(Mark) : nullptr)
      traceOrigin(Store->getValueOperand(), Of);
    Place P = placeOf(Mark->getArgOperand(1), Text, T, Of.Nature.empty() ? "" : "\n~ " + Of.Nature);
    SmallVector<uint64_t, 8> Repeat = numbersOf(siteLine(markerText(Text), DVMRT_TRACE_REPEAT)),
                             Bits = numbersOf(siteLine(markerText(Text), DVMRT_TRACE_BITS));
    Instruction *At = Mark;
    if (Repeat.size() > 1)
      At = guarded(Mark, Tag == DVMT_TAG_READ ? DVMT_ON_READ : DVMT_ON_WRITE);
    Value *Offset = ConstantInt::get(RT.I64, Repeat.empty() ? 0 : Repeat[0]);
    for (unsigned N = 1; N + 1 < Repeat.size(); N += 2) {
      auto [Body, Index] = SplitBlockAndInsertSimpleForLoop(ConstantInt::get(RT.I64, Repeat[N]), At);
      IRBuilder<> In(Body);
      Offset = In.CreateAdd(Offset, In.CreateMul(Index, ConstantInt::get(RT.I64, Repeat[N + 1])));
      At = Body;
    }
    IRBuilder<> B(At);
    if (!Repeat.empty())
      P.Address = B.CreateGEP(RT.I8, P.Address, Offset);
    SmallVector<Value *, 2> Parts;
    if (Bits.size() == 2)
      Parts.push_back(bitField(B, P.Address, T, Bits[0], Bits[1]));
    for (unsigned N = 0; Bits.empty() && N < (T.Kind == 'c' ? 2u : 1u); ++N)
      Parts.push_back(B.CreateAlignedLoad(partType(T), B.CreateConstInBoundsGEP1_64(RT.I8, P.Address, N * T.Bytes / 2), Align(1)));
    recordValue(At, P, Tag, T, Parts);
  }

  void lowerDirect(FunctionState &S, CallInst *Mark) {
    IRBuilder<> B(Mark);
    Arguments Args = markerArguments(Mark);
    GlobalVariable *Site = site(cast<Constant>(markerTextArgument(Mark)), DVMT_SITE_DIRECT, 0, 0, 0, nullptr, 0, Args.size());
    call(B, "__dvmt_direct", RT.Void, {Site, argumentArray(S, B, Args)});
  }

  // ---- Allocations: how large an array behind a pointer is ----

  void noteHeap(CallInst *Call) {
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || !Callee->isDeclaration() || Call->isMustTailCall())
      return;
    StringRef Name = Callee->getName();
    unsigned Args = Call->arg_size();
    IRBuilder<> Before(Call), After(Call->getNextNode());
    After.SetCurrentDebugLocation(Call->getDebugLoc());
    auto Size = [&](unsigned N) { return After.CreateZExtOrTrunc(Call->getArgOperand(N), RT.I64); };
    if ((Name == "free" && Args == 1) || (Name == "realloc" && Args == 2) || (Name == "reallocarray" && Args == 3))
      call(Before, "__dvmt_heap", RT.Void, {Call->getArgOperand(0), Before.getInt64(0)});
    if (Name == "malloc" && Args == 1)
      call(After, "__dvmt_heap_new", RT.Void, {Call, Size(0)});
    else if (Name == "calloc" && Args == 2)
      call(After, "__dvmt_heap", RT.Void, {Call, After.CreateMul(Size(0), Size(1))});
    else if ((Name == "realloc" || Name == "aligned_alloc" || Name == "memalign") && Args == 2)
      call(After, Name == "realloc" ? "__dvmt_heap" : "__dvmt_heap_new", RT.Void, {Call, Size(1)});
    else if (Name == "reallocarray" && Args == 3)
      call(After, "__dvmt_heap", RT.Void, {Call, After.CreateMul(Size(1), Size(2))});
    else if ((Name == "valloc" || Name == "pvalloc") && Args == 1)
      call(After, "__dvmt_heap", RT.Void, {Call, Size(0)});
    else if (Name == "mmap" && Args == 6)
      call(After, "__dvmt_heap", RT.Void, {Call, Size(1)});
    else if (Name == "posix_memalign" && Args == 3) {
      Value *Where = After.CreateLoad(RT.Ptr, Call->getArgOperand(0));
      Value *Null = ConstantPointerNull::get(RT.Ptr);
      call(After, "__dvmt_heap", RT.Void, {After.CreateSelect(After.CreateIsNull(Call), Where, Null), Size(2)});
    }
  }

  // ---- Functions that call others: for the chain of calls ----

  static bool callsOthers(Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(Call) || !markerName(Call).empty())
        return false;
      return !Callee || !Callee->isDeclaration() || mayWriteAnything(Call);
    });
  }

  // if (flags & ON_CALLS) __dvmt_function(site, frame); at the end __dvmt_function_end(site, frame)
  void tellFunction(FunctionState &S) {
    Constant *Data = ConstantDataArray::getString(C, "K function");
    auto *Text = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text");
    GlobalVariable *Site = site(Text, DVMT_SITE_FUNCTION, 0);
    SmallVector<Instruction *, 4> Ends;
    for (BasicBlock &BB : S.F)
      if (auto *Return = dyn_cast<ReturnInst>(BB.getTerminator())) {
        CallInst *Tail = BB.getTerminatingMustTailCall();
        Ends.push_back(Tail ? static_cast<Instruction *>(Tail) : Return);
      }
    auto Tell = [&](Instruction *At, StringRef Name) {
      IRBuilder<> B(guarded(At, DVMT_ON_CALLS));
      B.SetCurrentDebugLocation(At->getDebugLoc());
      call(B, Name, RT.Void, {Site, S.frame(B)});
    };
    for (Instruction *End : Ends)
      Tell(End, "__dvmt_function_end");
    Tell(S.entryPoint(), "__dvmt_function");
  }

  // The ways out that run no destructors.  (A function of this name in our library would take the place of the checker's.)
  void noteExit(CallInst *Call) {
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || !Callee->isDeclaration() || (Callee->getName() != "_exit" && Callee->getName() != "_Exit"))
      return;
    IRBuilder<> B(Call);
    call(B, "__dvmt_exit", RT.Void, {});
  }

  // Before any mark of the function goes.
  void noteOrigins(const FunctionState &S) {
    AccessTexts.clear();
    OriginTexts.clear();
    for (const Access &A : S.Accesses)
      AccessTexts[A.Mark] = markerText(A.TextConstant);
    for (const Access &A : S.Accesses)
      if (A.Text.Writes) {
        Moves Moved;
        collectMoves(A.Mark, Moved);
        OriginTexts[A.Mark] = originText(Moved.Stores);
      }
  }

  // ---- The module ----

  void instrument(Function &F) {
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
    for (auto &[Cid, K] : S.Constructs)
      lowerConstruct(S, *K);
    for (CallInst *I : S.Indices) {
      I->replaceAllUsesWith(I->getArgOperand(0));
      I->eraseFromParent();
    }
    noteOrigins(S);
    for (CallInst *Call : Giving)
      recordCall(*this, S, Call);
    lowerDirects(S);
    for (Access &A : S.Accesses) {
      lowerAccess(A);
      A.Mark->replaceAllUsesWith(A.Mark->getArgOperand(0));
      A.Mark->eraseFromParent();
    }
    if (Tells)
      tellFunction(S);
  }

  // A name that all objects of this source have, however they are compiled.
  void shareStatics() {
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
  void tellFunctions() {
    for (Function &F : M) {
      if (F.isDeclarationForLinker() || F.getName().starts_with("dvmt.") || (F.hasLocalLinkage() && !F.hasAddressTaken()))
        continue;
      auto *G = new GlobalVariable(M, RT.Ptr, false, GlobalValue::PrivateLinkage, &F, "dvm.trace.function");
      G->setSection(FunctionsSection);
      G->setAlignment(Align(8));
      Kept.push_back(G);
    }
  }

  // As Runtime::makeConstructor, for our section.
  void finish() {
    if (!HasSites)
      return;
    if (ShareOption)
      shareStatics();
    tellFunctions();
    const std::string Name = "dvmt.module_ctor";
    auto Boundary = [&](const Twine &Symbol) {
      auto *G = new GlobalVariable(M, RT.I8, false, GlobalValue::ExternalWeakLinkage, nullptr, Symbol);
      G->setVisibility(GlobalValue::HiddenVisibility);
      return G;
    };
    Function *F = Function::createWithDefaultAttr(FunctionType::get(RT.Void, false), GlobalValue::LinkOnceODRLinkage, 0, Name, &M);
    F->setVisibility(GlobalValue::HiddenVisibility);
    F->setComdat(M.getOrInsertComdat(Name));
    F->addFnAttr(Attribute::NoUnwind);
    IRBuilder<> B(BasicBlock::Create(C, "", F));
    call(B, DVMT_MODULE_SYMBOL, RT.Void,
         {Boundary(Twine("__start_") + SitesSection), Boundary(Twine("__stop_") + SitesSection),
          Boundary(Twine("__start_") + FunctionsSection), Boundary(Twine("__stop_") + FunctionsSection)});
    B.CreateRetVoid();
    appendToGlobalCtors(M, F, 1, F);
    appendToCompilerUsed(M, Kept);
  }
};

TraceModule::TraceModule(Module &M) : Inside(new Impl(M)) {}
TraceModule::~TraceModule() { delete Inside; }
void TraceModule::instrument(Function &F) { Inside->instrument(F); }
void TraceModule::finish() { Inside->finish(); }

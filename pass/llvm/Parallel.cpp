// A construct asks for its turn, the loops of a nest go from the first to the last value of that turn, and calls of the standard
// library that many ranks must not make each for itself become calls of ours.
#include "Parallel.h"
#include "Function.h"
#include "IterationCount.h"
#include "ParallelLibrary.h"
#include "ParallelParts.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "runtime/parallel/abi.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

static cl::opt<bool> ParallelOption("dvm-parallel", cl::desc("compile for execution by many ranks instead of checking"), cl::Hidden);

bool dvmir::runsParallel(const Module &) { return ParallelOption; }

namespace {
struct Nest {
  CallInst *Enter = nullptr;
  DirectiveText Text;
  unsigned Rank = 0, Locations = 0;
  bool Tells = false; // its loops' values, if they are asked for
  GlobalVariable *Site = nullptr;
  SmallVector<AllocaInst *, 16> Limits; // of each index variable: low, high, and of all ranks together
  SmallVector<AllocaInst *, 4> None;    // of each: this execution of its loop has no turn here
  AllocaInst *At = nullptr;
  SmallVector<CallInst *, 1> Iters, Rows, Leaves; // if its iterations are counted
};

unsigned countLocations(StringRef Text) {
  unsigned N = 0;
  for (StringRef Rest = Text; !Rest.empty(); Rest = Rest.split('\n').second)
    N += Rest.starts_with("R maxloc") || Rest.starts_with("R minloc");
  return N;
}
} // namespace

struct ParallelModule::Impl {
  Module &M;
  LLVMContext &C;
  Runtime RT;
  StringMap<GlobalVariable *> Sites;
  // Of one function:
  Function *Now = nullptr;
  bool Checks = false; // it is a second body
  MapVector<uint64_t, Nest> Nests;
  SmallPtrSet<const Value *, 4> OfGroups; // their asynchronous reductions are known by address
  CheckedBodies Second;
  SmallSetVector<GlobalVariable *, 8> Arrays;

  explicit Impl(Module &Mod) : M(Mod), C(M.getContext()), RT(M), Second(M) {}

  // ---- Helpers ----

  CallInst *call(IRBuilderBase &B, StringRef Name, Type *Result, ArrayRef<Value *> Args, bool Cold = true) {
    SmallVector<Type *, 8> T;
    for (Value *A : Args)
      T.push_back(A->getType());
    FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(Result, T, false));
    if (auto *F = dyn_cast<Function>(Callee.getCallee()); F && Cold)
      F->addFnAttr(Attribute::NoUnwind);
    return B.CreateCall(Callee, Args);
  }

  GlobalVariable *site(Value *Text) {
    GlobalVariable *&G = Sites[markerText(Text)];
    if (!G) {
      auto *Init = ConstantStruct::getAnon({cast<Constant>(Text), ConstantPointerNull::get(RT.Ptr)});
      G = new GlobalVariable(M, Init->getType(), false, GlobalValue::PrivateLinkage, Init, "dvm.site");
    }
    return G;
  }

  AllocaInst *slot(Type *T, const Twine &Name) {
    return new AllocaInst(T, M.getDataLayout().getAllocaAddrSpace(), Name, Now->getEntryBlock().begin());
  }

  Value *frame(IRBuilderBase &B) { return B.CreateIntrinsic(Intrinsic::frameaddress, {RT.Ptr}, {B.getInt32(0)}); }

  Value *arguments(IRBuilderBase &B, ArrayRef<Value *> Args) {
    if (Args.empty())
      return ConstantPointerNull::get(RT.Ptr);
    auto *T = ArrayType::get(RT.I64, Args.size());
    AllocaInst *Array = slot(T, "dvm.args");
    for (unsigned N = 0; N < Args.size(); ++N)
      B.CreateStore(asWord64(RT, B, Args[N]), B.CreateConstInBoundsGEP2_64(T, Array, 0, N));
    return Array;
  }

  static uint64_t number(CallInst *Call, unsigned Arg) { return cast<ConstantInt>(Call->getArgOperand(Arg))->getZExtValue(); }

  // ---- Constructs ----

  // Results in registers: the runtime gets copies of them, so that the loop need not keep them in memory.
  struct Copied {
    unsigned Argument;
    AllocaInst *Variable, *Copy;
  };

  SmallVector<Copied, 4> copyResults(const Nest &N, ArrayRef<Value *> Args) {
    SmallVector<Copied, 4> Out;
    if (Checks) // they are looked at in each iteration
      return Out;
    for (unsigned I = 0; I < Args.size() && I < N.Text.Args.size() && !N.Text.Group; ++I) {
      auto *Variable = dyn_cast<AllocaInst>(Args[I]->stripPointerCasts());
      if ((N.Text.Args[I].Line != DVMRT_DIRECTIVE_REDUCTION && N.Text.Args[I].Line != DVMRT_DIRECTIVE_SHARED) || !N.Text.Args[I].Pointer ||
          !Variable || !Variable->getAllocatedType()->isSingleValueType() || OfGroups.contains(Variable))
        continue;
      Out.push_back({I, Variable, slot(Variable->getAllocatedType(), "dvm.result")});
    }
    return Out;
  }

  void collect(Function &F, SmallVectorImpl<CallInst *> &Marks) {
    Now = &F;
    Nests.clear();
    OfGroups.clear();
    for (Instruction &I : instructions(F)) {
      StringRef Name = markerName(&I);
      if (Name.empty())
        continue;
      auto *Call = cast<CallInst>(&I);
      Marks.push_back(Call);
      if (Name != DVMM_ENTER)
        continue;
      StringRef Text = markerText(Call->getArgOperand(0));
      Nest N;
      N.Enter = Call;
      N.Text = DirectiveText::parse(Text);
      for (Value *V : drop_begin(Call->args())) // what is combined later, or by tasks that begin and end meanwhile, stays where it is
        if (N.Text.Group || N.Text.Kind == "task_region")
          OfGroups.insert(V->stripPointerCasts());
      N.Site = site(Call->getArgOperand(0));
      if (N.Text.Kind == "parallel" && siteLine(Text, DVMRT_DIRECTIVE_NAMES).split(' ').first.getAsInteger(10, N.Rank))
        N.Rank = 0;
      N.Locations = countLocations(Text);
      N.Tells = !siteLine(Text, DVMRT_DIRECTIVE_ACROSS).empty() ||
                (N.Locations && !siteLine(Text, DVMRT_ANY_LANGUAGE).empty() && siteLine(Text, DVMRT_DIRECTIVE_STEPS).contains('*'));
      static const char *const Names[4] = {"dvm.low", "dvm.high", "dvm.all_low", "dvm.all_high"};
      for (unsigned K = 0; K < 4 * N.Rank; ++K)
        N.Limits.push_back(slot(RT.I64, Names[K % 4]));
      for (unsigned K = 0; K < N.Rank; ++K)
        N.None.push_back(slot(Type::getInt1Ty(C), "dvm.none"));
      if (N.Locations)
        N.At = slot(ArrayType::get(RT.I64, N.Locations * (N.Rank + 1)), "dvm.at");
      Nests[N.Text.Cid] = std::move(N);
    }
  }

  void collectIterations(ArrayRef<CallInst *> Marks) {
    for (CallInst *Mark : Marks) {
      StringRef Name = markerName(Mark);
      if (Name != DVMM_ITER && Name != DVMM_ROW && Name != DVMM_LEAVE)
        continue;
      auto It = Nests.find(number(Mark, 0));
      if (It != Nests.end())
        (Name == DVMM_ITER ? It->second.Iters : Name == DVMM_ROW ? It->second.Rows : It->second.Leaves).push_back(Mark);
    }
  }

  void tellIterations(const Nest &N) {
    auto Tell = [&](IRBuilder<> &B, CallInst *, Value *Count, Value *Sum) {
      call(B, "__dvmp_executed", RT.Void, {N.Site, frame(B), Count, Sum});
    };
    countIterations({N.Enter, N.Iters, N.Rows, N.Leaves}, [&](StringRef Name) { return slot(RT.I64, Name); }, Tell);
  }

  // Second bodies are for poison=1, where sums are taken element by element.
  void tellNestRows(const Nest &N) {
    Function *Row = rowFunction(M, "__dvmp_row", [&](IRBuilder<> &B) {
      return B.CreateIsNotNull(B.CreateLoad(RT.I32, M.getOrInsertGlobal("__dvmp_rows_wanted", RT.I32)));
    });
    dvmir::tellRows(
        N.Enter, N.Leaves, [&](Type *T, StringRef Name) { return slot(T, Name); },
        [&](IRBuilder<> &B, Value *First, Value *Behind, Value *Bytes) { B.CreateCall(Row, {First, Behind, Bytes}); });
  }

  void lowerEnter(Nest &N) {
    IRBuilder<> B(N.Enter);
    SmallVector<Value *, 8> Args(drop_begin(N.Enter->args()));
    SmallVector<Copied, 4> Results = copyResults(N, Args);
    for (const Copied &R : Results) {
      B.CreateStore(B.CreateLoad(R.Copy->getAllocatedType(), R.Variable), R.Copy);
      Args[R.Argument] = R.Copy;
    }
    auto *T = ArrayType::get(RT.I64, 4 * N.Rank);
    Value *Null = ConstantPointerNull::get(RT.Ptr), *Clamps = N.Rank ? static_cast<Value *>(slot(T, "dvm.clamps")) : Null;
    Value *At = N.At ? static_cast<Value *>(N.At) : Null;
    Value *Turn = call(B, "__dvmp_enter", RT.I32, {N.Site, frame(B), arguments(B, Args), Clamps, At});
    for (const Copied &R : Results)
      B.CreateStore(B.CreateLoad(R.Copy->getAllocatedType(), R.Copy), R.Variable);
    for (unsigned K = 0; K < N.Limits.size(); ++K)
      B.CreateStore(B.CreateLoad(RT.I64, B.CreateConstInBoundsGEP2_64(T, Clamps, 0, K)), N.Limits[K]);
    N.Enter->replaceAllUsesWith(Turn);
    N.Enter->eraseFromParent();
  }

  Value *limit(IRBuilderBase &B, const Nest &N, unsigned Index, unsigned Which) {
    return B.CreateLoad(RT.I64, N.Limits[4 * Index + Which]);
  }

  // Steps of 'Size' (at least 1) that cover 'Distance' (at least 0), as a distance.
  Value *roundUp(IRBuilderBase &B, Value *Distance, Value *Size) {
    if (auto *S = dyn_cast<ConstantInt>(Size); S && S->isOne())
      return Distance;
    Value *Steps = B.CreateUDiv(B.CreateAdd(Distance, B.CreateSub(Size, B.getInt64(1))), Size);
    return B.CreateMul(Steps, Size);
  }

  // if (the loop runs && (it begins or ends outside of what 'on' names)) outside(..);
  void checkWhole(IRBuilder<> &B, CallInst *Mark, const Nest &N, unsigned Index, Value *Start, Value *Size, Value *Down, Value *End) {
    Value *Runs = B.CreateSelect(Down, B.CreateICmpSGE(Start, End), B.CreateICmpSLE(Start, End));
    Value *Distance = B.CreateSelect(Down, B.CreateSub(Start, End), B.CreateSub(End, Start));
    if (auto *S = dyn_cast<ConstantInt>(Size); !S || !S->isOne())
      Distance = B.CreateMul(B.CreateUDiv(Distance, Size), Size);
    Value *Last = B.CreateSelect(Down, B.CreateSub(Start, Distance), B.CreateAdd(Start, Distance));
    Value *Low = B.CreateSelect(Down, Last, Start), *High = B.CreateSelect(Down, Start, Last);
    Value *Below = B.CreateICmpSLT(Low, limit(B, N, Index, 2)), *Above = B.CreateICmpSGT(High, limit(B, N, Index, 3));
    Value *Bad = B.CreateAnd(Runs, B.CreateOr(Below, Above));
    IRBuilder<> Slow(SplitBlockAndInsertIfThen(Bad, Mark, false, RT.Unlikely));
    Slow.SetCurrentDebugLocation(Mark->getDebugLoc());
    call(Slow, "__dvmp_outside", RT.Void, {N.Site, B.getInt32(Index), Slow.CreateSelect(Below, Low, High)});
    B.SetInsertPoint(Mark);
  }

  // low == asks ? __dvmp_loop(..) != 0 : false
  Value *tellLoop(IRBuilder<> &B, CallInst *Mark, const Nest &N, Value *Start, Value *End, Value *Way) {
    Value *Asks = B.CreateICmpEQ(limit(B, N, number(Mark, 1), 0), B.getInt64(DVMP_ASKS));
    BasicBlock *Before = B.GetInsertBlock();
    IRBuilder<> Slow(SplitBlockAndInsertIfThen(Asks, Mark, false, RT.Unlikely));
    Slow.SetCurrentDebugLocation(Mark->getDebugLoc());
    Value *Skip =
        Slow.CreateIsNotNull(call(Slow, "__dvmp_loop", RT.I32, {N.Site, frame(Slow), B.getInt32(number(Mark, 1)), Start, End, Way}));
    B.SetInsertPoint(Mark);
    PHINode *Phi = B.CreatePHI(B.getInt1Ty(), 2);
    Phi->addIncoming(B.getFalse(), Before);
    Phi->addIncoming(Skip, Slow.GetInsertBlock());
    return Phi;
  }

  void lowerFirst(CallInst *Mark, const Nest &N) {
    IRBuilder<> B(Mark);
    unsigned Index = number(Mark, 1);
    Value *Start = Mark->getArgOperand(2), *Step = Mark->getArgOperand(3), *Bound = Mark->getArgOperand(4);
    int64_t Kind = cast<ConstantInt>(Mark->getArgOperand(5))->getSExtValue();
    bool ByStep = Kind == DVMM_FIRST_BY_STEP, Whole = !ByStep && Kind >= DVMM_FIRST_WHOLE;
    Kind -= Whole ? DVMM_FIRST_WHOLE : 0;
    auto *Known = dyn_cast<ConstantInt>(Step);
    Value *IsDown = Known ? static_cast<Value *>(B.getInt1(Known->isNegative())) : B.CreateICmpSLT(Step, B.getInt64(0));
    Value *Size =
        Known ? static_cast<Value *>(ConstantInt::get(RT.I64, Known->getValue().abs())) : B.CreateSelect(IsDown, B.CreateNeg(Step), Step);
    if (!Known)
      Size = B.CreateSelect(B.CreateICmpEQ(Size, B.getInt64(0)), B.getInt64(1), Size);
    Value *Falls = ByStep ? IsDown : B.getInt1(Kind >= 2);
    Value *End = Kind == 0 ? B.CreateSub(Bound, B.getInt64(1)) : Kind == 2 ? B.CreateAdd(Bound, B.getInt64(1)) : Bound;
    if (Kind >= 0)
      checkWhole(B, Mark, N, Index, Start, Size, Falls, End);
    if (Whole)
      return replace(Mark, Start);
    Value *Low = limit(B, N, Index, 0), *High = limit(B, N, Index, 1);
    Value *Up = B.CreateSelect(B.CreateICmpSGE(Start, Low), Start, B.CreateAdd(Start, roundUp(B, B.CreateSub(Low, Start), Size)));
    Value *Down = B.CreateSelect(B.CreateICmpSLE(Start, High), Start, B.CreateSub(Start, roundUp(B, B.CreateSub(Start, High), Size)));
    Value *First = B.CreateSelect(IsDown, Down, Up);
    // Own indices may be such that the loop's types cannot hold: below zero, beyond a short.  Where no turn is left the condition is one that is
    // false in every type: 1 <= 0, 0 >= 1.
    Value *Past = B.CreateSelect(IsDown, B.CreateICmpSLT(First, Low), B.CreateICmpSGT(First, High));
    if (Kind >= 0)
      Past = B.CreateOr(Past, B.CreateSelect(Falls, B.CreateICmpSLT(First, End), B.CreateICmpSGT(First, End)));
    if (N.Tells)
      Past = B.CreateOr(Past, tellLoop(B, Mark, N, Start, Kind < 0 ? B.getInt64(0) : End,
                                       Kind < 0 ? B.getInt64(0) : B.CreateSelect(Falls, B.getInt64(-1), B.getInt64(1))));
    B.CreateStore(Past, N.None[Index]);
    replace(Mark, B.CreateSelect(Past, B.CreateSelect(IsDown, B.getInt64(0), B.getInt64(1)), First));
  }

  void lowerLast(CallInst *Mark, const Nest &N) {
    IRBuilder<> B(Mark);
    unsigned Index = number(Mark, 1), Kind = number(Mark, 3);
    Value *Falls =
        Kind == DVMM_FIRST_BY_STEP ? B.CreateICmpSLT(Mark->getArgOperand(4), B.getInt64(0)) : static_cast<Value *>(B.getInt1(Kind >= 2));
    Value *Bound = Mark->getArgOperand(2), *Limit = B.CreateSelect(Falls, limit(B, N, Index, 0), limit(B, N, Index, 1));
    if (Kind == 0)
      Limit = B.CreateAdd(Limit, B.getInt64(1));
    if (Kind == 2)
      Limit = B.CreateSub(Limit, B.getInt64(1));
    Value *Reached = B.CreateSelect(Falls, B.CreateICmpSGT(Bound, Limit), B.CreateICmpSLT(Bound, Limit));
    Value *Last = B.CreateSelect(Reached, Bound, Limit), *Nothing = B.CreateSelect(Falls, B.getInt64(1), B.getInt64(0));
    replace(Mark, B.CreateSelect(B.CreateLoad(B.getInt1Ty(), N.None[Index]), Nothing, Last));
  }

  // Second bodies tell each iteration.
  void lowerIter(CallInst *Mark) {
    IRBuilder<> B(Mark);
    auto It = Nests.find(number(Mark, 0));
    SmallVector<Value *, 8> Indices;
    for (unsigned Arg = 2; Arg + 1 < Mark->arg_size(); Arg += 2) {
      int64_t Bytes = cast<ConstantInt>(Mark->getArgOperand(Arg + 1))->getSExtValue();
      Value *V = B.CreateLoad(B.getIntNTy(std::abs(Bytes) * 8), Mark->getArgOperand(Arg));
      Indices.push_back(Bytes < 0 ? B.CreateSExtOrTrunc(V, RT.I64) : B.CreateZExtOrTrunc(V, RT.I64));
    }
    if (Checks && It != Nests.end() && !Indices.empty())
      call(B, "__dvmp_iteration", RT.Void, {It->second.Site, frame(B), arguments(B, Indices)});
    Mark->eraseFromParent();
  }

  void lowerMet(CallInst *Mark, const Nest &N) {
    IRBuilder<> B(Mark);
    uint64_t Number = number(Mark, 1), From = Number * (N.Rank + 1);
    Type *T = N.At->getAllocatedType();
    B.CreateStore(B.getInt64(1), B.CreateConstInBoundsGEP2_64(T, N.At, 0, From));
    for (unsigned K = 0; K < N.Rank; ++K)
      B.CreateStore(Mark->getArgOperand(2 + K), B.CreateConstInBoundsGEP2_64(T, N.At, 0, From + 1 + K));
    Mark->eraseFromParent();
  }

  static void replace(CallInst *Mark, Value *V) {
    Mark->replaceAllUsesWith(V);
    Mark->eraseFromParent();
  }

  // ---- Directives ----

  // Static arrays may be larger than what code that counts on 2 GB reaches.
  void placeGlobal(Value *Address) {
    auto *G = dyn_cast<GlobalVariable>(Address->stripPointerCasts());
    if (G)
      Arrays.insert(G);
    if (!G || !G->getValueType()->isSized() || M.getDataLayout().getTypeAllocSize(G->getValueType()).getFixedValue() < (64u << 20))
      return;
    G->setCodeModel(CodeModel::Large);
  }

  // Where the variable's life ends: another one may get its memory there, and the other ranks may know nothing of it.
  void endVariable(Value *Address) {
    auto *Variable = dyn_cast<AllocaInst>(Address->stripPointerCasts());
    if (!Variable)
      return;
    DominatorTree DT(*Now);
    SmallVector<Instruction *, 4> Ends;
    for (Instruction &I : instructions(*Now)) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      const Intrinsic::ID Id = Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic;
      if (Id == Intrinsic::lifetime_end
              ? Call->getArgOperand(1)->stripPointerCasts() == Variable
              : (isa<ReturnInst>(I) || (Id == Intrinsic::stackrestore && !Variable->isStaticAlloca())) && DT.dominates(Variable, &I))
        Ends.push_back(&I);
    }
    for (Instruction *I : Ends) {
      IRBuilder<> B(I);
      call(B, "__dvmp_gone", RT.Void, {Variable});
    }
  }

  void lowerDirect(CallInst *Mark) {
    IRBuilder<> B(Mark);
    auto *Text = markerTextArgument(Mark);
    SmallVector<Value *, 8> Args = markerArguments(Mark);
    DirectiveText D = DirectiveText::parse(markerText(Text));
    for (unsigned I = 0; I < Args.size() && I < D.Args.size(); ++I)
      if (D.Args[I].Line == DVMRT_DIRECTIVE_ARRAY && D.Args[I].Pointer && (D.Kind == "array" || D.Kind == "template")) {
        placeGlobal(Args[I]);
        endVariable(Args[I]);
      }
    call(B, "__dvmp_direct", RT.Void, {site(Text), arguments(B, Args)});
    if (!Mark->getType()->isVoidTy())
      Mark->replaceAllUsesWith(Mark->getArgOperand(0));
    Mark->eraseFromParent();
  }

  // Whole arrays: in the sequential part all of their elements must be here.
  void lowerSection(CallInst *Mark) {
    IRBuilder<> B(Mark);
    SmallVector<Value *, 8> Dimensions(drop_begin(Mark->args(), 4));
    Value *Count = B.getInt64(Dimensions.size() / 2);
    if (Checks || !(number(Mark, 3) & DVMM_SECTION_IN_PARTS))
      call(B, "__dvmp_section", RT.Void,
           {Mark->getArgOperand(0), site(Mark->getArgOperand(1)), Mark->getArgOperand(2), Mark->getArgOperand(3), Count,
            arguments(B, Dimensions)});
    Mark->eraseFromParent();
  }

  void lower(CallInst *Mark) {
    StringRef Name = markerName(Mark);
    if (Name == DVMM_DIRECT || Name == DVMM_BIND)
      return lowerDirect(Mark);
    if (Name == DVMM_SECTION)
      return lowerSection(Mark);
    if (Name == DVMM_READ || Name == DVMM_CHANGE) {
      IRBuilder<> B(Mark);
      return replace(Mark, call(B, Name == DVMM_READ ? "__dvmp_read" : "__dvmp_change", RT.Ptr,
                                {Mark->getArgOperand(0), Mark->getArgOperand(1), site(Mark->getArgOperand(2))}));
    }
    if (Name == DVMM_PART) {
      IRBuilder<> B(Mark);
      Value *P = Mark->getArgOperand(0);
      return replace(Mark, Checks ? call(B, "__dvmp_check", RT.Ptr, {P, Mark->getArgOperand(1), site(Mark->getArgOperand(2))}) : P);
    }
    if (Name == DVMM_ROW) {
      Mark->eraseFromParent();
      return;
    }
    if (Name == DVMM_ITER)
      return lowerIter(Mark);
    if (Name != DVMM_LEAVE && Name != DVMM_FIRST && Name != DVMM_LAST && Name != DVMM_MET)
      return;
    auto It = Nests.find(number(Mark, 0));
    if (It == Nests.end())
      return; // dead code
    Nest &N = It->second;
    if (Name == DVMM_LEAVE) {
      IRBuilder<> B(Mark);
      call(B, "__dvmp_leave", RT.Void, {N.Site, frame(B)});
      Mark->eraseFromParent();
    } else if (Name == DVMM_FIRST) {
      lowerFirst(Mark, N);
    } else if (Name == DVMM_LAST) {
      lowerLast(Mark, N);
    } else {
      lowerMet(Mark, N);
    }
  }

  // ---- The library ----

  void replaceCall(CallInst *Call, const Function &Callee) {
    for (const auto &Row : ParallelLibrary) {
      if (Row.Name != Callee.getName())
        continue;
      IRBuilder<> B(Call);
      SmallVector<Value *, 8> Args;
      SmallVector<Type *, 8> Types;
      const FunctionType *Old = Call->getFunctionType();
      if (Row.Used)
        Args.push_back(B.getInt32(!Call->use_empty())), Types.push_back(RT.I32);
      for (unsigned I = 0; I < Call->arg_size(); ++I) {
        if (I + 1 == Row.Drop)
          continue;
        Args.push_back(Call->getArgOperand(I));
        if (I < Old->getNumParams())
          Types.push_back(Old->getParamType(I));
      }
      auto *Type = FunctionType::get(Old->getReturnType(), Types, Old->isVarArg());
      FunctionCallee Ours = M.getOrInsertFunction(("__dvmp_" + Row.Ours).str(), Type);
      CallInst *New = B.CreateCall(Ours, Args);
      New->setDebugLoc(Call->getDebugLoc());
      New->setCallingConv(Call->getCallingConv());
      if (!Row.Used && !Row.Drop)
        New->setAttributes(Call->getAttributes());
      if (Callee.hasRetAttribute(Attribute::NoAlias))
        New->addRetAttr(Attribute::NoAlias);
      return replace(Call, New);
    }
  }

  void replaceCalls(Function &F) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallInst>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && (Callee->isDeclaration() || Callee->hasAvailableExternallyLinkage()) && !Callee->isIntrinsic())
        replaceCall(Call, *Callee);
    }
  }

  // ---- The module ----

  void prepare(Function &F) {
    replaceCalls(F);
    lowerFortranCalls(RT, F);
    Second.add(F);
  }

  void instrument(Function &F) {
    lowerMarks(F, false);
    if (Function *Body = Second.of(F))
      lowerMarks(*Body, true);
  }

  void lowerMarks(Function &F, bool IsSecond) {
    SmallVector<CallInst *, 16> Marks;
    Checks = IsSecond;
    dvmir::lowerRangesInParallel(RT, F, [&](Value *Text) { return site(Text); });
    collect(F, Marks);
    collectIterations(Marks);
    for (auto &[Cid, N] : Nests) {
      if (!N.Iters.empty()) {
        if (!Checks)
          tellNestRows(N);
        tellIterations(N);
      }
      erase(Marks, N.Enter);
      lowerEnter(N);
    }
    for (CallInst *Mark : Marks)
      lower(Mark);
    if (F.getName() == "main") {
      IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      if (DISubprogram *SP = F.getSubprogram())
        B.SetCurrentDebugLocation(DILocation::get(C, SP->getScopeLine(), 0, SP));
      call(B, "__dvmp_begin", RT.Void, {});
    }
  }

  // Each object says where its flag is.
  void tellFlag() {
    IRBuilder<> B(C);
    auto *F = Function::Create(FunctionType::get(RT.Void, false), GlobalValue::InternalLinkage, "dvmp.checked_ctor", M);
    F->addFnAttr(Attribute::NoUnwind);
    B.SetInsertPoint(BasicBlock::Create(C, "", F));
    call(B, "__dvmp_checked", RT.Void, {Second.flag()});
    B.CreateRetVoid();
    appendToGlobalCtors(M, F, 0);
  }

  void finish() {
    Second.connect();
    if (!Second.all().empty())
      tellFlag();
    hideExtents(M, Arrays.getArrayRef());
    auto Make = [&](StringRef Name) {
      Function *F = Function::createWithDefaultAttr(FunctionType::get(RT.Void, false), GlobalValue::LinkOnceODRLinkage, 0, Name, &M);
      F->setVisibility(GlobalValue::HiddenVisibility);
      F->setComdat(M.getOrInsertComdat(Name));
      F->addFnAttr(Attribute::NoUnwind);
      BasicBlock::Create(C, "", F);
      return F;
    };
    Function *Constructor = Make("dvmp.module_ctor"), *Destructor = Make("dvmp.module_dtor");
    IRBuilder<> B(&Constructor->getEntryBlock());
    call(B, DVMP_MODULE_SYMBOL, RT.Void, {});
    B.CreateRetVoid();
    B.SetInsertPoint(&Destructor->getEntryBlock());
    call(B, "__dvmp_module_gone", RT.Void, {Destructor});
    B.CreateRetVoid();
    appendToGlobalCtors(M, Constructor, 1, Constructor);
    appendToGlobalDtors(M, Destructor, 1, Destructor);
  }
};

ParallelModule::ParallelModule(Module &M) : Inside(new Impl(M)) {}
ParallelModule::~ParallelModule() { delete Inside; }
void ParallelModule::prepare(Function &F) { Inside->prepare(F); }
SmallVector<Function *, 16> ParallelModule::added() const { return Inside->Second.all(); }
void ParallelModule::instrument(Function &F) { Inside->instrument(F); }
void ParallelModule::finish() { Inside->finish(); }

// Recording: constructs and their iterations.  One with iterations gets a second, plain body, which runs where nothing of it is recorded.
#include "IterationCount.h"
#include "Recorder.h"
#include "RowSums.h"
#include "TraceCalls.h"
#include "runtime/trace/digest.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace dvmir;

Value *Recorder::argumentArray(FunctionState &S, IRBuilder<> &B, ArrayRef<Value *> Args) {
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
    if ((Line == DVMRT_DIRECTIVE_REDUCTION || Line == DVMRT_DIRECTIVE_PRIVATE || Line == DVMRT_DIRECTIVE_SHARED) &&
        Args[N]->getType()->isPointerTy())
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
    const auto *Local = dyn_cast<AllocaInst>(traceRootOf(A.Mark->getArgOperand(0)));
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

// The number of the task, which the axis behind 'O' holds.
static Value *taskNumber(IRBuilder<> &B, const Construct &K, ArrayRef<Value *> Args) {
  for (unsigned N = 0; N < Args.size() && N < K.Text.Args.size(); ++N)
    if (K.Text.Args[N].Line == DVMRT_DIRECTIVE_AXIS && !K.Text.Args[N].Pointer)
      return Args[N];
  int64_t Number = 0;
  siteLine(markerText(K.TextConstant), DVMRT_DIRECTIVE_AXIS).drop_front(1).getAsInteger(10, Number);
  return B.getInt64(Number);
}

// Recorded as an iteration of its region; the Fortran front end does not tell which stand in loops.
static bool isTask(const Construct &K) {
  StringRef Text = markerText(K.TextConstant);
  return K.Text.Kind == "on" && siteLine(Text, DVMRT_DIRECTIVE_LOOPED).empty() && siteLine(Text, DVMRT_ANY_LANGUAGE).empty();
}

// The task region of this function that the task stands in: its 'on' blocks are recorded as the iterations of it, which may come in any order.
static Construct *regionOf(FunctionState &S, const Construct &K) {
  Construct *Found = nullptr;
  for (auto &[Cid, R] : S.Constructs)
    if (isTask(K) && R->Text.Kind == "task_region" && R->holds(K.Enter->getParent()))
      Found = R.get();
  return Found;
}

static bool holdsTasks(const FunctionState &S, const Construct &R) {
  for (const auto &[Cid, K] : S.Constructs)
    if (isTask(*K) && R.Text.Kind == "task_region" && !K->Blocks.empty() && R.holds(K->Blocks.front()))
      return true;
  return false;
}

GlobalVariable *Recorder::regionSite(Construct &R) {
  if (!R.Site)
    R.Site = site(R.TextConstant, DVMT_SITE_CONSTRUCT, 1, 0, 0, nullptr, 0, R.Text.Args.size());
  return R.Site;
}

void Recorder::lowerTask(FunctionState &S, Construct &K, Construct &Region) {
  Arguments Args = markerArguments(K.Enter);
  for (auto *Marks : {&K.Leaves, &K.Iters})
    for (CallInst *Mark : *Marks)
      Mark->eraseFromParent();
  CallInst *Enter = K.Enter;
  enterOnce(S, K);
  if (K.Begin) {
    IRBuilder<> In(K.Begin);
    emitIteration(S, regionSite(Region), K.Begin, {asWord64(RT, In, taskNumber(In, K, Args))});
  }
  Enter->eraseFromParent();
  K.Enter = nullptr;
}

void Recorder::lowerConstruct(FunctionState &S, Construct &K) {
  if (Construct *Region = regionOf(S, K))
    return lowerTask(S, K, *Region);
  Arguments Args = markerArguments(K.Enter);
  bool Iterates = K.hasIterations();
  bool Tasks = holdsTasks(S, K);
  Value *Number = nullptr; // of a task
  if (K.Text.Kind == "on" && !K.Iters.empty()) {
    IRBuilder<> B(K.Enter);
    Number = taskNumber(B, K, Args);
    AllocaInst *Task = S.slot(RT.I64, "dvm.task"); // the value may not reach the block
    B.CreateStore(asWord64(RT, B, Number), Task);
    B.SetInsertPoint(K.Iters[0]);
    Number = B.CreateLoad(RT.I64, Task);
  }
  GlobalVariable *Site = Tasks ? regionSite(K)
                               : site(K.TextConstant, Iterates ? DVMT_SITE_CONSTRUCT : DVMT_SITE_SCOPE,
                                      Number     ? 1
                                      : Iterates ? indexCount(K)
                                                 : 0,
                                      0, 0, nullptr, 0, Args.size(), Iterates && writesOrdinary(S, K) ? "\n+ ordinary" : "");
  Arguments Results = Args;
  hideLocals(K, Args);
  if (Iterates) {
    tellRows(S, K);
    tellIterations(S, K);
  }
  for (CallInst *Mark : K.Leaves)
    lowerLeave(S, K, Site, Mark, Results);
  lowerEnter(S, K, Site, Args);
  for (CallInst *Mark : K.Iters)
    if (Number) {
      emitIteration(S, Site, Mark, {Number});
      Mark->eraseFromParent();
    } else {
      lowerIter(S, Site, Mark);
    }
}

// once = !once; while (once)
void Recorder::enterOnce(FunctionState &S, Construct &K) {
  AllocaInst *Once = S.slot(RT.I32, "dvm.once");
  IRBuilder<> Entry(S.entryPoint());
  S.store(Entry, Entry.getInt32(0), Once);
  IRBuilder<> B(K.Enter);
  Value *Run = B.CreateXor(S.load(B, Once), 1);
  S.store(B, Run, Once);
  K.Enter->replaceAllUsesWith(Run);
}

// once = !once; if (once) mode = __dvmt_enter(..); .. while (once)
void Recorder::lowerEnter(FunctionState &S, Construct &K, GlobalVariable *Site, ArrayRef<Value *> Args) {
  enterOnce(S, K);
  if (K.Begin) {
    IRBuilder<> In(K.Begin);
    Value *Mode = call(In, "__dvmt_enter", RT.I32, {Site, S.frame(In), argumentArray(S, In, Args)});
    if (K.hasIterations())
      addPlainBody(S, K, Mode);
  }
  K.Enter->eraseFromParent();
  K.Enter = nullptr;
}

namespace {
struct ResultSize {
  unsigned Bytes = 0; // of an element; 0: nothing is recorded
  int64_t Count = 0; // -1: an argument says it
};
} // namespace

// "R <op> <name> & <element bytes> <count> <kind>"
static ResultSize resultSize(StringRef Text, unsigned Number) {
  unsigned Seen = 0;
  ResultSize Size;
  while (!Text.empty()) {
    auto [Line, After] = Text.split('\n');
    Text = After;
    if (!Line.starts_with("R ") || Seen++ != Number)
      continue;
    StringRef Fields = Line.drop_front(Line.find(" & ") + 3);
    auto [Bytes, Rest] = Fields.split(' ');
    StringRef Count = Rest.split(' ').first;
    Size.Count = -1;
    if ((Count != "#" && Count.getAsInteger(10, Size.Count)) || Bytes.getAsInteger(10, Size.Bytes) || Size.Bytes > 32 ||
        Size.Count > DVMT_RESULT_ELEMENTS)
      return {};
    return Size;
  }
  return {};
}

void Recorder::lowerLeave(FunctionState &S, const Construct &K, GlobalVariable *Site, CallInst *Mark, ArrayRef<Value *> Args) {
  IRBuilder<> B(Mark);
  unsigned Number = 0;
  for (unsigned N = 0; N < Args.size() && N < K.Text.Args.size(); ++N) {
    if (K.Text.Args[N].Line != DVMRT_DIRECTIVE_REDUCTION || !K.Text.Args[N].Pointer)
      continue;
    if (N && K.Text.Args[N - 1].Line == DVMRT_DIRECTIVE_REDUCTION && K.Text.Args[N - 1].Count == K.Text.Args[N].Count)
      continue; // its location
    Number = K.Text.Args[N].Count;
    ResultSize Size = resultSize(markerText(K.TextConstant), Number);
    if (Size.Count == 1)
      copyResult(S, B, Site, Number, Args[N], Size.Bytes);
    else if (Value *Count = Size.Count >= 0       ? B.getInt64(Size.Count)
                            : N + 1 < Args.size() ? asWord64(RT, B, Args[N + 1])
                                                  : nullptr;
             Count && Size.Bytes)
      call(B, "__dvmt_results", RT.Void, {Site, B.getInt32(Number), Args[N], B.getInt32(Size.Bytes), Count});
  }
  for (unsigned N = 0; N < Args.size() && N < K.Text.Args.size(); ++N)
    if (K.Text.Args[N].Line == DVMRT_DIRECTIVE_SHARED)
      tellShared(S, B, markerText(K.TextConstant), K.Text.Args[N].Count, Args[N]);
  call(B, "__dvmt_leave", RT.Void, {Site, S.frame(B)});
  Mark->eraseFromParent();
}

// "s <name> & <bytes>": what the variable holds when the construct ends; a scalar as a copy, likewise.
void Recorder::tellShared(FunctionState &S, IRBuilder<> &B, StringRef Text, unsigned Number, Value *Address) {
  StringRef Line;
  std::string Own = "K shared";
  for (char Key : {DVMRT_ANY_FILE, DVMRT_ANY_PLACE})
    Own += std::string("\n") + Key + " " + siteLine(Text, Key).str();
  for (unsigned Seen = 0; !Text.empty(); Text = Text.split('\n').second)
    if (Text[0] == DVMRT_DIRECTIVE_SHARED && Seen++ == Number)
      Line = Text.split('\n').first;
  SmallVector<StringRef, 4> Field;
  unsigned Bytes;
  Line.split(Field, ' ');
  if (Field.size() < 4 || Field[3].getAsInteger(10, Bytes))
    return;
  Own += ("\nT " + Field[1] + "\nV " + Field[1] + "\nS " + Field[3]).str();
  Constant *Data = ConstantDataArray::getString(C, Own);
  auto *Holder = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text");
  GlobalVariable *Site = site(Holder, DVMT_SITE_ACCESS, 0);
  if (auto *Local = dyn_cast<AllocaInst>(Address->stripPointerCasts()); Local && Local->getAllocatedType()->isSingleValueType()) {
    AllocaInst *Copy = S.slot(Local->getAllocatedType(), "dvm.shared");
    B.CreateStore(B.CreateLoad(Local->getAllocatedType(), Local), Copy);
    Address = Copy;
  }
  call(B, "__dvmt_shared", RT.Void, {Site, Address, B.getInt64(Bytes)});
}

void Recorder::tellRows(FunctionState &S, const Construct &K) {
  Function *Row = rowFunction(M, "__dvmt_row", [&](IRBuilder<> &B) {
    return B.CreateIsNotNull(B.CreateAnd(loadState(B, offsetof(dvmt_state, flags), RT.I32), DVMT_ON_ROWS));
  });
  dvmir::tellRows(
      K.Enter, K.Leaves, [&](Type *T, StringRef Name) { return S.slot(T, Name); },
      [&](IRBuilder<> &B, Value *First, Value *Behind, Value *Bytes) { B.CreateCall(Row, {First, Behind, Bytes}); });
}

// Before the bodies part: both count.
void Recorder::tellIterations(FunctionState &S, const Construct &K) {
  GlobalVariable *Site = nullptr;
  auto Tell = [&](IRBuilder<> &B, CallInst *, Value *Count, Value *Sum) {
    if (!Site) {
      StringRef Text = markerText(K.TextConstant);
      std::string Own = "K " DVMT_EXECUTED_KIND;
      for (char Key : {DVMRT_ANY_FILE, DVMRT_ANY_PLACE})
        Own += std::string("\n") + Key + " " + siteLine(Text, Key).str();
      Constant *Data = ConstantDataArray::getString(C, Own + "\nT " DVMT_EXECUTED "\nV " DVMT_EXECUTED "\nS 8");
      Site = site(new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text"), DVMT_SITE_ACCESS, 0);
    }
    call(B, "__dvmt_executed", RT.Void, {Site, Count, Sum});
  };
  countIterations({K.Enter, K.Iters, K.Rows, K.Leaves}, [&](StringRef Name) { return S.slot(RT.I64, Name); }, Tell);
}

// A copy in memory, so that the variable itself may stay a register.
void Recorder::copyResult(FunctionState &S, IRBuilder<> &B, GlobalVariable *Site, unsigned Number, Value *Address, unsigned Bytes) {
  if (!Bytes)
    return;
  Type *T = Address->stripPointerCasts() == Address && isa<AllocaInst>(Address) ? cast<AllocaInst>(Address)->getAllocatedType()
                                                                                : B.getIntNTy(Bytes * 8);
  AllocaInst *Copy = S.slot(T, "dvm.result");
  B.CreateStore(B.CreateAlignedLoad(T, Address, Align(1)), Copy); // a complex member lies where its parts may
  call(B, "__dvmt_result", RT.Void, {Site, B.getInt32(Number), Copy, B.getInt32(Bytes)});
}

// if (top == site && flags & ON_ITER) record; else if (flags & (ON_ITER | ON_SLOW)) __dvmt_iter(site, frame, iv);
void Recorder::emitIteration(FunctionState &S, GlobalVariable *Site, Instruction *At, ArrayRef<Value *> Vector) {
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

void Recorder::lowerIter(FunctionState &S, GlobalVariable *Site, CallInst *Mark) {
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
void Recorder::addPlainBody(FunctionState &S, Construct &K, Value *Mode) {
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

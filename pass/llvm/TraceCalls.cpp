#include "TraceCalls.h"
#include "InputCalls.h"
#include "SiteText.h"
#include "pass/markers.h"
#include "runtime/site_text.h"
#include "runtime/trace/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Assumptions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

namespace {
// How much a function of the library writes through one of its arguments.
enum Extent {
  Bytes,    // argument A
  Product,  // argument A times argument B
  Items,    // the result times argument A
  Result,   // the result, if it is not negative
  Text,     // as far as the zero
  TextIf,   // the same if the result is not null
  Element,  // one element
  Nothing,  // that means anything in another run
};
struct Row {
  StringRef Name;
  unsigned Pointer;
  Extent How;
  unsigned A = 0, B = 0;
  bool Nature = false; // it differs from run to run
};
} // namespace

static const Row Rows[] = {
    {"memcpy", 0, Bytes, 2},
    {"memmove", 0, Bytes, 2},
    {"mempcpy", 0, Bytes, 2},
    {"memset", 0, Bytes, 2},
    {"bzero", 0, Bytes, 1},
    {"explicit_bzero", 0, Bytes, 1},
    {"bcopy", 1, Bytes, 2},
    {"__memcpy_chk", 0, Bytes, 2},
    {"__memmove_chk", 0, Bytes, 2},
    {"__mempcpy_chk", 0, Bytes, 2},
    {"__memset_chk", 0, Bytes, 2},
    {"strncpy", 0, Bytes, 2},
    {"__strncpy_chk", 0, Bytes, 2},
    {"qsort", 0, Product, 1, 2},
    {"qsort_r", 0, Product, 1, 2},
    {"mergesort", 0, Product, 1, 2},
    {"fread", 0, Items, 1},
    {"fread_unlocked", 0, Items, 1},
    {"__fread_chk", 0, Items, 2},
    {"read", 1, Result},
    {"pread", 1, Result},
    {"pread64", 1, Result},
    {"recv", 1, Result},
    {"__read_chk", 1, Result},
    {"getrandom", 0, Result, 0, 0, true},
    {"getentropy", 0, Bytes, 1, 0, true},
    {"arc4random_buf", 0, Bytes, 1, 0, true},
    {"strtok", 0, Nothing}, // see TraceBeside.cpp
    {"strtok_r", 0, Nothing},
    {"__strtok_r", 0, Nothing},
    {"strcpy", 0, Text},
    {"__strcpy_chk", 0, Text},
    {"strcat", 0, Text},
    {"__strcat_chk", 0, Text},
    {"strncat", 0, Text},
    {"stpcpy", 0, Text},
    {"sprintf", 0, Text},
    {"__sprintf_chk", 0, Text},
    {"snprintf", 0, Text},
    {"__snprintf_chk", 0, Text},
    {"vsprintf", 0, Text},
    {"vsnprintf", 0, Text},
    {"fgets", 0, TextIf},
    {"fgets_unlocked", 0, TextIf},
    {"__fgets_chk", 0, TextIf},
    {"frexp", 1, Element},
    {"frexpf", 1, Element},
    {"frexpl", 1, Element},
    {"modf", 1, Element},
    {"modff", 1, Element},
    {"modfl", 1, Element},
    {"remquo", 2, Element},
    {"remquof", 2, Element},
    {"sincos", 1, Element},
    {"sincos", 2, Element},
    {"sincosf", 1, Element},
    {"sincosf", 2, Element},
    {"lgamma_r", 1, Element},
    {"lgammaf_r", 1, Element},
    {"strtod", 1, Element},
    {"strtof", 1, Element},
    {"strtold", 1, Element},
    {"strtol", 1, Element},
    {"strtoul", 1, Element},
    {"strtoll", 1, Element},
    {"strtoull", 1, Element},
    {"__isoc23_strtol", 1, Element},
    {"__isoc23_strtoul", 1, Element},
    {"time", 0, Element, 0, 0, true},
    {"gettimeofday", 0, Element, 0, 0, true},
    {"clock_gettime", 1, Element, 0, 0, true},
    {"timespec_get", 0, Element, 0, 0, true},
    {"times", 0, Element, 0, 0, true},
    {"getrusage", 1, Element, 0, 0, true},
    {"ftime", 0, Element, 0, 0, true},
    {"clock_getres", 1, Element},
    {"localtime_r", 1, Element},
    {"gmtime_r", 1, Element},
    {"uname", 0, Element},
    {"pipe", 0, Bytes},
    {"pthread_create", 0, Nothing},
    {"sem_init", 0, Nothing},
    {"pthread_mutex_init", 0, Nothing},
    {"pthread_mutex_lock", 0, Nothing},
    {"pthread_mutex_unlock", 0, Nothing},
    {"pthread_join", 1, Nothing},
    {"pthread_barrier_wait", 0, Nothing},
    {"rand_r", 0, Element},
    {"erand48", 0, Element},
    {"nrand48", 0, Element},
    {"jrand48", 0, Element},
};

static constexpr char InlineEnd[] = ".inline"; // clang's name of a builtin for which a header has a function

static const CallInst *markOf(const Value *V) {
  auto *Call = dyn_cast<CallInst>(V->stripPointerCasts());
  return Call && markerName(Call) == DVMM_GIVEN ? Call : nullptr;
}

static constexpr char CallText[] = "dvm.call"; // metadata: text of the mark that was on the function

// Behind the mark, which functions that come later still have.
static Value *calleeOf(const CallInst *Call) {
  const CallInst *Mark = markOf(Call->getCalledOperand());
  return (Mark ? Mark->getArgOperand(0) : Call->getCalledOperand())->stripPointerCasts();
}

const Function *dvmir::calledFunction(const CallInst *Call) { return dyn_cast<Function>(calleeOf(Call)); }

bool dvmir::isOfLibrary(const Function &F) {
  return F.getFnAttribute(AssumptionAttrKey).getValueAsString() == DVMM_LIBRARY || F.getName().ends_with(InlineEnd);
}

static StringRef nameOf(const CallInst *Call) {
  if (isa<MemCpyInst>(Call))
    return "memcpy";
  if (isa<MemMoveInst>(Call))
    return "memmove";
  if (isa<MemSetInst>(Call))
    return "memset";
  auto *F = dyn_cast<Function>(calleeOf(Call));
  StringRef Name = F ? F->getName() : "";
  Name.consume_back(InlineEnd);
  return Name;
}

SmallVector<CallInst *, 8> dvmir::findGivingCalls(Function &F) {
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !markerName(Call).empty() || Call->isMustTailCall())
      continue;
    if (auto *Mark = const_cast<CallInst *>(markOf(Call->getCalledOperand()))) {
      Call->setMetadata(CallText, MDNode::get(F.getContext(), {ValueAsMetadata::get(Mark->getArgOperand(1))}));
      Call->setCalledOperand(Mark->getArgOperand(0));
      Calls.push_back(Call);
    } else if (any_of(Call->args(), [](const Value *V) { return V->getType()->isPointerTy() && markOf(V); })) {
      Calls.push_back(Call);
    }
  }
  return Calls;
}

static bool isRecordedHere(const CallInst *Call) {
  auto *F = dyn_cast<Function>(calleeOf(Call));
  return F && !F->isDeclarationForLinker() && !dvmir::isOfLibrary(*F) && !F->isInterposable() && !F->hasFnAttribute(Attribute::Naked);
}

bool dvmir::mayWriteAnything(const CallInst *Call) { return Call->hasMetadata(CallText) && !isRecordedHere(Call); }

// ---- Values that differ by nature ----

// 'open("/dev/urandom", ..)', 'fopen(..)'
static bool opensRandom(const Value *V) {
  auto *Call = dyn_cast<CallInst>(V);
  StringRef Path, Name = Call ? nameOf(Call) : "";
  return (Name == "open" || Name == "open64" || Name == "fopen" || Name == "fopen64") && Call->arg_size() &&
         getConstantStringInfo(Call->getArgOperand(0), Path) && Path.starts_with("/dev/") && Path.contains("random");
}

const Value *dvmir::variableAt(const Value *P) {
  for (;;) {
    P = P->stripInBoundsOffsets();
    auto *Call = dyn_cast<CallInst>(P);
    if (!Call || (markerName(Call) != DVMM_ACCESS && markerName(Call) != DVMM_GIVEN && markerName(Call) != DVMM_BIND))
      return P;
    P = Call->getArgOperand(0);
  }
}

template <typename F> static bool anyUse(const Value *Variable, F Does, unsigned Depth = 0) {
  return Depth < 4 && any_of(
                          Variable->users(),
                          [&](const User *U) {
                            auto *Mark = dyn_cast<CallInst>(U);
                            return Does(U) ||
                                   ((isa<GEPOperator>(U) || (Mark && !markerName(Mark).empty() && !Mark->getType()->isVoidTy())) &&
                                    anyUse(U, Does, Depth + 1));
                          });
}

static bool isRandomStream(const Value *V) {
  if (const CallInst *Mark = V->getType()->isPointerTy() ? markOf(V) : nullptr)
    V = Mark->getArgOperand(0);
  if (opensRandom(V))
    return true;
  auto *Load = dyn_cast<LoadInst>(V);
  const Value *Variable = Load ? variableAt(Load->getPointerOperand()) : nullptr;
  return Variable && (isa<AllocaInst>(Variable) || isa<GlobalVariable>(Variable)) && anyUse(Variable, [](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && opensRandom(Store->getValueOperand());
         });
}

static StringRef natureOfCall(const CallInst *Call, const Row &R) {
  if (R.Nature)
    return R.Name;
  unsigned Stream = R.How == Items ? Call->arg_size() - 1 : R.How == TextIf ? 2 : 0;
  bool Reads = R.How == Items || R.How == TextIf || (R.How == Result && R.Pointer == 1);
  return Reads && Stream < Call->arg_size() && isRandomStream(Call->getArgOperand(Stream)) ? "a random device" : "";
}

StringRef dvmir::natureOf(const Value *Variable) {
  StringRef Found;
  if (isa<AllocaInst>(Variable) || isa<GlobalVariable>(Variable))
    anyUse(Variable, [&](const User *U) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || !markerName(Call).empty())
        return false;
      for (const Row &R : Rows)
        if (Found.empty() && nameOf(Call) == R.Name && R.Pointer < Call->arg_size() &&
            variableAt(Call->getArgOperand(R.Pointer)) == Variable)
          Found = natureOfCall(Call, R);
      return !Found.empty();
    });
  return Found;
}

// ---- What a pointer leads to, as a table ----

namespace {
struct Given {
  CallInst *Mark;
  Constant *Parts;
  unsigned Count;
  uint64_t Stride;
};

// The first number of the line, and all.
uint64_t numberOf(StringRef Text, char Key, SmallVectorImpl<uint64_t> *All = nullptr) {
  uint64_t First = 0, N;
  bool IsFirst = true;
  for (StringRef Line = siteLine(Text, Key); !Line.empty() && !Line.consumeInteger(10, N); Line = Line.ltrim()) {
    First = IsFirst ? N : First;
    IsFirst = false;
    if (All)
      All->push_back(N);
  }
  return First;
}
} // namespace

static char kindOf(StringRef Text) {
  StringRef Value = siteLine(Text, DVMRT_TRACE_VALUE);
  return Value.empty() ? 'o' : Value[0];
}

static Given tableOf(TraceParts &T, FunctionState &S, CallInst *Mark, bool WithBefore, StringRef More) {
  IntegerType *I32 = S.RT.I32;
  auto Number = [&](uint64_t N) { return ConstantInt::get(I32, N); };
  SmallVector<Constant *, 4> Parts;
  uint64_t Stride = 0;
  for (unsigned N = 1; N < Mark->arg_size(); ++N) {
    auto *Text = cast<Constant>(Mark->getArgOperand(N));
    StringRef Line = markerText(Text);
    SmallVector<uint64_t, 8> Repeat, Bits;
    Stride = numberOf(Line, DVMRT_TRACE_STRIDE);
    numberOf(Line, DVMRT_TRACE_REPEAT, &Repeat);
    numberOf(Line, DVMRT_TRACE_BITS, &Bits);
    GlobalVariable *Site = Stride && Repeat.size() <= 7 ? T.givenSite(Mark->getArgOperand(0), Text, WithBefore, More) : nullptr;
    if (!Site)
      continue;
    SmallVector<Constant *, 6> Repeats;
    for (unsigned R = 0; R < 6; ++R)
      Repeats.push_back(Number(1 + R < Repeat.size() ? Repeat[1 + R] : 0));
    Parts.push_back(
        ConstantStruct::getAnon({Site, Number(Stride), Number(Repeat.empty() ? 0 : Repeat[0]), Number(Bits.size() == 2 ? Bits[0] : 0),
                                 Number(Bits.size() == 2 ? Bits[1] : 0), Number(Repeat.empty() ? 0 : (Repeat.size() - 1) / 2),
                                 ConstantArray::get(ArrayType::get(I32, 6), Repeats), Number(kindOf(Line))}));
  }
  if (Parts.empty())
    return {Mark, ConstantPointerNull::get(S.RT.Ptr), 0, 0};
  auto *Table = ConstantArray::get(ArrayType::get(Parts[0]->getType(), Parts.size()), Parts);
  auto *G = new GlobalVariable(S.RT.M, Table->getType(), true, GlobalValue::PrivateLinkage, Table, "dvm.trace.parts");
  G->setAlignment(Align(8));
  return {Mark, G, unsigned(Parts.size()), Stride};
}

// The variable or pointer that it is a part of, and that variable's size.
static Value *rootOf(FunctionState &S, Value *P, uint64_t &Size) {
  Value *Root = const_cast<Value *>(variableAt(P));
  Size = 0;
  if (auto *Alloca = dyn_cast<AllocaInst>(Root)) {
    if (auto Bytes = Alloca->getAllocationSize(S.RT.DL))
      Size = Bytes->getFixedValue();
  } else if (auto *G = dyn_cast<GlobalVariable>(Root); G && G->getValueType()->isSized()) {
    Size = S.RT.DL.getTypeAllocSize(G->getValueType()).getFixedValue();
  }
  return Root;
}

// ---- Functions that we know ----

static Value *bytesOf(FunctionState &S, IRBuilder<> &B, CallInst *Call, const Row &R, Value *P, uint64_t Stride) {
  auto Argument = [&](unsigned N) { return B.CreateZExtOrTrunc(Call->getArgOperand(N), S.RT.I64); };
  auto WholeText = [&] {
    FunctionCallee Length = S.RT.M.getOrInsertFunction("strlen", FunctionType::get(S.RT.I64, {S.RT.Ptr}, false));
    return B.CreateAdd(B.CreateCall(Length, {P}), B.getInt64(1));
  };
  switch (R.How) {
  case Bytes: return R.Name == "pipe" ? B.getInt64(8) : Argument(R.A);
  case Product: return B.CreateMul(Argument(R.A), Argument(R.B));
  case Items: return B.CreateMul(B.CreateZExtOrTrunc(Call, S.RT.I64), Argument(R.A));
  case Result: {
    Value *N = B.CreateSExtOrTrunc(Call, S.RT.I64);
    return B.CreateSelect(B.CreateICmpSGT(N, B.getInt64(0)), N, B.getInt64(0));
  }
  case Text: return WholeText();
  case TextIf: {
    // Without a result there may be no text.
    Value *There = B.CreateIsNotNull(Call);
    FunctionCallee Length = S.RT.M.getOrInsertFunction("strlen", FunctionType::get(S.RT.I64, {S.RT.Ptr}, false));
    Value *Empty = B.CreateGlobalString("", "dvm.empty");
    return B.CreateSelect(There, B.CreateAdd(B.CreateCall(Length, {B.CreateSelect(There, P, Empty)}), B.getInt64(1)), B.getInt64(0));
  }
  case Element: return B.getInt64(Stride);
  case Nothing: return B.getInt64(0);
  }
  llvm_unreachable("a kind of extent");
}

static void recordRange(TraceParts &T, FunctionState &S, CallInst *Call, CallInst *Mark, StringRef Nature,
                        function_ref<Value *(IRBuilder<> &, uint64_t)> Bytes) {
  Given G = tableOf(T, S, Mark, false, Nature.empty() ? "" : ("\n~ " + Nature).str());
  IRBuilder<> B(T.whereRecorded(Call->getNextNode()));
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  uint64_t Size;
  Value *P = Mark->getArgOperand(0), *Root = rootOf(S, P, Size);
  T.call(B, "__dvmt_range", S.RT.Void, {G.Parts, B.getInt32(G.Count), P, Root, Bytes(B, G.Stride)});
}

bool dvmir::keepsNothing(const CallInst *Call) {
  const Function *F = calledFunction(Call);
  SmallVector<Written, 4> Input;
  SmallVector<Value *, 4> Pointers;
  if (!F || !F->isDeclaration() || F->getName().contains("strto") /* leaves where it has stopped */ ||
      any_of(Call->args(), [](const Value *V) { return isa<Function>(V->stripPointerCasts()); }))
    return false;
  return any_of(Rows, [&](const Row &R) { return R.How != Nothing && R.Name == nameOf(Call); }) || inputOf(*Call, Input) ||
         knownWrites(Call, Pointers);
}

static bool recordKnown(TraceParts &T, FunctionState &S, CallInst *Call) {
  bool Known = false;
  StringRef Name = nameOf(Call);
  for (const Row &R : Rows) {
    if (R.Name != Name || R.Pointer >= Call->arg_size() || (R.How != Element && std::max(R.A, R.B) >= Call->arg_size()))
      continue;
    Known = true;
    if (auto *Mark = const_cast<CallInst *>(markOf(Call->getArgOperand(R.Pointer))); Mark && R.How != Nothing)
      recordRange(T, S, Call, Mark, natureOfCall(Call, R),
                  [&](IRBuilder<> &B, uint64_t Stride) { return bytesOf(S, B, Call, R, Mark->getArgOperand(0), Stride); });
  }
  SmallVector<Written, 4> Input;
  if (Known || isa<IntrinsicInst>(Call))
    return true;
  if (inputOf(*Call, Input)) {
    for (const Written &W : Input)
      if (auto *Mark = const_cast<CallInst *>(markOf(W.Address)))
        recordRange(T, S, Call, Mark, "", [&](IRBuilder<> &B, uint64_t Stride) -> Value * {
          static const Row String{"", 0, Text};
          return W.Size ? W.Size : bytesOf(S, B, Call, String, Mark->getArgOperand(0), Stride);
        });
    return true;
  }
  SmallVector<Value *, 4> Pointers;
  if (!knownWrites(Call, Pointers))
    return false;
  for (Value *P : Pointers)
    if (auto *Mark = const_cast<CallInst *>(markOf(P)))
      recordRange(T, S, Call, Mark, "", [](IRBuilder<> &B, uint64_t Stride) { return B.getInt64(Stride); });
  return true;
}

// ---- All others ----

// struct dvmt_call, all zero but for the site.
static GlobalVariable *callState(TraceParts &T, FunctionState &S, const CallInst *Call) {
  Constant *Text = nullptr;
  if (const MDNode *Told = Call->getMetadata(CallText))
    Text = cast<Constant>(cast<ValueAsMetadata>(Told->getOperand(0))->getValue());
  for (const Value *V : Call->args())
    if (const CallInst *Mark = !Text && V->getType()->isPointerTy() ? markOf(V) : nullptr)
      Text = cast<Constant>(Mark->getArgOperand(1));
  Constant *Site = T.callSite(Text);
  Constant *Zero = ConstantInt::get(S.RT.I64, 0);
  auto *Init = ConstantStruct::getAnon({Site, ConstantPointerNull::get(S.RT.Ptr), Zero, Zero, Zero});
  auto *G = new GlobalVariable(S.RT.M, Init->getType(), false, GlobalValue::PrivateLinkage, Init, "dvm.trace.call");
  G->setAlignment(Align(8));
  return G;
}

// if (flags & ON_WRITE) told = __dvmt_call(..); if (told) __dvmt_give(..) ..; the call; if (told) __dvmt_called(..)
static void recordUnknown(TraceParts &T, FunctionState &S, CallInst *Call) {
  GlobalVariable *State = callState(T, S, Call);
  AllocaInst *Told = S.slot(S.RT.I32, "dvm.told");
  IRBuilder<> Before(Call);
  Before.CreateStore(Before.getInt32(0), Told);
  IRBuilder<> B(T.whereRecorded(Call));
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  Value *Answer = T.call(B, "__dvmt_call", S.RT.I32, {State, calleeOf(Call), S.frame(B)});
  B.CreateStore(Answer, Told);
  IRBuilder<> Give(SplitBlockAndInsertIfThen(B.CreateIsNotNull(Answer), &*B.GetInsertPoint(), false));
  Give.SetCurrentDebugLocation(Call->getDebugLoc());
  for (Value *V : Call->args())
    if (auto *Mark = V->getType()->isPointerTy() ? const_cast<CallInst *>(markOf(V)) : nullptr) {
      Given G = tableOf(T, S, Mark, true, "");
      uint64_t Size;
      Value *P = Mark->getArgOperand(0), *Root = rootOf(S, P, Size);
      T.call(Give, "__dvmt_give", S.RT.Void, {G.Parts, Give.getInt32(G.Count), P, Root, Give.getInt64(Size)});
    }
  if (mayWriteAnything(Call))
    T.call(Give, "__dvmt_around", S.RT.Void, {State});
  if (Call->doesNotReturn())
    return;
  IRBuilder<> After(Call->getNextNode());
  After.SetCurrentDebugLocation(Call->getDebugLoc());
  Value *Back = After.CreateIsNotNull(After.CreateLoad(S.RT.I32, Told));
  IRBuilder<> Then(SplitBlockAndInsertIfThen(Back, &*After.GetInsertPoint(), false));
  Then.SetCurrentDebugLocation(Call->getDebugLoc());
  T.call(Then, "__dvmt_called", S.RT.Void, {State});
}

void dvmir::recordCall(TraceParts &T, FunctionState &S, CallInst *Call) {
  // What setjmp keeps means nothing in another run, and it may come back at any time.
  if (!isRecordedHere(Call) && !Call->hasFnAttr(Attribute::ReturnsTwice) && !recordKnown(T, S, Call))
    recordUnknown(T, S, Call);
}

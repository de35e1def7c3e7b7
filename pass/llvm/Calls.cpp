// Calls that leave the module: functions that we know by name, all others, inline assembly.
#include "FortranLibrary.h"
#include "InputCalls.h"
#include "Memory.h"
#include "runtime/library_abi.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

// ---- Memory management and copies: hooks of the runtime ----

static Value *size64(FunctionState &S, IRBuilder<> &B, Value *V) { return B.CreateZExtOrTrunc(V, S.RT.I64); }

static Value *product(FunctionState &S, IRBuilder<> &B, Value *X, Value *Y) { return B.CreateMul(size64(S, B, X), size64(S, B, Y)); }

Instruction *dvmir::behindCall(CallBase *Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    if (!Normal->getSinglePredecessor())
      Normal = SplitEdge(Invoke->getParent(), Normal);
    return &*Normal->getFirstInsertionPt();
  }
  return Call->getNextNode();
}

namespace {
struct BuilderBehind : IRBuilder<> {
  explicit BuilderBehind(CallBase *Call) : IRBuilder<>(behindCall(Call)) { SetCurrentDebugLocation(Call->getDebugLoc()); }
};
} // namespace

template <unsigned SizeArg> static void lowerMalloc(FunctionState &S, CallBase *Call) {
  BuilderBehind B(Call);
  S.RT.call(B, "__dvmrt_heap_new", {Call, size64(S, B, Call->getArgOperand(SizeArg))});
}

static void lowerCalloc(FunctionState &S, CallBase *Call) {
  BuilderBehind B(Call);
  S.RT.call(B, "__dvmrt_heap_zero", {Call, product(S, B, Call->getArgOperand(0), Call->getArgOperand(1))});
}

static void lowerPosixMemalign(FunctionState &S, CallBase *Call) {
  BuilderBehind B(Call);
  Value *Where = Call->getArgOperand(0);
  S.RT.call(B, "__dvmrt_assign", {Where, B.getInt64(8)});
  // The pointer is unspecified after a failure.
  Value *Done = B.CreateIsNull(Call);
  Value *P = B.CreateSelect(Done, B.CreateLoad(S.RT.Ptr, Where), ConstantPointerNull::get(S.RT.Ptr));
  S.RT.call(B, "__dvmrt_heap_new", {P, size64(S, B, Call->getArgOperand(2))});
}

static void lowerFree(FunctionState &S, CallBase *Call) {
  IRBuilder<> B(Call);
  S.RT.call(B, "__dvmrt_heap_free", {Call->getArgOperand(0)});
}

static void replaceByRealloc(FunctionState &S, CallBase *Call, Value *Size, IRBuilder<> &B) {
  Value *New = S.RT.call(B, "__dvmrt_realloc", {Call->getArgOperand(0), Size});
  Call->replaceAllUsesWith(New);
  if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
    B.CreateBr(Invoke->getNormalDest());
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
  }
  Call->eraseFromParent();
}

static void lowerRealloc(FunctionState &S, CallBase *Call) {
  IRBuilder<> B(Call);
  replaceByRealloc(S, Call, size64(S, B, Call->getArgOperand(1)), B);
}

// An overflow fails in the same way as a size that nobody has.
static void lowerReallocArray(FunctionState &S, CallBase *Call) {
  IRBuilder<> B(Call);
  Value *Pair =
      B.CreateBinaryIntrinsic(Intrinsic::umul_with_overflow, size64(S, B, Call->getArgOperand(1)), size64(S, B, Call->getArgOperand(2)));
  Value *Size = B.CreateSelect(B.CreateExtractValue(Pair, 1), B.getInt64(INT64_MAX), B.CreateExtractValue(Pair, 0));
  replaceByRealloc(S, Call, Size, B);
}

// ---- The table ----

namespace {
struct KnownCall {
  StringRef Name;
  unsigned NumArgs; // at least; a function with fewer is another one
  void (*Lower)(FunctionState &, CallBase *);
  StringRef Args = ""; // without 'Lower': the letters of runtime/library.inc
  bool Recorded = true;
};
} // namespace

#define DVM_LIBRARY(name, least, letters) {#name, least, nullptr, letters, true},
#define DVM_LIBRARY_CHECKED(name, least, letters) {#name, least, nullptr, letters, false},
static const KnownCall KnownCalls[] = {
    {"malloc", 1, lowerMalloc<0>},
    {"valloc", 1, lowerMalloc<0>},
    {"pvalloc", 1, lowerMalloc<0>},
    {"aligned_alloc", 2, lowerMalloc<1>},
    {"memalign", 2, lowerMalloc<1>},
    {"calloc", 2, lowerCalloc},
    {"posix_memalign", 3, lowerPosixMemalign},
    {"realloc", 2, lowerRealloc},
    {"reallocarray", 3, lowerReallocArray},
    {"free", 1, lowerFree},
    {"cfree", 1, lowerFree},
    // Of flang's library: texts that are compared and searched through.
    {"_FortranACharacterCompareScalar1", 4, nullptr, "r"},
    {"_FortranACharacterCompareScalar2", 4, nullptr, "r"},
    {"_FortranACharacterCompareScalar4", 4, nullptr, "r"},
    {"_FortranAIndex1", 4, nullptr, "r"},
    {"_FortranALenTrim1", 2, nullptr, "r"},
    {"_FortranAScan1", 4, nullptr, "r"},
    {"_FortranAVerify1", 4, nullptr, "r"},
#include "runtime/library.inc"
};
#undef DVM_LIBRARY
#undef DVM_LIBRARY_CHECKED

static const KnownCall *findKnown(const CallBase *Call) {
  const Function *F = Call->getCalledFunction();
  if (!F || !F->isDeclaration())
    return nullptr;
  for (const KnownCall &Known : KnownCalls)
    if (F->getName() == Known.Name && Call->arg_size() >= Known.NumArgs)
      return &Known;
  return nullptr;
}

// What a lock brings only the run can tell.
static bool takesLock(const KnownCall *Known) { return Known && Known->Args == "l"; }

// ---- Foreign functions ----

// Whether a format may have '%n' in it.
static bool formatWrites(Value *Format) {
  StringRef Text;
  if (!getConstantStringInfo(Format, Text))
    return true;
  for (size_t At = Text.find('%'); At != StringRef::npos; At = Text.find('%', At + 1)) {
    At = Text.find_first_not_of("0123456789-+ #'*.$hlqjzt", At + 1); // the conversion itself
    if (At == StringRef::npos)
      return false;
    if (Text[At] == 'n')
      return true;
  }
  return false;
}

// flang passes a text as a pair of address and length, which it takes apart again.
static Value *argument(const CallBase *Call, unsigned N) {
  Value *V = Call->getArgOperand(N);
  auto *Part = dyn_cast<ExtractValueInst>(V);
  Value *Whole = Part ? FindInsertedValue(Part->getAggregateOperand(), Part->getIndices()) : nullptr;
  return Whole ? Whole : V;
}

// Numbers of the arguments that the callee may write through.  'Letters' of its row, none: all.  Those in 'ByRange' have been told.
static SmallVector<unsigned, 4> writtenArguments(const CallBase *Call, StringRef Letters, ArrayRef<unsigned> ByRange) {
  SmallVector<unsigned, 4> Found;
  char Letter = 'w';
  for (unsigned N = 0; N < Call->arg_size(); ++N) {
    Value *P = argument(Call, N);
    if (Letter == 'f') // behind the format
      Letter = formatWrites(Call->getArgOperand(N - 1)) ? 'w' : 'r';
    else if (N < Letters.size())
      Letter = Letters[N];
    if (!P->getType()->isPointerTy() || Letter != 'w' || is_contained(ByRange, N))
      continue;
    Value *Base = P->stripInBoundsOffsets();
    auto *G = dyn_cast<GlobalVariable>(Base);
    if (isa<Function, ConstantPointerNull, UndefValue>(Base) || (G && G->isConstant()) || Call->isByValArgument(N) ||
        Call->onlyReadsMemory(N))
      continue;
    Found.push_back(N);
  }
  return Found;
}

bool dvmir::knownWrites(const CallBase *Call, SmallVectorImpl<Value *> &Written) {
  const KnownCall *Known = findKnown(Call);
  if (!Known || !Known->Recorded)
    return false;
  if (!Known->Lower)
    for (unsigned N : writtenArguments(Call, Known->Args, {}))
      Written.push_back(argument(Call, N));
  return true;
}

// How much of memory a pointer stands for.
struct Object {
  Value *Base = nullptr;
  uint64_t Size = 0; // 0: not known
  bool HoldsPointers = false;
};

static bool holdsPointers(Type *T);

// As a part of something larger: 64 bits are what pointers with marks are kept in, bytes a buffer for anything.
static bool partHoldsPointers(Type *T) { return T->isIntegerTy(64) || holdsPointers(T); }

static bool holdsPointers(Type *T) {
  if (T->isPointerTy())
    return true;
  if (auto *Array = dyn_cast<ArrayType>(T))
    return Array->getElementType()->isIntegerTy(8) || partHoldsPointers(Array->getElementType());
  auto *Struct = dyn_cast<StructType>(T);
  // A union has the type of one member.
  return Struct && (any_of(Struct->elements(), partHoldsPointers) || (Struct->hasName() && Struct->getName().starts_with("union.")));
}

static Object objectOf(FunctionState &S, Value *P) {
  Value *Base = P->stripInBoundsOffsets();
  if (auto *Alloca = dyn_cast<AllocaInst>(Base)) {
    auto Size = Alloca->getAllocationSize(S.RT.DL);
    return {Base, Size ? Size->getFixedValue() : 0, holdsPointers(Alloca->getAllocatedType())};
  }
  if (auto *G = dyn_cast<GlobalVariable>(Base); G && G->getValueType()->isSized() && !G->isThreadLocal())
    return {Base, S.RT.DL.getTypeAllocSize(G->getValueType()).getFixedValue(), holdsPointers(G->getValueType())};
  return {Base, 0, true};
}

// What a function that we know writes to: the object.
static void assignObject(FunctionState &S, IRBuilder<> &B, Value *P) {
  Object O = objectOf(S, P);
  if (O.Size && isa<AllocaInst>(O.Base))
    S.RT.call(B, "__dvmrt_fill", {O.Base, B.getInt64(O.Size)});
  else
    S.RT.call(B, "__dvmrt_written", {P});
}

// What it is said to write, whatever else lies there.
static bool assignInput(FunctionState &S, CallBase *Call) {
  SmallVector<Written, 4> All;
  if (!inputOf(*Call, All))
    return false;
  BuilderBehind B(Call);
  for (const Written &W : All) {
    Constant *Site = S.rangeSite(Call, W.Argument);
    if (!Site->isNullValue())
      S.RT.call(B, "__dvmrt_write_at", {W.Address, W.Size ? W.Size : B.getInt64(1), Site});
    else if (W.Size)
      S.RT.call(B, "__dvmrt_fill", {W.Address, W.Size});
    if (!W.Size)
      assignObject(S, B, W.Address);
  }
  return true;
}

namespace {
// What unknown code was given: objects, and what can be reached from them.  Few are told one by one, many as a table.  What was called
// through a pointer may be a function of the C library, which the run-time library knows by its address, as it knows those that take locks.
class Handed {
  FunctionState &S;
  IRBuilder<> &B;
  Value *Through;
  struct Part {
    Value *P;
    uint64_t Size, What;
  };
  SmallVector<Part, 16> Parts;

  void tell(const Part &X);

public:
  static constexpr size_t Few = 2;
  // 'Pointer': the function that the run-time library is asked about, or null.
  Handed(FunctionState &State, IRBuilder<> &Builder, Value *Pointer = nullptr) : S(State), B(Builder), Through(Pointer) {}
  // 'Argument': its number, or DVMRT_PART_RESULT.
  void add(Value *P, uint64_t Size, uint64_t What, unsigned Argument);
  void addObject(Value *P, unsigned Argument);
  void tell();
};
} // namespace

void Handed::add(Value *P, uint64_t Size, uint64_t What, unsigned Argument) {
  Parts.push_back({P, Size, What | uint64_t(Argument) << DVMRT_PART_ARGUMENT});
}

void Handed::addObject(Value *P, unsigned Argument) {
  Object O = objectOf(S, P);
  if (!O.Size)
    return add(P, 0, DVMRT_PART_GIVEN, Argument);
  if (O.Base == S.Temporaries)
    return;
  const bool OfStack = isa<AllocaInst>(O.Base);
  add(O.Base, O.Size, (OfStack ? DVMRT_PART_ASSIGN : 0) | (O.HoldsPointers || !OfStack ? DVMRT_PART_GIVEN : 0), Argument);
}

void Handed::tell(const Part &X) {
  if (X.What & DVMRT_PART_ASSIGN)
    S.RT.call(B, "__dvmrt_assign", {X.P, B.getInt64(X.Size)});
  if (X.What & DVMRT_PART_GIVEN && X.Size)
    S.RT.call(B, "__dvmrt_given", {X.P, B.getInt64(X.Size)});
  else if (X.What & DVMRT_PART_GIVEN)
    S.RT.call(B, "__dvmrt_foreign", {X.P});
}

void Handed::tell() {
  if (!Through && Parts.size() <= Few) {
    for (const Part &X : Parts)
      tell(X);
    return;
  }
  SmallVector<uint64_t, 32> Table;
  SmallVector<Value *, 16> Args;
  if (Through)
    Args.push_back(Through);
  Args.append({nullptr, B.getInt32(Parts.size())});
  for (const Part &X : Parts) {
    Table.append({X.Size, X.What});
    Args.push_back(X.P);
  }
  Args[Through ? 1 : 0] = S.RT.table(Table);
  S.RT.call(B, Through ? "__dvmrt_handed_to" : "__dvmrt_handed", Args);
}

// Arguments that may be addresses though their type is an integer, as system calls have them and unions of a number and a
// pointer become.  A number that is none harms nothing: no object is there.
static SmallVector<unsigned, 2> addressesIn(const CallBase *Call) {
  SmallVector<unsigned, 2> Found;
  for (unsigned N = 0; N < Call->arg_size(); ++N)
    if (Value *V = argument(Call, N); V->getType()->isIntegerTy(64) && !isa<Constant, SExtInst, ZExtInst>(V))
      Found.push_back(N);
  return Found;
}

static void addAddress(FunctionState &S, IRBuilder<> &B, Handed &All, const CallBase *Call, unsigned N) {
  All.add(B.CreateIntToPtr(argument(Call, N), S.RT.Ptr), 0, DVMRT_PART_GIVEN, N);
}

// Inline assembly that says it writes memory which is none of its operands.
static bool writesAnywhere(const CallBase *Call) {
  auto *Assembly = dyn_cast<InlineAsm>(Call->getCalledOperand());
  return Assembly && StringRef(Assembly->getConstraintString()).contains("~{memory}");
}

// before = now.callee; now.callee = f; call; asked = now.callee; now.callee = before;
// if (asked == f) what it was given counts as assigned;
static void lowerForeign(FunctionState &S, CallBase *Call, ArrayRef<unsigned> Pointers) {
  constexpr size_t Callee = offsetof(dvmrt_now, callee);
  IRBuilder<> Before(Call);
  Value *Old = S.RT.loadNow(Before, Callee, "", S.RT.Ptr);
  S.RT.storeNow(Before, Callee, Call->getCalledOperand());
  BuilderBehind B(Call);
  Instruction *Next = &*B.GetInsertPoint();
  Value *Foreign = B.CreateICmpEQ(S.RT.loadNow(B, Callee, "", S.RT.Ptr), Call->getCalledOperand());
  S.RT.storeNow(B, Callee, Old);
  IRBuilder<> Then(SplitBlockAndInsertIfThen(Foreign, Next, false));
  Then.SetCurrentDebugLocation(Call->getDebugLoc());
  Handed All(S, Then, isa<Function>(Call->getCalledOperand()) && !takesLock(findKnown(Call)) ? nullptr : Call->getCalledOperand());
  for (unsigned N : Pointers)
    All.addObject(argument(Call, N), N);
  for (unsigned N : addressesIn(Call))
    addAddress(S, Then, All, Call, N);
  // A struct that is passed by value stays as it is; what its pointers lead to may not.
  for (unsigned N = 0; N < Call->arg_size(); ++N)
    if (Type *T = Call->getParamByValType(N); T && holdsPointers(T))
      All.add(Call->getArgOperand(N), S.RT.DL.getTypeAllocSize(T).getFixedValue(), DVMRT_PART_GIVEN, N);
  // Memory that it has allocated may be some that was ours and that unseen code has freed.
  if (Call->getType()->isPointerTy())
    All.add(Call, 0, DVMRT_PART_GIVEN, DVMRT_PART_RESULT);
  All.tell();
}

// Whether a function that we cannot see is handed memory in any way, or hands us some.
static bool dealsInMemory(const CallBase *Call) {
  return Call->getType()->isPointerTy() || !addressesIn(Call).empty() || any_of(seq(0u, Call->arg_size()), [&](unsigned N) {
           Type *T = Call->getParamByValType(N);
           return T && holdsPointers(T);
         });
}

static bool isInstrumentedHere(const CallBase *Call) {
  const Function *F = Call->getCalledFunction();
  return F && !F->isDeclarationForLinker() && !F->isInterposable() && !F->hasFnAttribute(Attribute::Naked);
}

// ---- Functions of flang's library ----

static Value *bytesWritten(IRBuilder<> &B, const CallBase *Call, unsigned N, char Letter) {
  if (Letter != 'n')
    return B.getInt64(Letter == 's' ? 16 : uint64_t(Letter - '0'));
  return B.CreateZExtOrTrunc(argument(Call, N + 1), B.getInt64Ty());
}

static void lowerFortran(FunctionState &S, CallBase *Call, StringRef Letters) {
  BuilderBehind B(Call);
  Handed All(S, B);
  for (unsigned N = 0; N < Call->arg_size(); ++N) {
    const char Letter = N < Letters.size() ? Letters[N] : Letters.back();
    Value *P = argument(Call, N);
    if (!P->getType()->isPointerTy() || isa<ConstantPointerNull>(P) || Letter == 'r')
      continue;
    if (Letter == 'd')
      S.RT.call(B, "__dvmrt_described", {P});
    else if (Letter == 'w')
      All.addObject(P, N);
    else
      S.RT.call(B, "__dvmrt_fill", {P, bytesWritten(B, Call, N, Letter)});
  }
  All.tell();
}

// setjmp and kin: what longjmp has left ended without a word.
static void lowerLanding(FunctionState &S, CallBase *Call) {
  BuilderBehind B(Call);
  bool Inside = any_of(S.Constructs, [&](const auto &C) { return C.second->holds(Call->getParent()); });
  Value *Frame = Inside ? B.CreateIntrinsic(Intrinsic::stacksave, {S.RT.Ptr}, {})
                        : B.CreateIntrinsic(Intrinsic::frameaddress, {S.RT.Ptr}, {B.getInt32(0)});
  S.RT.call(B, "__dvmrt_landed", {Frame});
  S.F.addFnAttr(Attribute::NoInline); // or the frame would be that of another one, and its constructs
  S.RT.call(B, "__dvmrt_unwound", {B.CreateIntrinsic(Intrinsic::stacksave, {S.RT.Ptr}, {})});
}

void dvmir::lowerCall(FunctionState &S, CallBase *Call) {
  if (Call->hasFnAttr(Attribute::ReturnsTwice))
    lowerLanding(S, Call);
  if (Call->isMustTailCall())
    return;
  SmallVector<unsigned, 2> ByRange;
  const bool Here = isInstrumentedHere(Call);
  const KnownCall *Known = Here ? nullptr : findKnown(Call);
  if (takesLock(Known))
    Known = nullptr; // it is left to the run
  lowerRanges(S, Call, Here, Known, ByRange);
  if (Here)
    return;
  if (Known && Known->Lower)
    return Known->Lower(S, Call);
  if (const StringRef Letters = fortranLetters(Call); !Letters.empty())
    return lowerFortran(S, Call, Letters);
  if (Call->doesNotReturn() || Call->onlyReadsMemory() || assignInput(S, Call))
    return;
  auto Pointers = writtenArguments(Call, Known ? Known->Args : !ByRange.empty() ? "r" : "", ByRange);
  const bool Foreign = !Known && ByRange.empty() && !Call->isInlineAsm() && !isa<IntrinsicInst>(Call);
  SmallVector<unsigned, 2> Numbers;
  if (writesAnywhere(Call))
    Numbers = addressesIn(Call);
  if (Pointers.empty() && Numbers.empty() && !(Foreign && dealsInMemory(Call)))
    return;
  if (Foreign)
    return lowerForeign(S, Call, Pointers);
  // Behind 'asm goto' there are several places; what it reads is not judged, so that before will do.
  IRBuilder<> B(isa<CallBrInst>(Call) ? Call : behindCall(Call));
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  Handed All(S, B);
  for (unsigned N : Pointers)
    Known ? assignObject(S, B, argument(Call, N)) : All.addObject(argument(Call, N), N);
  for (unsigned N : Numbers)
    addAddress(S, B, All, Call, N);
  All.tell();
}

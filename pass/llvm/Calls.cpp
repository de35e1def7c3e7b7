// Calls that leave the module: functions that we know by name, all others, inline assembly.
#include "InputCalls.h"
#include "Memory.h"
#include "runtime/abi.h"
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
  // Without 'Lower': what it does with each argument, the last letter for all that follow: r reads (or has no words: a
  // stream), w writes what it points to, f is a format of printf, which may have pointers written to by '%n'.
  StringRef Args = "r";
};
} // namespace

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
    {"memcpy", 2, nullptr},
    {"memmove", 2, nullptr},
    {"mempcpy", 2, nullptr},
    {"__memcpy_chk", 2, nullptr},
    {"__memmove_chk", 2, nullptr},
    {"__mempcpy_chk", 2, nullptr},
    {"bcopy", 2, nullptr},
    {"memset", 2, nullptr},
    {"__memset_chk", 2, nullptr},
    {"explicit_bzero", 2, nullptr},
    {"bzero", 2, nullptr},
    // Output.
    {"printf", 1, nullptr, "f"},
    {"fprintf", 2, nullptr, "rf"},
    {"dprintf", 2, nullptr, "rf"},
    {"vprintf", 1, nullptr},
    {"vfprintf", 2, nullptr},
    {"__printf_chk", 2, nullptr, "rf"},
    {"__fprintf_chk", 3, nullptr, "rrf"},
    {"__vprintf_chk", 2, nullptr},
    {"__vfprintf_chk", 3, nullptr},
    {"puts", 1, nullptr},
    {"fputs", 2, nullptr},
    {"fputc", 2, nullptr},
    {"putc", 2, nullptr},
    {"perror", 1, nullptr},
    {"fwrite", 4, nullptr},
    {"write", 3, nullptr},
    {"sprintf", 2, nullptr, "wf"},
    {"snprintf", 3, nullptr, "wrf"},
    {"__sprintf_chk", 4, nullptr, "wrrf"},
    {"__snprintf_chk", 5, nullptr, "wrrrf"},
    // Streams and files.
    {"fopen", 2, nullptr},
    {"fopen64", 2, nullptr},
    {"fclose", 1, nullptr},
    {"fflush", 1, nullptr},
    {"fseek", 3, nullptr},
    {"ftell", 1, nullptr},
    {"rewind", 1, nullptr},
    {"feof", 1, nullptr},
    {"ferror", 1, nullptr},
    {"fgetc", 1, nullptr},
    {"getc", 1, nullptr},
    {"setbuf", 2, nullptr, "rw"},
    {"remove", 1, nullptr},
    {"rename", 2, nullptr},
    {"fread", 4, nullptr, "wr"},
    {"fgets", 3, nullptr, "wr"},
    {"read", 3, nullptr, "rwr"},
    // Strings.
    {"strlen", 1, nullptr},
    {"strnlen", 2, nullptr},
    {"strcmp", 2, nullptr},
    {"strncmp", 3, nullptr},
    {"strcasecmp", 2, nullptr},
    {"strncasecmp", 3, nullptr},
    {"strchr", 2, nullptr},
    {"strrchr", 2, nullptr},
    {"strstr", 2, nullptr},
    {"strspn", 2, nullptr},
    {"strcspn", 2, nullptr},
    {"strpbrk", 2, nullptr},
    {"memcmp", 3, nullptr},
    {"memchr", 3, nullptr},
    {"strcpy", 2, nullptr, "wr"},
    {"strncpy", 3, nullptr, "wr"},
    {"strcat", 2, nullptr, "wr"},
    {"strncat", 3, nullptr, "wr"},
    {"stpcpy", 2, nullptr, "wr"},
    {"__strcpy_chk", 3, nullptr, "wr"},
    {"__strncpy_chk", 4, nullptr, "wr"},
    {"__strcat_chk", 3, nullptr, "wr"},
    {"atoi", 1, nullptr},
    {"atol", 1, nullptr},
    {"atoll", 1, nullptr},
    {"atof", 1, nullptr},
    {"strtol", 3, nullptr, "rwr"},
    {"strtoul", 3, nullptr, "rwr"},
    {"strtoll", 3, nullptr, "rwr"},
    {"strtoull", 3, nullptr, "rwr"},
    {"strtod", 2, nullptr, "rw"},
    {"strtof", 2, nullptr, "rw"},
    {"getenv", 1, nullptr},
    // The compared elements pass through an instrumented function: the general rule would take this for one of ours.
    {"qsort", 4, nullptr, "wr"},
    {"bsearch", 5, nullptr},
    {"atexit", 1, nullptr},
    // What gives a lock up, or wakes others, writes to the object that it is given, and brings nothing that others have written.
    {"pthread_mutex_unlock", 1, nullptr, "w"},
    {"pthread_rwlock_unlock", 1, nullptr, "w"},
    {"pthread_cond_signal", 1, nullptr, "w"},
    {"pthread_cond_broadcast", 1, nullptr, "w"},
};

static const KnownCall *findKnown(const CallBase *Call) {
  const Function *F = Call->getCalledFunction();
  if (!F || !F->isDeclaration())
    return nullptr;
  for (const KnownCall &Known : KnownCalls)
    if (F->getName() == Known.Name && Call->arg_size() >= Known.NumArgs)
      return &Known;
  return nullptr;
}

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

// Arguments that the callee may write through.  'Letters' of its row, none: all.  Those in 'ByRange' have been told.
static SmallVector<Value *, 4> writtenArguments(const CallBase *Call, StringRef Letters, ArrayRef<unsigned> ByRange) {
  SmallVector<Value *, 4> Found;
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
    Found.push_back(P);
  }
  return Found;
}

bool dvmir::knownWrites(const CallBase *Call, SmallVectorImpl<Value *> &Written) {
  const KnownCall *Known = findKnown(Call);
  if (!Known)
    return false;
  if (!Known->Lower)
    Written.append(writtenArguments(Call, Known->Args, {}));
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
// What unknown code was given: objects, and what can be reached from them.  Few are told one by one, many as a table.
class Handed {
  FunctionState &S;
  IRBuilder<> &B;
  struct Part {
    Value *P;
    uint64_t Size, What;
  };
  SmallVector<Part, 16> Parts;

  void tell(const Part &X);

public:
  static constexpr size_t Few = 2;
  Handed(FunctionState &State, IRBuilder<> &Builder) : S(State), B(Builder) {}
  void add(Value *P, uint64_t Size, uint64_t What) { Parts.push_back({P, Size, What}); }
  void addObject(Value *P);
  void tell();
};
} // namespace

void Handed::addObject(Value *P) {
  Object O = objectOf(S, P);
  if (!O.Size)
    return add(P, 0, DVMRT_PART_GIVEN);
  if (O.Base == S.Temporaries)
    return;
  const bool OfStack = isa<AllocaInst>(O.Base);
  add(O.Base, O.Size, (OfStack ? DVMRT_PART_ASSIGN : 0) | (O.HoldsPointers || !OfStack ? DVMRT_PART_GIVEN : 0));
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
  if (Parts.size() <= Few) {
    for (const Part &X : Parts)
      tell(X);
    return;
  }
  SmallVector<uint64_t, 32> Table;
  SmallVector<Value *, 16> Args{nullptr, B.getInt32(Parts.size())};
  for (const Part &X : Parts) {
    Table.append({X.Size, X.What});
    Args.push_back(X.P);
  }
  Args[0] = S.RT.table(Table);
  S.RT.call(B, "__dvmrt_handed", Args);
}

// Arguments that may be addresses though their type is an integer, as system calls have them and unions of a number and a
// pointer become.  A number that is none harms nothing: no object is there.
static SmallVector<Value *, 2> addressesIn(const CallBase *Call) {
  SmallVector<Value *, 2> Found;
  for (unsigned N = 0; N < Call->arg_size(); ++N)
    if (Value *V = argument(Call, N); V->getType()->isIntegerTy(64) && !isa<Constant, SExtInst, ZExtInst>(V))
      Found.push_back(V);
  return Found;
}

// Inline assembly that says it writes memory which is none of its operands.
static bool writesAnywhere(const CallBase *Call) {
  auto *Assembly = dyn_cast<InlineAsm>(Call->getCalledOperand());
  return Assembly && StringRef(Assembly->getConstraintString()).contains("~{memory}");
}

// before = now.callee; now.callee = f; call; asked = now.callee; now.callee = before;
// if (asked == f) what it was given counts as assigned;
static void lowerForeign(FunctionState &S, CallBase *Call, ArrayRef<Value *> Pointers) {
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
  Handed All(S, Then);
  for (Value *P : Pointers)
    All.addObject(P);
  for (Value *Number : addressesIn(Call))
    All.add(Then.CreateIntToPtr(Number, S.RT.Ptr), 0, DVMRT_PART_GIVEN);
  // A struct that is passed by value stays as it is; what its pointers lead to may not.
  for (unsigned N = 0; N < Call->arg_size(); ++N)
    if (Type *T = Call->getParamByValType(N); T && holdsPointers(T))
      All.add(Call->getArgOperand(N), S.RT.DL.getTypeAllocSize(T).getFixedValue(), DVMRT_PART_GIVEN);
  // Memory that it has allocated may be some that was ours and that unseen code has freed.
  if (Call->getType()->isPointerTy())
    All.add(Call, 0, DVMRT_PART_GIVEN);
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
  lowerRanges(S, Call, Here, Known, ByRange);
  if (Here)
    return;
  if (Known && Known->Lower)
    return Known->Lower(S, Call);
  if (Call->doesNotReturn() || Call->onlyReadsMemory() || assignInput(S, Call))
    return;
  auto Pointers = writtenArguments(Call, Known ? Known->Args : !ByRange.empty() ? "r" : "", ByRange);
  const bool Foreign = !Known && ByRange.empty() && !Call->isInlineAsm() && !isa<IntrinsicInst>(Call);
  SmallVector<Value *, 2> Numbers;
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
  for (Value *P : Pointers)
    Known ? assignObject(S, B, P) : All.addObject(P);
  for (Value *Number : Numbers)
    All.add(B.CreateIntToPtr(Number, S.RT.Ptr), 0, DVMRT_PART_GIVEN);
  All.tell();
}

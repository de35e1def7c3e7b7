// Functions that read or write so many bytes (pass/Ranges.h): what they reach is told to the runtime.
#include "pass/Ranges.h"
#include "Memory.h"
#include "runtime/abi.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;
using namespace dvm;

static Value *size64(FunctionState &S, IRBuilder<> &B, Value *V) { return B.CreateZExtOrTrunc(V, S.RT.I64); }

namespace {
class CallRanges {
  FunctionState &S;
  CallBase *Call;
  bool Inside, Named; // the body of the function is instrumented and changes the words; the name alone says what it is

  Value *argument(IRBuilder<> &B, unsigned N) { return size64(S, B, Call->getArgOperand(N)); }
  Value *length(IRBuilder<> &B, Value *P, Value *Limit) { return S.RT.call(B, "__dvmrt_length", {P, Limit}); }
  bool isAfter(const RangeArgument &R) const { return R.Size == Elements || R.Size == Result || R.Size >= Written; }
  bool fits(const RangeArgument &R) const;
  Value *size(IRBuilder<> &B, const RangeArgument &R);
  bool copy(ArrayRef<const RangeArgument *> All);
  void one(const RangeArgument &R);
  void sorted(const RangeArgument &R);
  void printed(StringRef Name);

public:
  CallRanges(FunctionState &State, CallBase *C, bool In, bool ByName) : S(State), Call(C), Inside(In), Named(ByName) {}
  void run(SmallVectorImpl<unsigned> &Known);
};
} // namespace

bool CallRanges::fits(const RangeArgument &R) const {
  auto IsNumber = [&](unsigned N) { return N < Call->arg_size() && Call->getArgOperand(N)->getType()->isIntegerTy(); };
  if (R.Argument >= Call->arg_size() || !Call->getArgOperand(R.Argument)->getType()->isPointerTy() ||
      isa<ConstantPointerNull>(Call->getArgOperand(R.Argument)))
    return false;
  switch (R.Size) {
  case Given:
  case Words:
  case Bounded:
  case IfGiven: return IsNumber(R.A);
  case Product: return IsNumber(R.A) && IsNumber(R.B);
  case Elements: return IsNumber(R.A) && Call->getType()->isIntegerTy();
  case Result: return Call->getType()->isIntegerTy();
  case IfResult: return Call->getType()->isPointerTy();
  default: return true;
  }
}

Value *CallRanges::size(IRBuilder<> &B, const RangeArgument &R) {
  Value *P = Call->getArgOperand(R.Argument), *None = B.getInt64(0), *Whole = B.getInt64(-1);
  switch (R.Size) {
  case Given: return argument(B, R.A);
  case Words: return B.CreateMul(argument(B, R.A), B.getInt64(4));
  case Product: return B.CreateMul(argument(B, R.A), argument(B, R.B));
  case Elements: return B.CreateMul(argument(B, R.A), size64(S, B, Call));
  case Result: {
    Value *Bytes = B.CreateSExtOrTrunc(Call, S.RT.I64);
    return B.CreateSelect(B.CreateICmpSGT(Bytes, None), Bytes, None);
  }
  case Fixed: return B.getInt64(R.A);
  case Text:
  case Written: return length(B, P, Whole);
  case Bounded: return length(B, P, argument(B, R.A));
  case Limited: return length(B, P, B.getInt64(R.A));
  case IfResult: return length(B, B.CreateSelect(B.CreateIsNull(Call), ConstantPointerNull::get(S.RT.Ptr), P), Whole);
  case IfGiven: return length(B, P, argument(B, R.A));
  }
  llvm_unreachable("a size without a rule");
}

// What is copied is judged at both ends, then the words go with it.
bool CallRanges::copy(ArrayRef<const RangeArgument *> All) {
  if (Inside || All.size() != 2 || All[0]->Way != 'w' || All[1]->Way != 'c' || All[0]->Size > Words || All[1]->Size != All[0]->Size)
    return false;
  IRBuilder<> B(Call);
  const unsigned To = All[0]->Argument, From = All[1]->Argument;
  S.RT.call(B, "__dvmrt_copy_at",
            {Call->getArgOperand(To), Call->getArgOperand(From), size(B, *All[0]), S.rangeSite(Call, To), S.rangeSite(Call, From)});
  return true;
}

void CallRanges::one(const RangeArgument &R) {
  Constant *Site = S.rangeSite(Call, R.Argument);
  if (Site->isNullValue() && (R.Way != 'w' || Inside))
    return;
  auto Emit = [&](IRBuilder<> &B) {
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    Value *P = Call->getArgOperand(R.Argument), *Size = size(B, R);
    if (R.Way == 'w')
      S.RT.call(B, "__dvmrt_write_at", {P, Size, Site});
    else
      S.RT.call(B, "__dvmrt_read_at",
                {P, Size, Site,
                 B.getInt32(R.Way == 'c'   ? DVMRT_READ | DVMRT_COPIED
                            : R.Way == 'm' ? DVMRT_READ | DVMRT_WRITE
                                           : DVMRT_READ)});
  };
  if (isAfter(R)) {
    IRBuilder<> B(behindCall(Call));
    Emit(B);
  } else {
    IRBuilder<> B(Call);
    Emit(B);
  }
}

// Elements that are sorted take along which of their bytes have a value: where one has it there, any may.
void CallRanges::sorted(const RangeArgument &R) {
  if (R.Way != 'm' || Inside)
    return;
  IRBuilder<> B(behindCall(Call));
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  S.RT.call(B, "__dvmrt_fill", {Call->getArgOperand(R.Argument), size(B, R)});
}

void CallRanges::printed(StringRef Name) {
  const int At = printedFormat(Name);
  StringRef Format;
  if (printsText(Name) && S.isRange(Call, 0))
    one({"", 0, 'r', Text});
  if (At < 0 || unsigned(At) >= Call->arg_size() || !getConstantStringInfo(Call->getArgOperand(At), Format))
    return;
  for (const RangeArgument &R : printedTexts(Format, At))
    if (fits(R) && S.isRange(Call, R.Argument))
      one(R);
}

void CallRanges::run(SmallVectorImpl<unsigned> &Known) {
  const Function *F = Call->getCalledFunction();
  if (!F || F->getName().empty() || isa<CallBrInst>(Call))
    return;
  SmallVector<const RangeArgument *, 2> All = rangeArguments(F->getName());
  erase_if(All, [&](const RangeArgument *R) { return !fits(*R) || !(Named || S.isRange(Call, R->Argument)); });
  const bool Copied = copy(All);
  for (const RangeArgument *R : All) {
    Known.push_back(R->Argument);
    if (!Copied)
      one(*R);
    sorted(*R);
  }
  printed(F->getName());
}

void dvmir::lowerRanges(FunctionState &S, CallBase *Call, bool Inside, bool Named, SmallVectorImpl<unsigned> &Known) {
  CallRanges(S, Call, Inside, Named).run(Known);
}

#include "Function.h"
#include "ParallelParts.h"
#include "pass/Ranges.h"
#include "pass/markers.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;
using dvm::RangeArgument;

namespace {
using Sites = SmallDenseMap<unsigned, Value *, 2>; // argument -> site, null where there is nothing to judge

class RangeCall {
  Runtime &RT;
  CallBase *Call;
  const Sites &Marked;
  IRBuilder<> B;

  Value *argument(unsigned N) { return Call->getArgOperand(N); }
  Value *size(unsigned N) { return B.CreateZExtOrTrunc(argument(N), RT.I64); }
  Value *site(unsigned N) {
    Value *S = Marked.lookup(N);
    return S ? S : ConstantPointerNull::get(RT.Ptr);
  }
  Value *call(StringRef Name, Type *Result, ArrayRef<Value *> Args);
  void replace(Value *Result);
  bool fill(StringRef Name);
  bool copy(StringRef Name);
  void look(const RangeArgument &R);

public:
  RangeCall(Runtime &R, CallBase *C, const Sites &S) : RT(R), Call(C), Marked(S), B(C) {}
  void run();
};
} // namespace

Value *RangeCall::call(StringRef Name, Type *Result, ArrayRef<Value *> Args) {
  SmallVector<Type *, 5> T;
  for (Value *A : Args)
    T.push_back(A->getType());
  return B.CreateCall(RT.M.getOrInsertFunction(Name, FunctionType::get(Result, T, false)), Args);
}

void RangeCall::replace(Value *Result) {
  if (!Call->getType()->isVoidTy())
    Call->replaceAllUsesWith(Result);
  Call->eraseFromParent();
}

bool RangeCall::fill(StringRef Name) {
  const bool Zero = Name == "bzero" || Name == "explicit_bzero";
  if (!Zero && Name != "memset")
    return false;
  Value *Byte = Zero ? B.getInt32(0) : B.CreateZExtOrTrunc(argument(1), RT.I32);
  replace(call("__dvmp_memset", RT.Ptr, {argument(0), Byte, size(Zero ? 1 : 2), site(0)}));
  return true;
}

bool RangeCall::copy(StringRef Name) {
  const bool Turned = Name == "bcopy", Behind = Name == "mempcpy";
  if (!Turned && !Behind && Name != "memcpy" && Name != "memmove")
    return false;
  const unsigned To = Turned, From = !Turned;
  Value *Size = size(2), *Target = argument(To);
  call("__dvmp_memcpy", RT.Ptr, {Target, argument(From), Size, site(To), site(From)});
  replace(Behind ? B.CreateGEP(RT.I8, Target, Size) : Target);
  return true;
}

// What it reads, before it does.
void RangeCall::look(const RangeArgument &R) {
  if (!Marked.lookup(R.Argument) || R.Way == 'w')
    return;
  Value *Size = nullptr;
  switch (R.Size) {
  case dvm::Given: Size = size(R.A); break;
  case dvm::Product: Size = B.CreateMul(size(R.A), size(R.B)); break;
  case dvm::Fixed: Size = B.getInt64(R.A); break;
  case dvm::Text:
  case dvm::Bounded: Size = B.getInt64(-1); break;
  default: return;
  }
  call("__dvmp_range", RT.Void, {argument(R.Argument), Size, site(R.Argument)});
}

void RangeCall::run() {
  if (all_of(Marked, [](const auto &S) { return !S.second; }))
    return;
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  StringRef Name;
  if (auto *I = dyn_cast<MemIntrinsic>(Call))
    Name = isa<MemSetInst>(I) ? "memset" : "memmove";
  else if (const Function *F = Call->getCalledFunction())
    Name = dvm::rangeFunction(F->getName());
  if (isa<CallInst>(Call) && (fill(Name) || copy(Name)))
    return;
  for (const RangeArgument *R : dvm::rangeArguments(Name))
    if (R->Argument < Call->arg_size())
      look(*R);
  for (auto &[N, Site] : Marked)
    if (Site && dvm::printsInMemory(Name) && N > 0)
      look({"", N, 'r', dvm::Text});
}

void dvmir::lowerRangesInParallel(Runtime &RT, Function &F, function_ref<GlobalVariable *(Value *)> Site) {
  MapVector<CallBase *, Sites> Calls;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (markerName(&I) != DVMM_RANGE)
      continue;
    auto *Mark = cast<CallInst>(&I);
    Value *Text = Mark->getArgOperand(1);
    for (Use &U : Mark->uses())
      if (auto *Call = dyn_cast<CallBase>(U.getUser()); Call && Call->isArgOperand(&U))
        Calls[Call][Call->getArgOperandNo(&U)] = markerText(Text).empty() ? nullptr : Site(Text);
    Mark->replaceAllUsesWith(Mark->getArgOperand(0));
    Mark->eraseFromParent();
  }
  for (auto &[Call, Marked] : Calls)
    RangeCall(RT, Call, Marked).run();
}

// Calls of the run-time library of Fortran in programs that many ranks execute.  Input and output of the sequential part: a statement is
// a call that begins it, one for each item, and one that ends it.  Rank 0 makes them for all; the others get what it has read.
//   cookie = _FortranAioBegin..(..)        who = __dvmp_io_begin(); if (who < 2) cookie = _FortranAioBegin..(..)
//   _FortranAioOutputInteger32(cookie, n)  if (who < 2) _FortranAioOutputInteger32(cookie, n)
//   _FortranAioInputReal64(cookie, p)      q = __dvmp_io_target(who, p, 8); if (who < 2) ok = .. (cookie, q);
//                                          ok = __dvmp_io_got(who, p, q, 8, ok)
// Internal files are each rank's own.
#include "ParallelParts.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

namespace {
// What a call stores: argument, and its size: a number, or the product of arguments from 'Size' on.
const struct {
  StringRef Name;
  unsigned Argument, Bytes, Size, Sizes;
} Stores[] = {
    {"InputInteger", 1, 0, 2, 1},     {"InputReal32", 1, 4, 0, 0},     {"InputReal64", 1, 8, 0, 0},
    {"InputComplex32", 1, 8, 0, 0},   {"InputComplex64", 1, 16, 0, 0}, {"InputAscii", 1, 0, 2, 1},
    {"InputCharacter", 1, 0, 2, 2},   {"InputLogical", 1, 1, 0, 0},    {"InputUnformattedBlock", 1, 0, 2, 1},
    {"InquireCharacter", 2, 0, 3, 1}, {"InquireLogical", 2, 1, 0, 0},  {"InquireInteger64", 2, 0, 3, 1},
    {"GetNewUnit", 1, 0, 2, 1},       {"GetIoMsg", 1, 0, 2, 1},
};

struct Lowering {
  Runtime &RT;
  Function &F;
  Module &M;
  LLVMContext &C;
  DenseMap<Value *, Value *> Who; // of the cookies of statements that are shared
  explicit Lowering(Runtime &R, Function &Fn) : RT(R), F(Fn), M(*Fn.getParent()), C(M.getContext()) {}

  CallInst *call(IRBuilder<> &B, StringRef Name, Type *Result, ArrayRef<Value *> Args) {
    SmallVector<Type *, 8> T;
    for (Value *A : Args)
      T.push_back(A->getType());
    return B.CreateCall(M.getOrInsertFunction(Name, FunctionType::get(Result, T, false)), Args);
  }
  AllocaInst *slot(Type *T) { return new AllocaInst(T, M.getDataLayout().getAllocaAddrSpace(), "dvm.io", F.getEntryBlock().begin()); }
  Value *conditional(CallInst *Call, Value *Who, Constant *Otherwise, Instruction *&After);
  void begin(CallInst *Call);
  void item(CallInst *Call, StringRef Name, Value *W);
  void stored(CallInst *Call, Value *W, unsigned Argument, Value *Bytes);
  void readArray(CallInst *Call, Value *W);
  void writtenArray(CallInst *Call, Value *W);
  void got(Value *W, Value *Result, Instruction *After, StringRef Name, ArrayRef<Value *> Args);
  void end(CallInst *Call, Value *W);
  void other(CallInst *Call, StringRef Name);
  void run();
};
} // namespace

// The call is made unless another rank makes it.  Returns its result, and where the others go on; null: it has none that is used.
Value *Lowering::conditional(CallInst *Call, Value *W, Constant *Otherwise, Instruction *&After) {
  const bool Used = !Call->use_empty();
  AllocaInst *Slot = Used ? slot(Call->getType()) : nullptr;
  After = Call->getNextNode();
  IRBuilder<> B(Call);
  if (Slot)
    B.CreateStore(Otherwise, Slot);
  Instruction *Then = SplitBlockAndInsertIfThen(B.CreateICmpULT(W, B.getInt32(2)), Call, false);
  Call->moveBefore(Then);
  if (!Slot)
    return nullptr;
  IRBuilder<> Behind(After);
  Value *Result = Behind.CreateLoad(Call->getType(), Slot);
  Call->replaceAllUsesWith(Result);
  IRBuilder<>(Then).CreateStore(Call, Slot);
  return Result;
}

void Lowering::begin(CallInst *Call) {
  IRBuilder<> B(Call);
  Instruction *After;
  Value *W = call(B, "__dvmp_io_begin", RT.I32, {});
  if (Value *Cookie = conditional(Call, W, ConstantPointerNull::get(RT.Ptr), After))
    Who[Cookie] = W;
}

// What 'Name' says of the result becomes that of all.
void Lowering::got(Value *W, Value *Result, Instruction *After, StringRef Name, ArrayRef<Value *> Args) {
  IRBuilder<> B(After);
  const bool Tells = Result && Result->getType()->isIntegerTy();
  SmallVector<Value *, 6> All{W};
  All.append(Args.begin(), Args.end());
  All.push_back(Tells ? B.CreateZExtOrTrunc(Result, RT.I32) : B.getInt32(1));
  CallInst *Shared = call(B, Name, RT.I32, All);
  if (Tells)
    Result->replaceUsesWithIf(B.CreateTrunc(Shared, Result->getType()),
                              [&](Use &U) { return U.getUser() != All.back() && U.getUser() != Shared; });
}

void Lowering::stored(CallInst *Call, Value *W, unsigned Argument, Value *Bytes) {
  IRBuilder<> B(Call);
  Instruction *After;
  Value *P = Call->getArgOperand(Argument), *Target = call(B, "__dvmp_io_target", RT.Ptr, {W, P, Bytes});
  Call->setArgOperand(Argument, Target);
  Value *Result = conditional(Call, W, ConstantInt::get(Call->getType(), 1), After);
  got(W, Result, After, "__dvmp_io_got", {P, Target, Bytes});
}

// Descriptors.
void Lowering::readArray(CallInst *Call, Value *W) {
  IRBuilder<> B(Call);
  Instruction *After;
  Value *D = Call->getArgOperand(1), *Target = call(B, "__dvmp_io_target_array", RT.Ptr, {W, D});
  Call->setArgOperand(1, Target);
  Value *Result = conditional(Call, W, B.getTrue(), After);
  got(W, Result, After, "__dvmp_io_got_array", {D, Target});
}

void Lowering::writtenArray(CallInst *Call, Value *W) {
  IRBuilder<> B(Call);
  Instruction *After;
  Value *D = Call->getArgOperand(1), *Target = call(B, "__dvmp_io_collect", RT.Ptr, {W, D});
  Call->setArgOperand(1, Target);
  conditional(Call, W, B.getTrue(), After);
  IRBuilder<> Behind(After);
  call(Behind, "__dvmp_io_done", RT.Void, {D, Target});
}

// The status: that of rank 0, where the program looks at it.
void Lowering::end(CallInst *Call, Value *W) {
  Instruction *After;
  if (Value *Result = conditional(Call, W, ConstantInt::get(Call->getType(), 0), After))
    got(W, Result, After, "__dvmp_io_end", {});
}

void Lowering::item(CallInst *Call, StringRef Name, Value *W) {
  IRBuilder<> B(Call);
  Instruction *After;
  if (Name == "EndIoStatement")
    return end(Call, W);
  if (Name == "InputDescriptor")
    return readArray(Call, W);
  if (Name == "OutputDescriptor")
    return writtenArray(Call, W);
  for (const auto &Row : Stores) {
    if (Name != Row.Name)
      continue;
    Value *Bytes = B.getInt64(Row.Sizes ? 1 : Row.Bytes);
    for (unsigned I = 0; I < Row.Sizes; ++I)
      Bytes = B.CreateMul(Bytes, B.CreateSExtOrTrunc(Call->getArgOperand(Row.Size + I), RT.I64));
    return stored(Call, W, Row.Argument, Bytes);
  }
  if (Name.starts_with("Input") || Name == "GetSize" || Name == "InquirePendingId")
    call(B, "__dvmp_io_refuse", RT.Void, {W, B.CreateGlobalString(Name, "dvm.io")});
  conditional(Call, W, Call->getType()->isIntegerTy() ? ConstantInt::get(Call->getType(), 1) : Constant::getNullValue(Call->getType()),
              After);
}

// Clocks and random numbers: for all the values of rank 0.
void Lowering::other(CallInst *Call, StringRef Name) {
  IRBuilder<> B(Call);
  if (Name == "StopStatement" || Name == "StopStatementText") {
    const unsigned Quiet = Call->arg_size() - 1;
    Call->setArgOperand(Quiet,
                        B.CreateOr(Call->getArgOperand(Quiet), B.CreateICmpUGE(call(B, "__dvmp_io_begin", RT.I32, {}), B.getInt32(2))));
    return;
  }
  IRBuilder<> Behind(Call->getNextNode());
  if (Name == "CpuTime" || Name == "SystemClockCount") {
    AllocaInst *Slot = slot(Call->getType());
    Behind.CreateStore(Call, Slot);
    call(Behind, "__dvmp_share", RT.Void, {Slot, B.getInt64(8)});
    Value *Shared = Behind.CreateLoad(Call->getType(), Slot);
    Call->replaceUsesWithIf(
        Shared, [&](Use &U) { return !isa<StoreInst>(U.getUser()) || cast<StoreInst>(U.getUser())->getPointerOperand() != Slot; });
    return;
  }
  if (Name == "RandomNumber")
    call(Behind, "__dvmp_share_array", RT.Void, {Call->getArgOperand(0)});
  if (Name.contains("Deallocate") && !Call->arg_empty() && Call->getArgOperand(0)->getType()->isPointerTy())
    call(B, "__dvmp_deallocated", RT.Void, {Call->getArgOperand(0)});
}

void Lowering::run() {
  SmallVector<CallInst *, 32> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction(); Callee && Callee->isDeclaration() && Callee->getName().starts_with("_FortranA"))
        Calls.push_back(Call);
  for (CallInst *Call : Calls) {
    StringRef Name = Call->getCalledFunction()->getName().drop_front(strlen("_FortranA"));
    if (!Name.consume_front("io")) {
      other(Call, Name);
      continue;
    }
    if (Name.consume_front("Begin")) {
      if (!Name.starts_with("Internal") && Name != "InquireIoLength")
        begin(Call);
      continue;
    }
    if (Value *W = Call->arg_empty() ? nullptr : Who.lookup(Call->getArgOperand(0)))
      item(Call, Name, W);
  }
}

void dvmir::lowerFortranCalls(Runtime &RT, Function &F) { Lowering(RT, F).run(); }

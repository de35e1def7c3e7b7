#include "Memory.h"
#include "Parameters.h"
#include "Doubt.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

MemoryLowering::MemoryLowering(FunctionState &State, const Parameters &Known) : S(State), Functions(Known) {
  for (Instruction &I : instructions(S.F))
    collect(I);
}

// Of a vector extension or the processor, with a pointer that it may write through.
static bool writesThroughPointer(const IntrinsicInst &I) {
  Intrinsic::ID ID = I.getIntrinsicID();
  if (ID != Intrinsic::masked_store && ID != Intrinsic::masked_compressstore && !Function::isTargetIntrinsic(ID))
    return false;
  return I.mayWriteToMemory();
}

void MemoryLowering::collect(Instruction &I) {
  if (auto *Ret = dyn_cast<ReturnInst>(&I)) {
    if (!I.getParent()->getTerminatingMustTailCall())
      Returns.push_back(Ret);
  } else if (auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
    Copies.push_back(Mem);
  } else if (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(I)) {
    if (!I.hasMetadata(LLVMContext::MD_nosanitize))
      Stores.push_back({&I, S.around(I.getParent())});
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    auto *Known = dyn_cast<IntrinsicInst>(Call);
    if (Known ? writesThroughPointer(*Known) : markerName(&I).empty())
      Calls.push_back(Call);
  }
}

// Where a pointer comes from: through address arithmetic and marks.  'Written' if a mark says that it is stored to.
static Value *origin(Value *P, bool &Written) {
  for (;;) {
    if (auto *GEP = dyn_cast<GEPOperator>(P)) {
      P = GEP->getPointerOperand();
    } else if (markerName(P) == DVMM_ACCESS) {
      auto *Mark = cast<CallInst>(P);
      Written |= AccessText::parse(markerText(Mark->getArgOperand(2))).Writes;
      P = Mark->getArgOperand(0);
    } else {
      return P;
    }
  }
}

// Whether memory behind 'P' has no words, or words that live elsewhere.
bool MemoryLowering::isOurs(Value *P) {
  if (!isa<AllocaInst>(P))
    return isa<ConstantPointerNull>(P) || isa<UndefValue>(P);
  Variable *V = S.VariableOf.lookup(P);
  return !V || !V->Tracked; // V is absent for allocas of our own
}

void MemoryLowering::assign(FunctionState &S, Instruction *At, Value *P, uint64_t Size, const Construct *In) {
  Runtime &RT = S.RT;
  const bool Aligned = getLoadStorePointerOperand(At) == P && getLoadStoreAlignment(At).value() >= Size;
  if (!In && !RT.InLoops.contains(&S.F)) {
    IRBuilder<> B(At);
    return emitLook(RT, B, P, Size, ConstantPointerNull::get(RT.Ptr), DVMRT_WRITE, {});
  }
  Chain Row(RT, At);
  IRBuilder<> &B = Row.B;
  BasicBlock *Slow = Row.block();
  Value *Number = B.CreatePtrToInt(P, RT.I64);
  if (!In)
    askDoubt(S, Row, Number, Size, Aligned, Slow);
  else if (Value *Mask = S.limit(B, In, LimitMask); (Size == 4 || Size == 8) && Aligned)
    Row.test(RT.fast(B, "dvmi_write_" + std::to_string(Size), RT.I1,
                     {Number, S.limit(B, In, LimitWrite), S.limit(B, In, LimitFirstWrite), Mask}),
             Slow);
  else
    Row.test(RT.fast(B, "dvmi_known", RT.I1, {Number, B.getInt64(Size), Mask}), Slow);
  Row.slow(Slow, Row.rest(), [&](IRBuilder<> &SB) { RT.call(SB, "__dvmrt_assign", {P, SB.getInt64(Size)}); });
}

void MemoryLowering::lowerStore(const Item &T) {
  auto *Store = dyn_cast<StoreInst>(T.I);
  auto *RMW = dyn_cast<AtomicRMWInst>(T.I);
  Value *P = Store ? Store->getPointerOperand() : RMW ? RMW->getPointerOperand() : cast<AtomicCmpXchgInst>(T.I)->getPointerOperand();
  Type *Stored = Store ? Store->getValueOperand()->getType()
                 : RMW ? RMW->getValOperand()->getType()
                       : cast<AtomicCmpXchgInst>(T.I)->getNewValOperand()->getType();
  bool Written = false;
  if (isOurs(origin(P, Written)))
    return;
  if (Store)
    lowerCopied(S, Store);
  if (Written)
    return;
  if (Constant *Site = S.rangeSite(T.I, StoreInst::getPointerOperandIndex()); Store && !Site->isNullValue()) {
    IRBuilder<> B(T.I);
    S.RT.call(B, "__dvmrt_write_at", {P, B.getInt64(S.RT.DL.getTypeStoreSize(Stored).getFixedValue()), Site});
    return;
  }
  // With the padding of a long double, which belongs to its value as far as words go.
  TypeSize Size = Stored->isFloatingPointTy() ? S.RT.DL.getTypeAllocSize(Stored) : S.RT.DL.getTypeStoreSize(Stored);
  assign(S, T.I, P, Size.getFixedValue(), T.In);
}

static bool isConstantMemory(Value *P) {
  auto *G = dyn_cast<GlobalVariable>(P->stripInBoundsConstantOffsets());
  return G && G->isConstant();
}

// A variable of which nothing shows where it begins to live: this may be its initial value.
bool MemoryLowering::begins(Value *P) {
  Variable *V = isa<AllocaInst>(P) ? S.VariableOf.lookup(P) : nullptr;
  return V && V->Starts.empty();
}

// Of what length may be known once functions have been put inline.
static bool isCopyOutside(const FunctionState &S, const MemTransferInst &I) {
  return !S.RT.InLoops.contains(&S.F) && !S.around(I.getParent());
}

void MemoryLowering::copyWords(MemIntrinsic *I, Value *Source, Value *Length) {
  IRBuilder<> B(I);
  Constant *To = S.rangeSite(I, 0), *From = S.rangeSite(I, 1);
  if (auto *Copy = dyn_cast<MemTransferInst>(I);
      Copy && (looksBeforeCopy(S, *Copy) || (!isa<ConstantInt>(Copy->getLength()) && isCopyOutside(S, *Copy)))) {
    Variable *V = S.VariableOf.lookup(I->getRawDest());
    emitLookCopy(S.RT, B, *Copy, To, From, V && V->Given && V->Closed);
  } else if (To->isNullValue() && From->isNullValue())
    S.RT.call(B, "__dvmrt_copy", {I->getRawDest(), Source, Length});
  else
    S.RT.call(B, "__dvmrt_copy_at", {I->getRawDest(), Source, Length, To, From});
}

bool dvmir::looksBeforeCopy(const FunctionState &S, const MemTransferInst &I) {
  auto *Length = dyn_cast<ConstantInt>(I.getLength());
  return Length && isLooked(Length->getZExtValue()) && isCopyOutside(S, I);
}

void MemoryLowering::lowerCopy(MemIntrinsic *I) {
  bool Written = false, Ignored = false;
  Value *Dest = origin(I->getRawDest(), Written);
  if (isOurs(Dest))
    return;
  IRBuilder<> B(I);
  Value *Length = B.CreateZExtOrTrunc(I->getLength(), S.RT.I64);
  auto *Copy = dyn_cast<MemTransferInst>(I);
  if (Copy && !isConstantMemory(Copy->getRawSource()) && !isOurs(origin(Copy->getRawSource(), Ignored)))
    copyWords(I, Copy->getRawSource(), Length);
  else if (Constant *Site = S.rangeSite(I, 0); !Site->isNullValue())
    S.RT.call(B, "__dvmrt_write_at", {I->getRawDest(), Length, Site});
  else if (!Written)
    S.RT.call(B, isa<MemSetInst>(I) && !begins(Dest) ? "__dvmrt_fill" : "__dvmrt_assign", {I->getRawDest(), Length});
}

// Is what the function does with its address reading and writing there, but for uses of which 'IsFine' says so?
static bool staysHere(const Variable &V, function_ref<bool(const Use &U)> IsFine) {
  SmallVector<Value *, 8> Work{V.Alloca};
  while (!Work.empty()) {
    for (const Use &U : Work.pop_back_val()->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *Life = dyn_cast<IntrinsicInst>(I);
      if (isa<GetElementPtrInst>(I) || markerName(I) == DVMM_ACCESS)
        Work.push_back(I);
      else if (!isa<LoadInst>(I) && !(isa<StoreInst>(I) && U.getOperandNo() == StoreInst::getPointerOperandIndex()) &&
               !(Life && Life->isLifetimeStartOrEnd()) && !(isa<MemSetInst>(I) && U.getOperandNo() == 0) &&
               !(isa<MemTransferInst>(I) && U.getOperandNo() == 1) && !IsFine(U))
        return false;
    }
  }
  return true;
}

// Does nobody write it but the function itself, and copies that are looked at before, into all of it?
static bool isClosed(const FunctionState &S, const Variable &V) {
  return staysHere(V, [&](const Use &U) {
    auto *Copy = dyn_cast<MemTransferInst>(U.getUser());
    return Copy && U.get() == V.Alloca && looksBeforeCopy(S, *Copy);
  });
}

// Does its address go nowhere but to functions that only read and write there, and is nothing copied to it that may lack a value?
static bool isUnnoticed(const Variable &V, const Parameters &Known) {
  return staysHere(V, [&](const Use &U) {
    auto *Copy = dyn_cast<MemTransferInst>(U.getUser());
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return (Copy && isConstantMemory(Copy->getRawSource())) || (Call && Known.isQuiet(*Call, U.getOperandNo()));
  });
}

// It has a value whenever it can be seen, so that it need not be told to have none; what is copied there may lack one.  If nobody else
// can put that there, nobody has to know of it at all.
void MemoryLowering::lowerGivenObject(Variable &V) {
  const uint64_t Size = S.RT.DL.getTypeAllocSize(V.Alloca->getAllocatedType()).getFixedValue();
  auto Born = [&](Instruction *At) {
    IRBuilder<> B(At);
    if (!V.Closed) {
      S.RT.call(B, "__dvmrt_live", {V.Alloca, B.getInt64(Size)});
      return;
    }
    emitBirth(S.RT, B, V.Alloca, Size);
  };
  if (V.Starts.empty())
    Born(V.Alloca->comesBefore(S.entryPoint()) ? S.entryPoint() : V.Alloca->getNextNode());
  for (IntrinsicInst *Start : V.Starts)
    Born(Start->getNextNode());
  for (ReturnInst *Ret : Returns) {
    IRBuilder<> B(Ret);
    emitLook(S.RT, B, V.Alloca, Size, ConstantPointerNull::get(S.RT.Ptr), DVMRT_WRITE, {});
  }
}

// All have a value throughout; of an iteration's the words are its own.
void MemoryLowering::lowerTemporaries() {
  IRBuilder<> B(S.entryPoint());
  Value *Size = B.getInt64(S.RT.DL.getTypeAllocSize(S.Temporaries->getAllocatedType()).getFixedValue());
  S.RT.call(B, "__dvmrt_live", {S.Temporaries, Size});
  S.RT.call(B, "__dvmrt_assign", {S.Temporaries, Size});
  for (ReturnInst *Ret : Returns) {
    IRBuilder<> End(Ret);
    S.RT.call(End, "__dvmrt_assign", {S.Temporaries, Size});
  }
}

// Objects of the stack begin to live without a value, and leave nothing behind: code that we cannot see may use the
// same place next, and hand it to us.
void MemoryLowering::lowerObjects() {
  bool Grows = false;
  for (auto &V : S.Variables) {
    if (!V->Tracked)
      continue;
    if (V->Given) {
      lowerGivenObject(*V);
      continue;
    }
    AllocaInst *Alloca = V->Alloca;
    auto Size = [&](IRBuilder<> &B) -> Value * {
      Value *Bytes = B.getInt64(S.RT.DL.getTypeAllocSize(Alloca->getAllocatedType()).getFixedValue());
      return Alloca->isArrayAllocation() ? B.CreateMul(Bytes, B.CreateZExtOrTrunc(Alloca->getArraySize(), S.RT.I64)) : Bytes;
    };
    auto Call = [&](StringRef Name, Instruction *At) {
      IRBuilder<> B(At);
      S.RT.call(B, Name, {Alloca, Size(B)});
    };
    if (!Alloca->isStaticAlloca()) {
      Call("__dvmrt_born", Alloca->getNextNode());
      Grows = true;
      continue;
    }
    if (V->Starts.empty()) {
      Instruction *Entry = S.entryPoint();
      Call("__dvmrt_born", Alloca->comesBefore(Entry) ? Entry : Alloca->getNextNode());
      for (auto &[Cid, K] : S.Constructs)
        if (V->Inner.lookup(K.get()))
          for (CallInst *Iter : K->Iters)
            Call("__dvmrt_born", Iter);
    }
    for (IntrinsicInst *Start : V->Starts)
      Call("__dvmrt_born", Start->getNextNode());
    for (ReturnInst *Ret : Returns)
      Call("__dvmrt_assign", Ret);
  }
  for (ReturnInst *Ret : Returns) {
    if (!Grows)
      break;
    IRBuilder<> B(Ret);
    S.RT.call(B, "__dvmrt_unwound", {B.CreateIntrinsic(Intrinsic::frameaddress, {S.RT.Ptr}, {B.getInt32(0)})});
  }
}

void MemoryLowering::lowerParameters() {
  for (Argument &P : S.F.args())
    if (P.hasByValAttr()) {
      IRBuilder<> B(S.entryPoint());
      S.RT.call(B, "__dvmrt_assign", {&P, B.getInt64(S.RT.DL.getTypeAllocSize(P.getParamByValType()).getFixedValue())});
    }
}

// if (now.callee == &F) now.callee = NULL;   F is not foreign
void MemoryLowering::lowerPrologue() {
  if (S.F.hasLocalLinkage() && !S.F.hasAddressTaken())
    return; // only called from here, by code that knows it
  IRBuilder<> B(S.entryPoint());
  constexpr size_t Callee = offsetof(dvmrt_now, callee);
  Value *Asked = S.RT.loadNow(B, Callee, "", S.RT.Ptr);
  S.RT.storeNow(B, Callee, B.CreateSelect(B.CreateICmpEQ(Asked, &S.F), ConstantPointerNull::get(S.RT.Ptr), Asked));
}

void MemoryLowering::run() {
  for (auto &V : S.Variables)
    V->Closed = V->Given && (isClosed(S, *V) || isUnnoticed(*V, Functions));
  for (MemIntrinsic *I : Copies)
    lowerCopy(I);
  for (CallBase *Call : Calls)
    lowerCall(S, Call);
  for (const Item &T : Stores)
    lowerStore(T);
  lowerObjects();
  if (S.Temporaries)
    lowerTemporaries();
  lowerParameters();
  lowerPrologue();
}

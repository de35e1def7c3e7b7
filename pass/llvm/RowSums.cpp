#include "RowSums.h"
#include "Function.h"
#include "PlainCode.h"
#include "pass/markers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

namespace {
enum Shape { Unknown, Same /* in all turns of the loop */, Moving /* in even steps */ };
enum { StoresMax = 32, DepthMax = 64 };

// A store, and the loop whose turns move it; if none does, the outermost one around it, or null.
struct Row {
  StoreInst *Store;
  const Loop *L;
  bool Moves;
};

class RowFinder {
  const DataLayout &DL;
  CallInst *Enter;
  SmallPtrSet<BasicBlock *, 16> Blocks; // of the construct
  SmallVector<BasicBlock *, 16> Order;
  SmallVector<StoreInst *, 16> Stores;
  LoopInfo LI;

  bool findBlocks(ArrayRef<CallInst *> Leaves);
  bool isHarmless(const CallBase &Call) const;
  bool isScalar(const Value *Root) const;
  bool mayChange(const LoadInst *Load, const Loop &L) const;
  const StoreInst *step(const AllocaInst *A, const Loop &L) const;
  bool countsTurns(const AllocaInst *A, const Loop &L, const LoadInst *Load) const;
  Shape shapeOfLoad(const LoadInst *Load, const Loop &L) const;
  Shape shape(Value *V, const Loop &L, unsigned Depth = 0) const;
  bool find(StoreInst *Store);

public:
  const DominatorTree DT;
  SmallVector<Row, 16> Rows;
  RowFinder(CallInst *Begin, Function &F) : DL(F.getDataLayout()), Enter(Begin), DT(F) { LI.analyze(DT); }
  bool find(ArrayRef<CallInst *> Leaves);
};
} // namespace

Value *dvmir::behindAll(Value *V) {
  for (;;) {
    StringRef Name = markerName(V);
    if (Name != DVMM_ACCESS && Name != DVMM_INDEX && Name != DVMM_PART && Name != DVMM_KEPT)
      return V;
    V = cast<CallInst>(V)->getArgOperand(0);
  }
}

Value *dvmir::rootOf(Value *P) {
  for (;;) {
    Value *Next = behindAll(P);
    if (auto *GEP = dyn_cast<GEPOperator>(Next))
      Next = GEP->getPointerOperand();
    if (Next == P)
      return P;
    P = Next;
  }
}

// while (__dvmm_enter(..)): from there on, up to the marks that it is left with.
bool RowFinder::findBlocks(ArrayRef<CallInst *> Leaves) {
  SmallVector<BasicBlock *, 16> Work;
  for (User *U : Enter->users())
    if (auto *Cmp = dyn_cast<ICmpInst>(U))
      for (User *V : Cmp->users())
        if (auto *Br = dyn_cast<BranchInst>(V); Br && Br->isConditional() && Br->getParent() == Enter->getParent())
          Work.push_back(Br->getSuccessor(Cmp->getPredicate() == CmpInst::ICMP_NE ? 0 : 1));
  SmallPtrSet<const BasicBlock *, 4> Last;
  for (const CallInst *Leave : Leaves)
    Last.insert(Leave->getParent());
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (BB == Enter->getParent() || !Blocks.insert(BB).second)
      continue;
    Order.push_back(BB);
    if (!Last.contains(BB))
      append_range(Work, successors(BB));
  }
  return !Order.empty() && !Leaves.empty();
}

// Marks that tell of what the code beside them does, and functions that write nothing that an array could be.
bool RowFinder::isHarmless(const CallBase &Call) const {
  StringRef Mark = markerName(&Call);
  if (!Mark.empty()) {
    if (Mark != DVMM_DIRECT)
      return StringSwitch<bool>(Mark)
          .Cases(DVMM_ACCESS, DVMM_INDEX, DVMM_ITER, DVMM_ROW, DVMM_LEAVE, DVMM_FIRST, DVMM_LAST, DVMM_MET, DVMM_PART, true)
          .Default(false);
    StringRef Kind = siteLine(markerText(Call.getArgOperand(0)), DVMRT_ANY_KIND);
    return Kind == "w init" || Kind == "r init" || Kind.starts_with("loop");
  }
  if (auto *I = dyn_cast<IntrinsicInst>(&Call))
    return I->isAssumeLikeIntrinsic() || I->doesNotAccessMemory();
  const Function *F = Call.getCalledFunction();
  return isa<CallInst>(Call) && !Call.isInlineAsm() && F && F->isDeclaration() && (F->onlyReadsMemory() || isMathematical(F));
}

// No array can lie there.
bool RowFinder::isScalar(const Value *Root) const {
  if (auto *A = dyn_cast<AllocaInst>(Root))
    return A->isStaticAlloca() && !A->isArrayAllocation() && A->getAllocatedType()->isSingleValueType();
  auto *G = dyn_cast<GlobalVariable>(Root);
  return G && G->getValueType()->isSingleValueType();
}

bool dvmir::isPrivate(const AllocaInst *A) {
  return all_of(A->users(), [&](const User *U) {
    if (auto *Store = dyn_cast<StoreInst>(U))
      return Store->getPointerOperand() == A && Store->getValueOperand() != A;
    auto *Mark = dyn_cast<CallInst>(U);
    auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
    return isa<LoadInst>(U) || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) || (Mark && !markerName(Mark).empty());
  });
}

// The sum or difference with which a variable's next value is made, if it stays a number.
static const BinaryOperator *evenStep(const Value *V) {
  auto *Sum = dyn_cast<BinaryOperator>(V);
  if (!Sum || (Sum->getOpcode() != Instruction::Add && Sum->getOpcode() != Instruction::Sub) ||
      (Sum->getType()->getIntegerBitWidth() < 64 && !Sum->hasNoSignedWrap()))
    return nullptr;
  return Sum;
}

// DO: the head has the value, the body stores it first of all, the latch adds to what it loads.
const PHINode *dvmir::turnOf(const AllocaInst *A, const Loop &L, const DominatorTree &DT, const BinaryOperator **Step) {
  const StoreInst *Given = nullptr;
  for (const User *U : A->users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && L.contains(Store)) {
      if (Given)
        return nullptr;
      Given = Store;
    }
  auto *Phi = Given && Given->isSimple() ? dyn_cast<PHINode>(Given->getValueOperand()) : nullptr;
  if (!Phi || Phi->getParent() != L.getHeader() || !L.getLoopPredecessor() || !L.getLoopLatch() ||
      Phi->getType() != A->getAllocatedType() || !isPrivate(A))
    return nullptr;
  const BinaryOperator *Sum = evenStep(Phi->getIncomingValueForBlock(L.getLoopLatch()));
  auto *Load = Sum ? dyn_cast<LoadInst>(behindAll(Sum->getOperand(0))) : nullptr;
  if (!Sum ||
      (Sum->getOperand(0) != Phi && !(Load && behindAll(const_cast<Value *>(Load->getPointerOperand())) == A && DT.dominates(Given, Load))))
    return nullptr;
  *Step = Sum;
  return Phi;
}

// What is loaded does not lie where a store of the loop puts something: of another variable, or of another type.
bool RowFinder::mayChange(const LoadInst *Load, const Loop &L) const {
  Value *Root = rootOf(const_cast<Value *>(Load->getPointerOperand()));
  auto *Local = dyn_cast<AllocaInst>(Root);
  const bool Private = Local && isPrivate(Local);
  return any_of(Stores, [&](StoreInst *Store) {
    Value *To = rootOf(Store->getPointerOperand());
    if (!L.contains(Store) || To == Root)
      return L.contains(Store);
    if (Private || isa<AllocaInst, GlobalVariable>(To))
      return false;
    Type *T = Store->getValueOperand()->getType();
    return T == Load->getType() || T->isIntegerTy(8);
  });
}

// The only store to the variable in the loop: in its latch, one even step.
const StoreInst *RowFinder::step(const AllocaInst *A, const Loop &L) const {
  const StoreInst *Next = nullptr;
  for (const StoreInst *Store : Stores)
    if (L.contains(Store) && rootOf(const_cast<Value *>(Store->getPointerOperand())) == A) {
      if (Next)
        return nullptr;
      Next = Store;
    }
  const BinaryOperator *Sum = Next && Next->getParent() == L.getLoopLatch() ? evenStep(Next->getValueOperand()) : nullptr;
  if (!Sum)
    return nullptr;
  auto *Load = dyn_cast<LoadInst>(behindAll(Sum->getOperand(0)));
  if (!Load || behindAll(Load->getPointerOperand()) != A || shape(Sum->getOperand(1), L) != Same)
    return nullptr;
  return Next;
}

bool RowFinder::countsTurns(const AllocaInst *A, const Loop &L, const LoadInst *Load) const {
  const BinaryOperator *Step;
  const PHINode *Phi = turnOf(A, L, DT, &Step);
  if (!Phi || shape(Step->getOperand(1), L) != Same)
    return false;
  return any_of(Phi->users(), [&](const User *U) { // the one that gives it to the variable
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && Store->getPointerOperand() == A && L.contains(Store) && DT.dominates(Store, Load);
  });
}

// From a variable with a name, so that it can be loaded when there is no turn.
Shape RowFinder::shapeOfLoad(const LoadInst *Load, const Loop &L) const {
  APInt Offset(64, 0);
  Value *P = behindAll(const_cast<Value *>(Load->getPointerOperand()));
  Value *Base = behindAll(P->stripAndAccumulateConstantOffsets(DL, Offset, false));
  if (!Load->isSimple() || !isa<AllocaInst, GlobalVariable>(Base) ||
      (isa<GlobalVariable>(Base) && cast<GlobalVariable>(Base)->isThreadLocal()))
    return Unknown;
  if (!mayChange(Load, L))
    return Same;
  auto *A = dyn_cast<AllocaInst>(P);
  if (!A || A->getAllocatedType() != Load->getType() || !isPrivate(A))
    return Unknown;
  return countsTurns(A, L, Load) || (Load->getParent() != L.getLoopLatch() && step(A, L)) ? Moving : Unknown;
}

Shape RowFinder::shape(Value *V, const Loop &L, unsigned Depth) const {
  V = behindAll(V);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return Same;
  if (Depth > DepthMax)
    return Unknown;
  auto Of = [&](unsigned N) { return shape(I->getOperand(N), L, Depth + 1); };
  if (auto *Load = dyn_cast<LoadInst>(I))
    return Load->getType()->isIntOrPtrTy() ? shapeOfLoad(Load, L) : Unknown;
  if (isa<SExtInst>(I))
    return Of(0);
  if (isa<ZExtInst>(I)) // what counts up or down stays what it is as a number without sign
    return Of(0) == Moving && !isa<LoadInst>(behindAll(I->getOperand(0))) ? Unknown : Of(0);
  if (isa<GetElementPtrInst>(I)) {
    Shape All = Same;
    for (unsigned N = 0; N < I->getNumOperands() && All != Unknown; ++N)
      if (Shape One = Of(N); One != Same)
        All = One;
    return All;
  }
  const unsigned Op = I->getOpcode();
  if (Op != Instruction::Add && Op != Instruction::Sub && Op != Instruction::Mul)
    return Unknown;
  Shape X = Of(0), Y = Of(1);
  if (X == Unknown || Y == Unknown || (X == Moving && Y == Moving && Op == Instruction::Mul))
    return Unknown;
  if (X == Same && Y == Same)
    return Same;
  return I->getType()->getIntegerBitWidth() < 64 && !I->hasNoSignedWrap() ? Unknown : Moving;
}

bool dvmir::isCounted(const Loop &L) {
  BasicBlock *Exit = L.getExitBlock();
  return L.getLoopPredecessor() && L.getLoopLatch() && L.getLoopLatch() != L.getHeader() && Exit &&
         Exit->getSinglePredecessor() == L.getHeader() && L.getExitingBlock() == L.getHeader();
}

bool RowFinder::find(StoreInst *Store) {
  const Loop *Around = nullptr;
  for (const Loop *L = LI.getLoopFor(Store->getParent()); L && Blocks.contains(L->getHeader()); L = L->getParentLoop()) {
    if (!isCounted(*L) || Store->getParent() == L->getHeader())
      return false;
    switch (shape(Store->getPointerOperand(), *L)) {
    case Unknown: return false;
    case Moving: Rows.push_back({Store, L, true}); return true;
    case Same: Around = L;
    }
  }
  Rows.push_back({Store, Around, false});
  return true;
}

bool RowFinder::find(ArrayRef<CallInst *> Leaves) {
  if (!findBlocks(Leaves))
    return false;
  for (BasicBlock *BB : Order)
    for (Instruction &I : *BB) {
      if (auto *Store = dyn_cast<StoreInst>(&I))
        Stores.push_back(Store);
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call ? !isHarmless(*Call) : I.mayWriteToMemory() && !(isa<StoreInst>(I) && cast<StoreInst>(I).isSimple()))
        return false;
    }
  for (StoreInst *Store : Stores)
    if (!isScalar(rootOf(Store->getPointerOperand())) && (Rows.size() == StoresMax || !find(Store)))
      return false;
  return !Rows.empty();
}

// The address, computed at 'At': a place where the loop is not executed, with its variables as they are there.  What a variable of Fortran would be
// given there it has before the loop not yet, and behind it not at once.
static Value *copyAt(Value *V, const Loop &L, const DominatorTree &DT, Instruction *At) {
  V = behindAll(V);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return V;
  auto *Load = dyn_cast<LoadInst>(I);
  auto *A = Load ? dyn_cast<AllocaInst>(behindAll(Load->getPointerOperand())) : nullptr;
  const BinaryOperator *Step;
  if (const PHINode *Phi = A ? turnOf(A, L, DT, &Step) : nullptr)
    return At->getParent() == L.getLoopPredecessor() ? Phi->getIncomingValueForBlock(At->getParent()) : const_cast<PHINode *>(Phi);
  Instruction *New = I->clone();
  for (Use &U : New->operands())
    U.set(copyAt(U, L, DT, At));
  New->dropUnknownNonDebugMetadata();
  New->dropPoisonGeneratingFlags();
  New->insertBefore(At);
  return New;
}

bool dvmir::tellRows(CallInst *Enter, ArrayRef<CallInst *> Leaves, RowSlot Slot, RowTell Tell) {
  Function &F = *Enter->getFunction();
  RowFinder Found(Enter, F);
  if (!Found.find(Leaves))
    return false;
  for (const Row &R : Found.Rows) {
    Value *P = R.Store->getPointerOperand();
    Value *Bytes = ConstantInt::get(Type::getInt64Ty(F.getContext()),
                                    F.getDataLayout().getTypeStoreSize(R.Store->getValueOperand()->getType()).getFixedValue());
    IRBuilder<> B(R.L ? &*R.L->getExitBlock()->getFirstInsertionPt() : R.Store->getNextNode());
    B.SetCurrentDebugLocation(R.Store->getDebugLoc());
    Value *Behind = R.L ? copyAt(P, *R.L, Found.DT, &*B.GetInsertPoint()) : behindAll(P);
    if (!R.Moves) {
      Tell(B, Behind, B.CreateGEP(B.getInt8Ty(), Behind, Bytes), Bytes);
      continue;
    }
    Instruction *Before = R.L->getLoopPredecessor()->getTerminator();
    AllocaInst *First = Slot(B.getPtrTy(), "dvm.row_first");
    new StoreInst(copyAt(P, *R.L, Found.DT, Before), First, Before);
    Tell(B, B.CreateLoad(B.getPtrTy(), First), Behind, Bytes);
  }
  return true;
}

Function *dvmir::rowFunction(Module &M, StringRef Name, function_ref<Value *(IRBuilder<> &B)> Wanted) {
  static const char Inline[] = "dvm.row";
  if (Function *F = M.getFunction(Inline))
    return F;
  LLVMContext &C = M.getContext();
  auto *Ptr = PointerType::getUnqual(C);
  auto *T = FunctionType::get(Type::getVoidTy(C), {Ptr, Ptr, Type::getInt64Ty(C)}, false);
  auto *Told = cast<Function>(M.getOrInsertFunction(Name, T).getCallee());
  Told->setDoesNotThrow();
  Told->addFnAttr(Attribute::WillReturn);
  Told->setMemoryEffects(MemoryEffects::readOnly() | MemoryEffects::inaccessibleMemOnly());
  Function *F = Function::createWithDefaultAttr(T, GlobalValue::InternalLinkage, 0, Inline, &M);
  F->addFnAttr(Attribute::AlwaysInline);
  F->setDoesNotThrow();
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  BasicBlock *Call = BasicBlock::Create(C, "", F), *End = BasicBlock::Create(C, "", F);
  B.CreateCondBr(Wanted(B), Call, End);
  B.SetInsertPoint(Call);
  B.CreateCall(Told, {F->getArg(0), F->getArg(1), F->getArg(2)});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

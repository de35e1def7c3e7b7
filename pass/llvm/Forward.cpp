#include "Forward.h"
#include "Function.h"
#include "RowSums.h"
#include "Splits.h"
#include "pass/markers.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace dvmir;

static bool isReadOf(const User *U, Type *T) {
  auto *Load = dyn_cast<LoadInst>(U);
  return Load && Load->isSimple() && Load->getType() == T;
}

// 'private(im)'
static bool isPrivateIn(CallInst *Enter, const Value *V) {
  const auto Args = markerArguments(Enter);
  const auto Text = DirectiveText::parse(markerText(markerTextArgument(Enter)));
  for (auto [N, Arg] : enumerate(Args))
    if (Arg == V && (N >= Text.Args.size() || Text.Args[N].Line != DVMRT_DIRECTIVE_PRIVATE))
      return false;
  return true;
}

static bool isMark(User *U, AllocaInst *A) {
  auto *Call = dyn_cast<CallInst>(U);
  if (!Call)
    return false;
  if (Call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(Call))
    return true;
  StringRef Name = markerName(Call);
  if (Name == DVMM_ENTER)
    return isPrivateIn(Call, A);
  return Name == DVMM_ACCESS && all_of(Call->users(), [&](User *By) { return isReadOf(By, A->getAllocatedType()); });
}

StoreInst *dvmir::onlyStore(AllocaInst *A) {
  Type *T = A->getAllocatedType();
  if (!A->isStaticAlloca() || !(T->isIntegerTy() || T->isPointerTy()))
    return nullptr;
  StoreInst *Only = nullptr;
  for (User *U : A->users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (Store && !Only && Store->getPointerOperand() == A && Store->isSimple() && Store->getValueOperand()->getType() == T)
      Only = Store;
    else if (Store || !(isReadOf(U, T) || isMark(U, A)))
      return nullptr;
  }
  return Only;
}

static void readsOf(AllocaInst *A, SmallVectorImpl<LoadInst *> &Reads, SmallVectorImpl<CallInst *> &Marks) {
  for (User *U : A->users()) {
    if (auto *Load = dyn_cast<LoadInst>(U))
      Reads.push_back(Load);
    if (markerName(U) != DVMM_ACCESS)
      continue;
    Marks.push_back(cast<CallInst>(U));
    for (User *By : U->users())
      Reads.push_back(cast<LoadInst>(By));
  }
}

static bool isTold(const User *U) {
  auto *I = cast<Instruction>(U);
  return I->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I);
}

// Nobody reads it any longer: a variable whose address it held would be taken for one that others reach.
static void forgetPointer(AllocaInst *A, StoreInst &Store) {
  if (!isa<AllocaInst>(rootOf(Store.getValueOperand())) || !all_of(A->users(), [&](const User *U) { return U == &Store || isTold(U); }))
    return;
  DIBuilder DIB(*A->getModule(), /*AllowUnresolved=*/false);
  for (DbgDeclareInst *Declared : findDbgDeclares(A))
    ConvertDebugDeclareToDebugValue(Declared, &Store, DIB);
  for (DbgVariableRecord *Declared : findDVRDeclares(A))
    ConvertDebugDeclareToDebugValue(Declared, &Store, DIB);
  Store.eraseFromParent();
}

static void forward(AllocaInst *A, StoreInst &Store, const DominatorTree &DT) {
  SmallVector<LoadInst *, 8> Reads;
  SmallVector<CallInst *, 8> Marks;
  readsOf(A, Reads, Marks);
  if (!all_of(Reads, [&](LoadInst *L) { return DT.dominates(&Store, L); }))
    return;
  for (LoadInst *L : Reads) {
    L->replaceAllUsesWith(Store.getValueOperand());
    L->eraseFromParent();
  }
  for (CallInst *Mark : Marks)
    Mark->eraseFromParent();
  forgetPointer(A, Store);
}

// ---- Tables ----------------------------------------------------------------------------------------------------------------------

namespace {
// 'const int dx[4] = {..};': an array that is copied from a constant, and else only read.
struct ConstantTable {
  MemTransferInst *Copy = nullptr;
  SmallVector<Use *, 8> Reads; // that lead to a read, of its address

  bool isRead(const User *U) const;
  bool find(AllocaInst *A);
};
} // namespace

bool ConstantTable::isRead(const User *U) const {
  auto *I = cast<Instruction>(U);
  auto *Load = dyn_cast<LoadInst>(I);
  const bool Leads = isa<GetElementPtrInst>(I) || (markerName(I) == DVMM_ACCESS && !AccessText::parse(markerText(I->getOperand(2))).Writes);
  return Load ? Load->isSimple() : Leads && all_of(I->users(), [&](const User *By) { return isRead(By); });
}

bool ConstantTable::find(AllocaInst *A) {
  const DataLayout &DL = A->getDataLayout();
  for (Use &U : A->uses()) {
    auto *I = cast<Instruction>(U.getUser());
    auto *Transfer = dyn_cast<MemTransferInst>(I);
    if (Transfer && !Copy && U.getOperandNo() == 0 && !Transfer->isVolatile())
      Copy = Transfer;
    else if (!Transfer && isRead(I))
      Reads.push_back(&U);
    else if (!isTold(I))
      return false;
  }
  auto *From = Copy ? dyn_cast<GlobalVariable>(Copy->getRawSource()) : nullptr;
  auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
  return From && Length && From->isConstant() && From->hasDefinitiveInitializer() && From->getValueType() == A->getAllocatedType() &&
         Length->getZExtValue() == DL.getTypeAllocSize(A->getAllocatedType());
}

static void forwardTable(AllocaInst *A, const DominatorTree &DT) {
  ConstantTable T;
  if (!A->getAllocatedType()->isArrayTy() || !A->isStaticAlloca() || !T.find(A) ||
      !all_of(T.Reads, [&](Use *U) { return DT.dominates(T.Copy, cast<Instruction>(U->getUser())); }))
    return;
  for (Use *U : T.Reads)
    U->set(T.Copy->getRawSource());
}

// ---- All -------------------------------------------------------------------------------------------------------------------------

void dvmir::forwardLocals(Function &F, const DominatorTree &DT, const SmallPtrSetImpl<const Value *> &Results) {
  SmallVector<AllocaInst *, 16> Locals;
  if (F.callsFunctionThatReturnsTwice())
    return;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Locals.push_back(A);
  for (AllocaInst *A : Locals)
    forwardTable(A, DT);
  for (AllocaInst *A : Locals)
    if (StoreInst *Store = onlyStore(A); Store && !copiedValue(Store) && !Results.contains(rootOf(Store->getValueOperand())))
      forward(A, *Store, DT);
}

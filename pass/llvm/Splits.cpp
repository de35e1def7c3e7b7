// In C:
//
//   struct v p = {a, b}, q = p;  c[i] = q;          double p_x = a, p_y = b, q_x = p_x, q_y = p_y;  c[i].x = q_x;  c[i].y = q_y;
//
// so that nests with such variables are judged as if they had been written with scalars.  LLVM's own pass for that comes too late: what is a
// member for it was the address of a mark before.
#include "Splits.h"
#include "Function.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace dvmir;

static constexpr size_t MostMembers = 16;
static constexpr char CopiedMark[] = "dvm.copied";

namespace {
struct Member {
  uint64_t Offset, Size;
  Type *T;
  AllocaInst *Own = nullptr;
};

class Split {
  const DataLayout &DL;
  AllocaInst *Whole;
  SmallVector<Member, MostMembers> Members;
  SmallVector<IntrinsicInst *, 2> Starts;
  SmallVector<Instruction *, 16> Gone;
  using Pointers = SmallVector<Value *, MostMembers>;

  bool findMembers(Type *T, uint64_t Offset);
  bool covers(uint64_t Offset, uint64_t Size) const;
  uint64_t sizeOf(Type *T) const { return DL.getTypeStoreSize(T).getFixedValue(); }

  static uint64_t length(MemIntrinsic *I);
  bool isFine(const Use &U, uint64_t Offset);
  bool areFine(Value *P, uint64_t Offset);
  template <typename Each> void within(uint64_t Offset, uint64_t Size, Each Do);
  void rewrite(Value *P, uint64_t Offset, const Pointers &To);
  void rewrite(Use &U, uint64_t Offset, const Pointers &To);
  void mark(CallInst *Mark, uint64_t Offset, const Pointers &To);
  template <typename Each> std::pair<Value *, Align> place(Type *T, uint64_t Offset, const Pointers &To, Each Move);
  void load(LoadInst *I, uint64_t Offset, const Pointers &To);
  void store(StoreInst *I, uint64_t Offset, const Pointers &To);
  void copy(MemTransferInst *I, bool From, uint64_t Offset, const Pointers &To);
  void fill(MemSetInst *I, uint64_t Offset, const Pointers &To);
  void live(IntrinsicInst *I);
  void tellDebugger();

public:
  Split(AllocaInst *A) : DL(A->getFunction()->getDataLayout()), Whole(A) {}
  bool plan(const DominatorTree &DT, ArrayRef<CallInst *> Iters);
  void carryOut();
};
} // namespace

// ---- May it be split? ------------------------------------------------------------------------------------------------------------

bool Split::findMembers(Type *T, uint64_t Offset) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *At = DL.getStructLayout(Struct);
    return all_of(seq<unsigned>(0, Struct->getNumElements()),
                  [&](unsigned N) { return findMembers(Struct->getElementType(N), Offset + At->getElementOffset(N).getFixedValue()); });
  }
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    const uint64_t Size = DL.getTypeAllocSize(Array->getElementType()).getFixedValue();
    return Array->getNumElements() <= MostMembers && all_of(seq<uint64_t>(0, Array->getNumElements()), [&](uint64_t N) {
             return findMembers(Array->getElementType(), Offset + N * Size);
           });
  }
  if (Members.size() == MostMembers || !(T->isIntegerTy() || T->isFloatingPointTy() || T->isPointerTy()))
    return false;
  Members.push_back({Offset, sizeOf(T), T});
  return true;
}

// Are these bytes some of the members, and what lies between them?
bool Split::covers(uint64_t Offset, uint64_t Size) const {
  bool Any = false;
  for (const Member &M : Members) {
    if (M.Offset + M.Size <= Offset || M.Offset >= Offset + Size)
      continue;
    if (M.Offset < Offset || M.Offset + M.Size > Offset + Size)
      return false;
    Any = true;
  }
  return Any;
}

uint64_t Split::length(MemIntrinsic *I) {
  auto *N = dyn_cast<ConstantInt>(I->getLength());
  return N && !I->isVolatile() ? N->getZExtValue() : 0;
}

bool Split::isFine(const Use &U, uint64_t Offset) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
    APInt Way(DL.getIndexSizeInBits(0), 0);
    return GEP->accumulateConstantOffset(DL, Way) && areFine(I, Offset + Way.getZExtValue());
  }
  if (auto *Load = dyn_cast<LoadInst>(I))
    return Load->isSimple() && covers(Offset, sizeOf(Load->getType()));
  if (auto *Store = dyn_cast<StoreInst>(I))
    return Store->isSimple() && U.getOperandNo() == StoreInst::getPointerOperandIndex() &&
           covers(Offset, sizeOf(Store->getValueOperand()->getType()));
  if (markerName(I) == DVMM_ACCESS && U.getOperandNo() == 0)
    return covers(Offset, AccessText::parse(markerText(cast<CallInst>(I)->getArgOperand(2))).Size) && areFine(I, Offset);
  if (auto *Copy = dyn_cast<MemTransferInst>(I))
    return covers(Offset, length(Copy)) && rootOf(Copy->getRawSource()) != rootOf(Copy->getRawDest());
  if (auto *Fill = dyn_cast<MemSetInst>(I)) {
    auto *With = dyn_cast<ConstantInt>(Fill->getValue());
    return With && With->isZero() && covers(Offset, length(Fill));
  }
  auto *Life = dyn_cast<IntrinsicInst>(I);
  if (!Life || !Life->isLifetimeStartOrEnd())
    return false;
  if (Life->getIntrinsicID() == Intrinsic::lifetime_start)
    Starts.push_back(Life);
  return true;
}

bool Split::areFine(Value *P, uint64_t Offset) {
  return all_of(P->uses(), [&](const Use &U) { return isFine(U, Offset); });
}

// It begins to live in each iteration, so that no other one sees it: copies need not be judged.
bool Split::plan(const DominatorTree &DT, ArrayRef<CallInst *> Iters) {
  Type *T = Whole->getAllocatedType();
  if (!(T->isStructTy() || T->isArrayTy()) || Whole->isArrayAllocation() || !findMembers(T, 0) || Members.empty() || !areFine(Whole, 0))
    return false;
  return Iters.empty() || (!Starts.empty() && all_of(Starts, [&](IntrinsicInst *Start) {
           return any_of(Iters, [&](CallInst *Iter) { return DT.dominates(Iter, Start); });
         }));
}

// ---- Members -----------------------------------------------------------------------------------------------------------------------

template <typename Each> void Split::within(uint64_t Offset, uint64_t Size, Each Do) {
  for (unsigned N = 0; N < Members.size(); ++N)
    if (Members[N].Offset >= Offset && Members[N].Offset + Members[N].Size <= Offset + Size)
      Do(N, Members[N].Offset - Offset);
}

// The place of a value: that of its member, or, of several, one where they meet for a moment, for each of which 'Move' copies between the two.
template <typename Each> std::pair<Value *, Align> Split::place(Type *T, uint64_t Offset, const Pointers &To, Each Move) {
  AllocaInst *Meeting = nullptr;
  std::pair<Value *, Align> Own{nullptr, Align()};
  within(Offset, sizeOf(T), [&](unsigned N, uint64_t At) {
    if (!At && Members[N].Size == sizeOf(T)) {
      Own = {To[N], Members[N].Own->getAlign()};
      return;
    }
    if (!Meeting)
      Meeting = new AllocaInst(T, Whole->getAddressSpace(), nullptr, DL.getPrefTypeAlign(T), "dvm.through", Whole->getIterator());
    Move(N, Meeting, At);
  });
  return Meeting ? std::pair<Value *, Align>{Meeting, Meeting->getAlign()} : Own;
}

void Split::load(LoadInst *I, uint64_t Offset, const Pointers &To) {
  IRBuilder<> B(I);
  auto [P, Aligned] = place(I->getType(), Offset, To, [&](unsigned N, Value *Meeting, uint64_t At) {
    B.CreateStore(B.CreateLoad(Members[N].T, To[N]), B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Meeting, At));
  });
  I->setOperand(LoadInst::getPointerOperandIndex(), P);
  I->setAlignment(Aligned);
}

void Split::store(StoreInst *I, uint64_t Offset, const Pointers &To) {
  IRBuilder<> B(I->getNextNode());
  B.SetCurrentDebugLocation(I->getDebugLoc());
  auto [P, Aligned] = place(I->getValueOperand()->getType(), Offset, To, [&](unsigned N, Value *Meeting, uint64_t At) {
    B.CreateStore(B.CreateLoad(Members[N].T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Meeting, At)), To[N]);
  });
  I->setOperand(StoreInst::getPointerOperandIndex(), P);
  I->setAlignment(Aligned);
}

void Split::copy(MemTransferInst *I, bool From, uint64_t Offset, const Pointers &To) {
  IRBuilder<> B(I);
  Value *Other = From ? I->getRawDest() : I->getRawSource();
  const Align Aligned = (From ? I->getDestAlign() : I->getSourceAlign()).valueOrOne();
  auto *G = dyn_cast<GlobalVariable>(Other->stripInBoundsConstantOffsets());
  within(Offset, length(I), [&](unsigned N, uint64_t At) {
    Value *Beside = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Other, At);
    const Align There = commonAlignment(Aligned, At);
    StoreInst *Store = From ? B.CreateAlignedStore(B.CreateLoad(Members[N].T, To[N]), Beside, There)
                            : B.CreateStore(B.CreateAlignedLoad(Members[N].T, Beside, There), To[N]);
    if (!G || !G->isConstant())
      Store->setMetadata(CopiedMark, MDNode::get(B.getContext(), {}));
  });
  Gone.push_back(I);
}

void Split::fill(MemSetInst *I, uint64_t Offset, const Pointers &To) {
  IRBuilder<> B(I);
  within(Offset, length(I), [&](unsigned N, uint64_t) { B.CreateStore(Constant::getNullValue(Members[N].T), To[N]); });
  Gone.push_back(I);
}

// Of a struct as a whole nothing is said: it is only copied.
void Split::mark(CallInst *Mark, uint64_t Offset, const Pointers &To) {
  const AccessText Text = AccessText::parse(markerText(Mark->getArgOperand(2)));
  Pointers Marked(To);
  if (!Text.Whole)
    within(Offset, Text.Size, [&](unsigned N, uint64_t) {
      auto *Own = cast<CallInst>(Mark->clone());
      Own->setArgOperand(0, To[N]);
      Own->insertBefore(Mark);
      Marked[N] = Own;
    });
  rewrite(static_cast<Value *>(Mark), Offset, Marked);
  Gone.push_back(Mark);
}

void Split::live(IntrinsicInst *I) {
  for (const Member &M : Members) {
    auto *Own = cast<IntrinsicInst>(I->clone());
    Own->setArgOperand(0, ConstantInt::get(I->getArgOperand(0)->getType(), DL.getTypeAllocSize(M.T).getFixedValue()));
    Own->setArgOperand(1, M.Own);
    Own->insertBefore(I);
  }
  Gone.push_back(I);
}

void Split::rewrite(Use &U, uint64_t Offset, const Pointers &To) {
  auto *I = cast<Instruction>(U.getUser());
  if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
    APInt Way(DL.getIndexSizeInBits(0), 0);
    GEP->accumulateConstantOffset(DL, Way);
    rewrite(static_cast<Value *>(I), Offset + Way.getZExtValue(), To);
    Gone.push_back(I);
  } else if (auto *Load = dyn_cast<LoadInst>(I)) {
    load(Load, Offset, To);
  } else if (auto *Store = dyn_cast<StoreInst>(I)) {
    store(Store, Offset, To);
  } else if (auto *Copy = dyn_cast<MemTransferInst>(I)) {
    copy(Copy, U.getOperandNo() == 1, Offset, To);
  } else if (auto *Fill = dyn_cast<MemSetInst>(I)) {
    fill(Fill, Offset, To);
  } else if (markerName(I) == DVMM_ACCESS) {
    mark(cast<CallInst>(I), Offset, To);
  } else {
    live(cast<IntrinsicInst>(I));
  }
}

void Split::rewrite(Value *P, uint64_t Offset, const Pointers &To) {
  for (Use &U : make_early_inc_range(P->uses()))
    rewrite(U, Offset, To);
}

// Each member is a part of what the debugger knows by one name.
void Split::tellDebugger() {
  DIBuilder DIB(*Whole->getModule(), /*AllowUnresolved=*/false);
  const uint64_t All = DL.getTypeAllocSize(Whole->getAllocatedType()).getFixedValue();
  auto Tell = [&](auto *Declared) {
    for (const Member &M : Members) {
      std::optional<DIExpression *> Part = Declared->getExpression();
      if (M.Size != All)
        Part = DIExpression::createFragmentExpression(*Part, unsigned(M.Offset * 8), unsigned(M.Size * 8));
      if (Part)
        DIB.insertDeclare(M.Own, Declared->getVariable(), *Part, Declared->getDebugLoc(), Whole->getNextNonDebugInstruction());
    }
    Declared->eraseFromParent();
  };
  for (DbgDeclareInst *Declared : findDbgDeclares(Whole))
    Tell(Declared);
  for (DbgVariableRecord *Declared : findDVRDeclares(Whole))
    Tell(Declared);
}

void Split::carryOut() {
  Pointers To;
  for (Member &M : Members) {
    M.Own = new AllocaInst(M.T, Whole->getAddressSpace(), nullptr, DL.getABITypeAlign(M.T), Whole->getName(), Whole->getIterator());
    To.push_back(M.Own);
  }
  tellDebugger();
  rewrite(static_cast<Value *>(Whole), 0, To);
  for (Instruction *I : Gone)
    I->eraseFromParent();
  Whole->eraseFromParent();
}

void dvmir::splitVariables(Function &F, bool InLoops) {
  SmallVector<CallInst *, 4> Iters;
  SmallVector<AllocaInst *, 16> Found;
  for (Instruction &I : instructions(F)) {
    if (markerName(&I) == DVMM_ITER)
      Iters.push_back(cast<CallInst>(&I));
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      Found.push_back(A);
  }
  if (F.hasOptNone() || F.callsFunctionThatReturnsTwice() || (Iters.empty() && !InLoops))
    return;
  const DominatorTree DT(F);
  for (AllocaInst *A : Found)
    if (Split Each(A); Each.plan(DT, Iters))
      Each.carryOut();
}

const LoadInst *dvmir::copiedValue(const Instruction *Store) {
  auto *S = dyn_cast<StoreInst>(Store);
  return S && S->hasMetadata(CopiedMark) ? dyn_cast<LoadInst>(S->getValueOperand()) : nullptr;
}

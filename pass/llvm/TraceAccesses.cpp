// Recording: marked accesses, and where what they access lies.
#include "Recorder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace dvmir;

// Whether its address is known elsewhere: by the linker, or because it is stored.
static bool escapes(const Value *V, unsigned Depth = 0) {
  if (const auto *G = dyn_cast<GlobalVariable>(V); G && !G->hasLocalLinkage())
    return !G->isConstant();
  return Depth < 8 && any_of(
                          V->users(),
                          [&](const User *U) {
                            if (const auto *Store = dyn_cast<StoreInst>(U))
                              return Store->getValueOperand() == V;
                            return isa<GlobalVariable>(U) ||
                                   (isa<ConstantExpr, ConstantAggregate, GetElementPtrInst>(U) && escapes(U, Depth + 1));
                          });
}

GlobalVariable *Recorder::givenSite(Value *Pointer, Constant *Text, bool WithBefore, StringRef More) {
  ValueType T = valueTypeOf(markerText(Text));
  if (!T.known())
    return nullptr;
  unsigned Parts = WithBefore && T.words() <= 2 ? 2 : 1;
  Place P = placeOf(Pointer, Text, T, More, Parts);
  return P.Site;
}

GlobalVariable *Recorder::callSite(Constant *Text) { return site(Text, DVMT_SITE_ACCESS, 0); }

Instruction *Recorder::whereRecorded(Instruction *At) { return guarded(At, DVMT_ON_WRITE); }

Recorder::Place Recorder::placeOf(Value *Pointer, Constant *TextConstant, ValueType T, StringRef More, unsigned Values) {
  Value *Root = traceRootOf(Pointer);
  Place P{nullptr, Pointer, Root, 0};
  Constant *Base = nullptr;
  uint64_t Size = 0;
  StringRef Text = markerText(TextConstant);
  bool Distributed = !siteLine(Text, DVMRT_ACCESS_DISTRIBUTED).empty();
  if (auto *Alloca = dyn_cast<AllocaInst>(Root)) {
    if (auto S = Alloca->getAllocationSize(RT.DL))
      Size = S->getFixedValue();
    P.Where = Distributed ? DVMT_WHERE_ADDRESS : 0;
  } else if (auto *G = dyn_cast<GlobalVariable>(Root)) {
    if (G->getValueType()->isSized())
      Size = RT.DL.getTypeAllocSize(G->getValueType()).getFixedValue();
    Base = G->isThreadLocal() ? nullptr : G;
    P.Where = Base ? DVMT_WHERE_ADDRESS | (escapes(G) ? DVMT_WHERE_ESCAPES : 0) : 0;
  } else if (auto *Arg = dyn_cast<Argument>(Root); Arg && (Arg->hasByValAttr() || Arg->hasStructRetAttr())) {
    Type *Passed = Arg->hasByValAttr() ? Arg->getParamByValType() : Arg->getParamStructRetType();
    Size = RT.DL.getTypeAllocSize(Passed).getFixedValue();
  } else {
    P.Where = DVMT_WHERE_ADDRESS | DVMT_WHERE_POINTER;
  }
  P.Site = site(TextConstant, DVMT_SITE_ACCESS, Values * T.words(), T.Bytes, P.Where, Base, Size, 0, More);
  // What optimisation removes must not decide under which name a pointer's access to the variable is known.
  if (Base && Known.insert(Base).second)
    Kept.push_back(P.Site);
  return P;
}

void Recorder::collectMoves(Value *P, Moves &M, unsigned Depth) {
  for (User *U : P->users()) {
    if (auto *L = dyn_cast<LoadInst>(U))
      M.Loads.push_back(L);
    else if (auto *St = dyn_cast<StoreInst>(U); St && St->getPointerOperand() == P)
      M.Stores.push_back(St);
    else if (isa<GetElementPtrInst>(U) && !Depth)
      collectMoves(U, M, 1);
    else
      M.Other = true;
  }
}

// Bytes from the mark to what is moved.
int64_t Recorder::offsetOf(const Instruction *I) const {
  APInt Offset(64, 0);
  getLoadStorePointerOperand(I)->stripAndAccumulateConstantOffsets(RT.DL, Offset, true);
  return Offset.getSExtValue();
}

// The last moved of all parts, in one block, or nothing.
template <typename T> static Instruction *lastOf(ArrayRef<T *> Moved) {
  Instruction *Last = Moved.front();
  for (T *I : Moved) {
    if (I->getParent() != Last->getParent())
      return nullptr;
    if (I != Last && Last->comesBefore(I)) // numbers the block again
      Last = I;
  }
  return Last;
}

void Recorder::lowerAccess(const Access &A) {
  ValueType T = valueTypeOf(markerText(A.TextConstant));
  Moves Moved;
  collectMoves(A.Mark, Moved);
  if (!T.known() || (A.Text.IndexNumber && !A.Text.Writes)) // the iteration says what its index variables are
    return;
  auto ByOffset = [&](const Instruction *X, const Instruction *Y) { return offsetOf(X) < offsetOf(Y); };
  llvm::sort(Moved.Loads, ByOffset);
  llvm::sort(Moved.Stores, ByOffset);
  unsigned Parts = T.Kind == 'c' ? 2 : 1;
  bool Read = A.Text.Reads && Moved.Loads.size() >= Parts, Write = A.Text.Writes && Moved.Stores.size() >= Parts;
  if (!Read && !Write && !(Moved.Other && A.Text.Writes))
    return;
  Place P = placeOf(A.Mark->getArgOperand(0), A.TextConstant, T, Write ? OriginTexts[A.Mark] : "");
  if (Read)
    recordLoads(P, T, ArrayRef(Moved.Loads).take_front(Parts));
  if (Write)
    recordStores(P, T, ArrayRef(Moved.Stores).take_back(Parts));
  else if (Moved.Other && A.Text.Writes)
    recordAtomic(A, P, T);
}

void Recorder::recordLoads(const Place &P, ValueType T, ArrayRef<LoadInst *> Loads) {
  Instruction *Last = lastOf(Loads);
  if (!Last)
    return;
  SmallVector<Value *, 2> Values(Loads.begin(), Loads.end());
  recordValue(Last->getNextNode(), P, DVMT_TAG_READ, T, Values);
}

void Recorder::recordStores(const Place &P, ValueType T, ArrayRef<StoreInst *> Stores) {
  Instruction *Last = lastOf(Stores);
  if (!Last)
    return;
  SmallVector<Value *, 2> Values;
  for (StoreInst *St : Stores)
    Values.push_back(St->getValueOperand());
  recordValue(Last->getNextNode(), P, DVMT_TAG_WRITE, T, Values);
}

// The value behind an atomic update is what a load right after it finds.
void Recorder::recordAtomic(const Access &A, const Place &P, ValueType T) {
  if (T.Bytes > 8 || !isPowerOf2_32(T.Bytes))
    return;
  Instruction *Update = nullptr;
  for (User *U : A.Mark->users())
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(U))
      Update = cast<Instruction>(U);
  if (!Update)
    return;
  IRBuilder<> B(Update->getNextNode());
  LoadInst *L = B.CreateAlignedLoad(B.getIntNTy(T.Bytes * 8), A.Mark->getArgOperand(0), Align(T.Bytes));
  L->setAtomic(AtomicOrdering::Monotonic);
  recordValue(L->getNextNode(), P, DVMT_TAG_WRITE, T, {L});
}

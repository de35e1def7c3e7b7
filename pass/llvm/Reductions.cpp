// The twin of a reduction variable 's' in a nest, in C ('op' is the declared operation):
//
//   enter:       initial = s; sum = neutral; twin = neutral; magnitude = 0; greatest = 0; roundings = 0;
//   iteration:   sum = sum op twin; magnitude += |twin|; twin = neutral;
//   s = f(s):    twin = f(twin);        // values that come from s come from twin; control flow stays the program's
//   operations of f in a loop:   roundings++; greatest = max(greatest, |result|);
//   leave:       (as iteration); __dvmrt_reduction(site, number, &initial, &s, &sum, magnitude + greatest, roundings,
//   .., seen);
//
// ('magnitude' and the rest only where an update does more than add: between two orders of a sum every finite difference is rounding), so an
// iteration that does not store contributes the neutral element, and the value from before enters once. Locations
// of maxloc and minloc have twins that are taken over with the value.  Local variables that hold values computed from
// 's' for a while have twins of the same kind.
//
// A variable of several elements, a member of a struct or what a pointer leads to has no twin: each update contributes
// what it makes of the neutral element ('last' tells updates that were not seen):
//
//   enter:       initial = r; last = r; sum[k] = neutral for all k;
//   r[k] = f(r[k]):   sum[k] = sum[k] op f(neutral); last[k] = r[k]; magnitude[k] += |f(neutral)|; roundings[k] +=
//   operations of f; leave:       __dvmrt_results(site, number, &initial, &r, &sum, &last, ..);
//
// Of a product of complex numbers, whose parts are stored one after the other, the real one waits for the imaginary one:
//   waits[k] = f(neutral);   and after the imaginary part   sum[k-1], sum[k] = product of both pairs; waits = neutral
//
// What cannot be followed at all (a callee that updates 's') is looked at by the runtime between the iterations:
// __dvmrt_step.
#include "Reductions.h"
#include "ReductionGuard.h"
#include "ReductionSlice.h"
#include "Roundings.h"
#include "runtime/abi.h"

using namespace llvm;
using namespace dvmir;

namespace {

// One reduction of one nest.
class Mirror : ReductionSlice {
  FunctionState &S;
  Construct &K;
  Runtime &RT;
  DenseMap<Instruction *, Value *> Clones;
  AllocaInst *LastValues = nullptr, *Waits = nullptr;
  AllocaInst *Initial = nullptr, *Total = nullptr, *Magnitude = nullptr, *LocTotal = nullptr, *LocInitial = nullptr;
  AllocaInst *Tie = nullptr, *Last = nullptr, *Opaque = nullptr, *Roundings = nullptr, *Greatest = nullptr;
  uint64_t EachIteration = 0; // roundings
  bool AnyRounding = false; // explains any finite difference
  SmallPtrSet<StoreInst *, 4> Guarded; // their twins are stored before the branch

public:
  Mirror(FunctionState &S, Construct &K, ArrayRef<ReductionClause> All, const ReductionClause &C)
      : ReductionSlice(S, K, All, C), S(S), K(K), RT(S.RT) {}

  using ReductionSlice::C;
  using ReductionSlice::find;
  void insert() { Many ? insertContributions() : insertTwins(); }

private:
  // ---- Twins ----

  AllocaInst *newSlot(Type *Ty, const Twine &Name) { return S.slot(Ty, "dvm.twin." + Name); }
  bool located() const { return C.Location && Twins.count(C.Location); }
  bool visible() const { // may code outside this function write it?
    auto *A = dyn_cast<AllocaInst>(C.Address);
    Variable *V = A ? S.VariableOf.lookup(A) : nullptr;
    return !V || !V->Words;
  }

  // Each update is what the clause says: the second evaluation would give what the first does.
  bool isAsDeclared() const {
    SmallPtrSet<Instruction *, 16> Used;
    return C.isExtreme() && !C.Location && Twins.size() == 1 &&
           all_of(Stores, [&](StoreInst *St) { return isExtremeOf(St, Depends, C.isGreatest(), C.Kind == 'u', Used); }) &&
           all_of(Depends, [&](Instruction *I) { return Used.contains(I); });
  }

  // The same of sums, but for rounding, which then need not be bounded.
  bool onlyAdds() const {
    SmallPtrSet<Instruction *, 16> Used;
    return C.Op == ReductionClause::Sum && T->isFloatingPointTy() && Twins.size() == 1 &&
           all_of(Stores, [&](StoreInst *St) { return isSumOf(St, Depends, Used); }) &&
           all_of(Depends, [&](Instruction *I) { return Used.contains(I); });
  }

  // The runtime is told of the result alone.
  void tellResult() {
    Initial = newSlot(T, "initial");
    giveValue(C.Address);
    if (K.Begin) {
      IRBuilder<> B(K.Begin);
      S.store(B, B.CreateLoad(T, C.Address), Initial);
    }
    for (CallInst *Mark : K.Leaves)
      callRuntime(Mark);
  }

  void insertTwins() {
    if (isAsDeclared())
      return tellResult();
    for (auto &[Address, Twin] : Twins)
      Twin = newSlot(accessType(Address), Address->getName());
    Initial = newSlot(T, "initial");
    Total = newSlot(T, "total");
    AnyRounding = rounds() && onlyAdds();
    if (rounds() && !AnyRounding) {
      Magnitude = newSlot(Type::getDoubleTy(RT.C), "magnitude");
      Greatest = newSlot(Type::getDoubleTy(RT.C), "greatest");
      Roundings = newSlot(RT.I64, "roundings");
    }
    if (located()) {
      LocInitial = newSlot(accessType(C.Location), "location.initial");
      LocTotal = newSlot(accessType(C.Location), "location");
      Tie = newSlot(RT.I1, "tie");
    }
    if (visible()) {
      Last = newSlot(T, "last");
      Opaque = newSlot(RT.I1, "opaque");
    }
    if (C.isExtreme() && !located())
      followGuards();
    mirrorStores();
    countRoundings();
    giveValue(C.Address);
    if (located())
      giveValue(C.Location);
    atEntry();
    for (CallInst *Mark : K.Iters) {
      IRBuilder<> B(Mark);
      watch(B);
      endIteration(B);
    }
    for (CallInst *Mark : K.Leaves)
      atLeave(Mark);
  }

  // A local that enters the nest without a value: the optimiser may take a different one wherever it is read, and the
  // two evaluations would part without a reason.
  void giveValue(Value *Address) {
    auto *Local = dyn_cast<AllocaInst>(Address);
    if (!Local)
      return;
    SmallVector<Instruction *, 4> Births{Local};
    for (User *U : Local->users())
      if (auto *I = dyn_cast<IntrinsicInst>(U); I && I->getIntrinsicID() == Intrinsic::lifetime_start)
        Births.push_back(I);
    for (Instruction *I : Births) {
      IRBuilder<> B(I->getNextNode());
      S.store(B, Constant::getNullValue(Local->getAllocatedType()), Local);
    }
  }

  void atEntry() {
    if (!K.Begin)
      return;
    IRBuilder<> B(K.Begin);
    Value *V = B.CreateLoad(T, C.Address);
    S.store(B, V, Initial);
    S.store(B, C.neutral(T), Total);
    S.store(B, C.neutral(T), Twins[C.Address]);
    if (Magnitude) {
      S.store(B, ConstantFP::get(B.getDoubleTy(), 0), Magnitude);
      S.store(B, ConstantFP::get(B.getDoubleTy(), 0), Greatest);
      S.store(B, B.getInt64(0), Roundings);
    }
    if (located()) {
      Value *L = B.CreateLoad(accessType(C.Location), C.Location);
      for (AllocaInst *Slot : {LocInitial, LocTotal, Twins[C.Location]})
        S.store(B, L, Slot);
      S.store(B, B.getFalse(), Tie);
    }
    if (Last) {
      S.store(B, V, Last);
      S.store(B, B.getFalse(), Opaque);
    }
  }

  // Has somebody else written the variable since the last store that is mirrored?  Then nothing is known.
  void watch(IRBuilder<> &B) {
    if (!Last)
      return;
    Value *Now = B.CreateLoad(T, C.Address), *Before = S.load(B, Last);
    Value *Same =
        T->isFloatingPointTy() ? B.CreateOr(B.CreateFCmpOEQ(Now, Before), B.CreateFCmpUNO(Now, Before)) : B.CreateICmpEQ(Now, Before);
    S.store(B, B.CreateOr(S.load(B, Opaque), B.CreateNot(Same)), Opaque);
    S.store(B, Now, Last);
  }

  void endIteration(IRBuilder<> &B) {
    AllocaInst *Twin = Twins[C.Address];
    Value *X = S.load(B, Twin), *A = S.load(B, Total);
    if (located()) {
      Value *Better = C.better(B, X, A);
      Value *Same = T->isFloatingPointTy() ? B.CreateFCmpOEQ(X, A) : B.CreateICmpEQ(X, A);
      Same = B.CreateAnd(Same, T->isFloatingPointTy() ? B.CreateFCmpONE(X, C.neutral(T)) : B.CreateICmpNE(X, C.neutral(T)));
      S.store(B, B.CreateSelect(Better, B.getFalse(), B.CreateOr(S.load(B, Tie), Same)), Tie);
      S.store(B, B.CreateSelect(Better, S.load(B, Twins[C.Location]), S.load(B, LocTotal)), LocTotal);
    }
    S.store(B, C.combined(B, A, X), Total);
    if (Magnitude)
      S.store(B, B.CreateFAdd(S.load(B, Magnitude), size(B, X)), Magnitude);
    S.store(B, C.neutral(T), Twin);
  }

  static Value *size(IRBuilder<> &B, Value *X) {
    return B.CreateUnaryIntrinsic(Intrinsic::fabs, X->getType()->isDoubleTy() ? X : B.CreateFPCast(X, B.getDoubleTy()));
  }

  bool rounds() const { return T->isFloatingPointTy() && (C.Op == ReductionClause::Sum || C.Op == ReductionClause::Product); }

  // Operations on the way from the variable back to it.  Those of an iteration itself are as many as the iterations,
  // and one alone adds to what the partial values are.
  void countRoundings() {
    SmallVector<std::pair<Instruction *, uint64_t>, 4> Once, Often;
    for (Instruction *I : Depends)
      if (uint64_t Count = Roundings && inNest(I) ? roundingsOf(*I, T) : 0)
        (repeats(I) ? Often : Once).push_back({I, Count});
    for (auto [I, Count] : Once)
      EachIteration += Count;
    for (auto [I, Count] : Often) {
      IRBuilder<> B(I->getNextNode());
      S.store(B, B.CreateAdd(S.load(B, Roundings), B.getInt64(Count)), Roundings);
    }
    if (Once.size() == 1)
      Once.clear();
    Once.append(Often);
    for (auto [I, Count] : Once) {
      IRBuilder<> B(I->getNextNode());
      Value *X = size(B, I), *Most = S.load(B, Greatest);
      S.store(B, B.CreateSelect(B.CreateFCmpOGT(X, Most), X, Most), Greatest);
    }
  }

  // May one iteration execute it more than once?
  bool repeats(Instruction *I) const {
    SmallPtrSet<BasicBlock *, 4> Starts;
    for (CallInst *Mark : K.Iters)
      Starts.insert(Mark->getParent());
    SmallVector<BasicBlock *, 8> Work{I->getParent()};
    SmallPtrSet<BasicBlock *, 8> Seen;
    while (!Work.empty())
      for (BasicBlock *Next : successors(Work.pop_back_val()))
        if (K.holds(Next) && !Starts.contains(Next) && Seen.insert(Next).second)
          Work.push_back(Next);
    return Seen.contains(I->getParent());
  }

  Value *spilled(IRBuilder<> &B, Value *V) { // a copy in memory, so that the twin itself stays a register
    AllocaInst *A = newSlot(V->getType(), "out");
    B.CreateStore(V, A);
    return A;
  }

  void atLeave(CallInst *Mark) {
    IRBuilder<> B(Mark);
    watch(B);
    endIteration(B);
    callRuntime(Mark);
  }

  Value *partial(IRBuilder<> &B) { return Total ? S.load(B, Total) : B.CreateLoad(T, C.Address); }

  void callRuntime(CallInst *Mark) {
    IRBuilder<> B(Mark);
    GlobalVariable *Site = K.Site;
    Value *Null = ConstantPointerNull::get(RT.Ptr);
    Value *Loc = Null, *LocBefore = Null, *LocNow = Null;
    uint64_t LocBytes = 0;
    if (located()) {
      Type *LT = accessType(C.Location);
      LocBytes = RT.DL.getTypeStoreSize(LT);
      Loc = spilled(B, S.load(B, LocTotal));
      LocBefore = spilled(B, S.load(B, LocInitial));
      LocNow = spilled(B, B.CreateLoad(LT, C.Location));
    }
    Value *Skip = Opaque ? B.CreateZExt(S.load(B, Opaque), RT.I32) : B.getInt32(0);
    Value *Tied = Tie ? B.CreateZExt(S.load(B, Tie), RT.I32) : B.getInt32(0);
    Value *Zero = ConstantFP::get(B.getDoubleTy(), 0);
    Value *M = Magnitude     ? B.CreateFAdd(S.load(B, Magnitude), S.load(B, Greatest))
               : AnyRounding ? ConstantFP::getInfinity(B.getDoubleTy())
                             : Zero;
    Value *N = Roundings ? B.CreateUIToFP(S.load(B, Roundings), B.getDoubleTy()) : Zero;
    Value *Replace = RT.call(B, "__dvmrt_reduction",
                             {Site, B.getInt32(C.Number), B.CreateOr(B.CreateOr(Skip, B.CreateShl(Tied, 1)), roundingsAsState(B)),
                              spilled(B, S.load(B, Initial)), spilled(B, B.CreateLoad(T, C.Address)), spilled(B, partial(B)), M, N,
                              LocBefore, LocNow, Loc, B.getInt64(LocBytes)});
    replaceResult(B, B.CreateIsNotNull(Replace));
  }

  Value *roundingsAsState(IRBuilder<> &B) const {
    return B.getInt32(uint32_t(std::min<uint64_t>(EachIteration, DVMRT_ROUNDINGS_MAX)) << DVMRT_ROUNDINGS_SHIFT);
  }

  // reduction=emulate: the program goes on with the value that the iterations' processors would have.
  void replaceResult(IRBuilder<> &B, Value *Replace) {
    Value *Before = S.load(B, Initial), *Partial = partial(B);
    if (located()) {
      Value *Now = B.CreateLoad(accessType(C.Location), C.Location);
      Value *Combined = B.CreateSelect(C.better(B, Partial, Before), S.load(B, LocTotal), S.load(B, LocInitial));
      B.CreateStore(B.CreateSelect(Replace, Combined, Now), C.Location);
    }
    B.CreateStore(B.CreateSelect(Replace, C.combined(B, Before, Partial), B.CreateLoad(T, C.Address)), C.Address);
  }

  // ---- Contributions ----

  static Value *elementOf(IRBuilder<> &B, AllocaInst *Slots, Value *Index) {
    return B.CreateInBoundsGEP(Slots->getAllocatedType(), Slots, {B.getInt64(0), Index});
  }

  void insertContributions() {
    auto *Values = ArrayType::get(T, Count + 1); // one more for updates of something else
    for (auto &[Address, Twin] : Twins)
      Twin = newSlot(accessType(Address), Address->getName());
    Initial = newSlot(Values, "initial");
    Total = newSlot(Values, "total");
    LastValues = newSlot(Values, "last");
    Opaque = newSlot(RT.I1, "opaque");
    if (C.isOfPairs())
      Waits = newSlot(Values, "waits");
    if (rounds())
      Magnitude = newSlot(ArrayType::get(ArrayType::get(Type::getDoubleTy(RT.C), 2), Count + 1), "magnitude");
    SmallVector<std::pair<StoreInst *, Value *>, 8> New;
    for (StoreInst *St : Stores)
      New.push_back({St, twinOf(St->getValueOperand())});
    for (auto [St, V] : New) {
      if (isVariable(St->getPointerOperand())) {
        contribute(St, V);
      } else {
        IRBuilder<> B(St->getNextNode());
        S.store(B, V, Twins[root(St->getPointerOperand())]);
      }
    }
    if (K.Begin)
      contributionsBegin();
    for (CallInst *Mark : K.Leaves)
      contributionsEnd(Mark);
  }

  void contribute(StoreInst *St, Value *V) {
    uint64_t Size = RT.DL.getTypeAllocSize(T);
    IRBuilder<> Before(St);
    Value *P = St->getPointerOperand();
    Value *Offset = Before.CreateSub(Before.CreatePtrToInt(P, RT.I64), Before.CreatePtrToInt(C.Address, RT.I64));
    Value *Mine = Before.CreateICmpULT(Offset, Before.getInt64(Count * Size));
    Value *Index = Before.CreateSelect(Mine, Before.CreateUDiv(Offset, Before.getInt64(Size)), Before.getInt64(Count));
    Value *Now = Before.CreateLoad(T, P), *Known = Before.CreateLoad(T, elementOf(Before, LastValues, Index));
    Value *Other = T->isFloatingPointTy() ? Before.CreateFCmpONE(Now, Known) : Before.CreateICmpNE(Now, Known);
    S.store(Before, Before.CreateOr(S.load(Before, Opaque), Before.CreateAnd(Mine, Other)), Opaque);
    IRBuilder<> B(St->getNextNode());
    B.CreateStore(St->getValueOperand(), elementOf(B, LastValues, Index));
    if (Waits) {
      B.CreateStore(V, elementOf(B, Waits, Index));
      if (partOf(P) == 1)
        multiplyPairs(B, B.CreateSelect(Mine, B.CreateSub(Index, B.getInt64(1)), Index), Index);
    } else {
      Value *Sum = elementOf(B, Total, Index);
      B.CreateStore(C.combined(B, B.CreateLoad(T, Sum), V), Sum);
    }
    if (Magnitude)
      addRoundings(B, St->getValueOperand(), V, elementOf(B, Magnitude, Index));
  }

  // (a + bi) * (c + di)
  void multiplyPairs(IRBuilder<> &B, Value *RealIndex, Value *ImaginaryIndex) {
    Value *Re = elementOf(B, Total, RealIndex), *Im = elementOf(B, Total, ImaginaryIndex);
    Value *WaitsRe = elementOf(B, Waits, RealIndex), *WaitsIm = elementOf(B, Waits, ImaginaryIndex);
    Value *X = B.CreateLoad(T, Re), *Y = B.CreateLoad(T, Im), *U = B.CreateLoad(T, WaitsRe), *V = B.CreateLoad(T, WaitsIm);
    B.CreateStore(B.CreateFSub(B.CreateFMul(X, U), B.CreateFMul(Y, V)), Re);
    B.CreateStore(B.CreateFAdd(B.CreateFMul(X, V), B.CreateFMul(Y, U)), Im);
    B.CreateStore(neutralOf(0), WaitsRe);
    B.CreateStore(neutralOf(1), WaitsIm);
  }

  Constant *neutralOf(uint64_t Index) const { return C.isOfPairs() && Index % 2 ? ConstantFP::get(T, 0) : C.neutral(T); }

  // To the two sums at 'Sums': what 'V', which the contribution 'Twin' mirrors, was computed from, and with how many
  // roundings.
  void addRoundings(IRBuilder<> &B, Value *V, Value *Twin, Value *Sums) {
    Value *Sum = size(B, Twin);
    uint64_t Count = 1; // the contribution is added
    SmallVector<Value *, 8> Work{V};
    SmallPtrSet<Value *, 8> Seen{V};
    while (!Work.empty()) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !Depends.contains(I))
        continue;
      uint64_t Mine = roundingsOf(*I, T);
      Count += Mine;
      if (Value *Clone = Clones.lookup(I); Mine && Clone && Clone != Twin && I->getParent() == B.GetInsertBlock())
        Sum = B.CreateFAdd(Sum, size(B, Clone));
      for (Value *Operand : I->operands())
        if (Seen.insert(Operand).second)
          Work.push_back(Operand);
    }
    Type *Double = B.getDoubleTy();
    Value *Second = B.CreateConstInBoundsGEP1_64(Double, Sums, 1);
    B.CreateStore(B.CreateFAdd(B.CreateLoad(Double, Sums), Sum), Sums);
    B.CreateStore(B.CreateFAdd(B.CreateLoad(Double, Second), ConstantFP::get(Double, double(Count))), Second);
  }

  void contributionsBegin() {
    IRBuilder<> B(K.Begin);
    uint64_t Bytes = Count * RT.DL.getTypeAllocSize(T);
    MaybeAlign Align(1);
    B.CreateMemCpy(Initial, Align, C.Address, Align, Bytes);
    B.CreateMemCpy(LastValues, Align, C.Address, Align, Bytes);
    SmallVector<Constant *, 8> Each;
    for (uint64_t N = 0; N < Count; ++N)
      Each.push_back(neutralOf(N));
    auto *Neutrals = ConstantArray::get(ArrayType::get(T, Count), Each);
    auto *G = new GlobalVariable(RT.M, Neutrals->getType(), true, GlobalValue::PrivateLinkage, Neutrals, "dvm.neutral");
    B.CreateMemCpy(Total, Align, G, Align, Bytes);
    if (Waits)
      B.CreateMemCpy(Waits, Align, G, Align, Bytes);
    if (Magnitude)
      B.CreateMemSet(Magnitude, B.getInt8(0), Count * 16, Align);
    S.store(B, B.getFalse(), Opaque);
  }

  void contributionsEnd(CallInst *Mark) {
    IRBuilder<> B(Mark);
    Value *Null = ConstantPointerNull::get(RT.Ptr);
    RT.call(B, "__dvmrt_results",
            {K.Site, B.getInt32(C.Number), B.CreateZExt(S.load(B, Opaque), RT.I32), Initial, C.Address, Total, LastValues,
             Magnitude ? static_cast<Value *>(Magnitude) : Null, B.getInt64(Count)});
  }

  // ---- Values from the twin ----

  Value *twinOf(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return V;
    if (auto *L = dyn_cast<LoadInst>(I)) {
      if (Many && isVariable(L->getPointerOperand()))
        return neutralOf(C.isOfPairs() ? uint64_t(partOf(L->getPointerOperand())) : 0);
      auto It = Twins.find(root(L->getPointerOperand()));
      if (It == Twins.end() || !inNest(L) || It->first == C.Location)
        return V;
      Value *&Slot = Clones[L];
      if (!Slot) {
        IRBuilder<> B(L);
        Slot = S.load(B, It->second);
      }
      return Slot;
    }
    if (!Depends.contains(I))
      return V;
    if (Value *Done = Clones.lookup(I))
      return Done;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      auto *New = PHINode::Create(Phi->getType(), Phi->getNumIncomingValues(), "", Phi->getIterator());
      Clones[I] = New;
      for (unsigned N = 0; N < Phi->getNumIncomingValues(); ++N)
        New->addIncoming(twinOf(Phi->getIncomingValue(N)), Phi->getIncomingBlock(N));
      return New;
    }
    Instruction *New = I->clone();
    Clones[I] = New;
    for (unsigned N = 0; N < New->getNumOperands(); ++N) {
      if (isa<SelectInst>(New) && N == 0)
        continue; // which one: the program decides
      New->setOperand(N, twinOf(New->getOperand(N)));
    }
    New->dropPoisonGeneratingFlags();
    New->insertAfter(I);
    if (isa<FPToSIInst, FPToUIInst>(New))
      Clones[I] = saturate(cast<CastInst>(New));
    return Clones[I];
  }

  // The neutral element of an integer minimum is out of range when it comes back from floating point, where the
  // program's own value is not: in place of any value the nearest.
  static Value *saturate(CastInst *Cast) {
    IRBuilder<> B(Cast);
    Intrinsic::ID ID = isa<FPToSIInst>(Cast) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    Value *Saturated = B.CreateIntrinsic(ID, {Cast->getType(), Cast->getSrcTy()}, {Cast->getOperand(0)});
    Cast->eraseFromParent();
    return Saturated;
  }

  // Where the comparison is with another value than the one that is stored, an iteration on its own might decide
  // otherwise:
  //   twin = twin < d ? q : twin;      // before the program's branch
  void followGuards() {
    for (StoreInst *St : Stores) {
      if (root(St->getPointerOperand()) != C.Address)
        continue;
      ReductionGuard G = findGuard(K, St, Depends);
      if (!G.Branch)
        continue;
      Value *Decides = twinOf(G.Compare);
      IRBuilder<> B(G.Branch);
      Value *Twin = S.load(B, Twins[C.Address]);
      Value *Next = G.WhenTrue ? B.CreateSelect(Decides, G.New, Twin) : B.CreateSelect(Decides, Twin, G.New);
      if (G.Phi)
        Clones[G.Phi] = Next;
      else
        S.store(B, Next, Twins[C.Address]);
      if (!G.Phi)
        Guarded.insert(St);
    }
  }

  void mirrorStores() {
    SmallVector<std::pair<StoreInst *, Value *>, 8> Values;
    for (StoreInst *St : Stores)
      Values.push_back({St, twinOf(St->getValueOperand())});
    for (auto [St, V] : Values) {
      Value *Address = root(St->getPointerOperand());
      if (Address == C.Address) {
        IRBuilder<> Before(St);
        watch(Before);
      }
      IRBuilder<> B(St->getNextNode());
      if (!Guarded.contains(St))
        S.store(B, V, Twins[Address]);
      if (Last && Address == C.Address)
        S.store(B, St->getValueOperand(), Last);
    }
  }
};

} // namespace

// The runtime looks at what is not mirrored, before each iteration and behind the last one.
static void insertSteps(FunctionState &S, Construct &K, uint32_t Numbers) {
  for (auto *Marks : {&K.Iters, &K.Leaves})
    for (CallInst *Mark : *Marks) {
      IRBuilder<> B(Mark);
      S.RT.call(B, "__dvmrt_step", {K.Site, B.getInt32(Numbers), B.getInt32(Marks == &K.Leaves)});
    }
}

void dvmir::mirrorReductions(FunctionState &S) {
  for (auto &[Cid, K] : S.Constructs) {
    if ((K->Text.Kind != "parallel" && K->Text.Kind != "on") || !K->Begin)
      continue;
    uint32_t Others = 0;
    auto All = reductionClauses(*K);
    if (!All.empty() && !K->Site)
      K->Site = S.RT.site(K->TextConstant);
    std::vector<std::unique_ptr<Mirror>> Mirrors;
    for (const ReductionClause &C : All) {
      auto M = std::make_unique<Mirror>(S, *K, All, C);
      if (M->find())
        Mirrors.push_back(std::move(M));
      else if (C.Number < 32)
        Others |= 1u << C.Number;
    }
    // Only now: the twins of one reduction are computed from the values of others, and would be uses of these.
    for (auto &M : Mirrors)
      M->insert();
    if (Others)
      insertSteps(S, *K, Others);
  }
}

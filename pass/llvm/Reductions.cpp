// The twin of a reduction variable 's' in a nest, in C ('op' is the declared operation):
//
//   enter:       initial = s; sum = neutral; twin = neutral; magnitude = 0;
//   iteration:   sum = sum op twin; magnitude += |twin|; twin = neutral;
//   s = f(s):    twin = f(twin);        // values that come from s come from twin; control flow stays the program's
//   leave:       (as iteration); __dvmrt_reduction(site, number, &initial, &s, &sum, magnitude, .., seen);
//
// so an iteration that does not store contributes the neutral element, and the value from before enters once.  Locations of
// maxloc and minloc have twins that are taken over with the value.  Local variables that hold values computed from 's' for a
// while have twins of the same kind.
//
// A variable of several elements, a member of a struct or what a pointer leads to has no twin: each update contributes what it
// makes of the neutral element ('last' tells updates that were not seen):
//
//   enter:       initial = r; last = r; sum[k] = neutral for all k;
//   r[k] = f(r[k]):   sum[k] = sum[k] op f(neutral); last[k] = r[k];
//   leave:       __dvmrt_results(site, number, &initial, &r, &sum, &last, ..);
//
// What cannot be followed at all (a callee that updates 's') is looked at by the runtime between the iterations: __dvmrt_step.
#include "Reductions.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace dvmir;

namespace {

enum Operation { Sum, Product, Max, Min, And, Or, Xor, MaxLoc, MinLoc, Unknown };

struct Clause {
  unsigned Number; // R line, from 0
  StringRef Name;  // as the directive writes it
  Operation Op;
  char Kind;       // f i u c o
  uint64_t ElementBytes, Count, LocationCount = 0;
  Value *Address = nullptr, *Location = nullptr;
};

bool isExtreme(Operation Op) { return Op == Max || Op == Min || Op == MaxLoc || Op == MinLoc; }
bool isGreatest(Operation Op) { return Op == Max || Op == MaxLoc; }

StringRef field(StringRef &Rest) {
  auto [Head, Tail] = Rest.split(' ');
  Rest = Tail;
  return Head;
}

SmallVector<Clause, 2> clausesOf(const Construct &K) {
  SmallVector<Clause, 2> Out;
  StringRef Text = markerText(K.TextConstant);
  while (!Text.empty()) {
    auto [Line, Tail] = Text.split('\n');
    Text = Tail;
    if (!Line.consume_front("R "))
      continue;
    Clause C;
    C.Number = Out.size();
    C.Op = StringSwitch<Operation>(field(Line)).Case("sum", Sum).Case("product", Product).Case("max", Max).Case("min", Min)
               .Case("and", And).Case("or", Or).Case("xor", Xor).Case("maxloc", MaxLoc).Case("minloc", MinLoc).Default(Unknown);
    // Names may be expressions with blanks: read from the '&'.
    C.Name = Line.take_front(Line.find(" & "));
    Line = Line.substr(Line.find(" & ") + 3);
    if (field(Line).getAsInteger(10, C.ElementBytes) || field(Line).getAsInteger(10, C.Count))
      continue;
    C.Kind = Line.empty() ? 'o' : field(Line)[0];
    if (size_t At = Line.find(" & "); At != StringRef::npos) {
      Line = Line.substr(At + 3);
      field(Line);
      field(Line).getAsInteger(10, C.LocationCount);
    }
    Out.push_back(C);
  }
  auto Values = markerArguments(K.Enter);
  for (unsigned I = 0; I < K.Text.Args.size() && I < Values.size(); ++I) {
    const DirectiveArg &A = K.Text.Args[I];
    if (A.Line != 'R' || A.Count >= Out.size())
      continue;
    Clause &C = Out[A.Count];
    (C.Address ? C.Location : C.Address) = Values[I];
  }
  return Out;
}

// One reduction of one nest.
class Mirror {
  FunctionState &S;
  Construct &K;
  ArrayRef<Clause> All; // of the nest
  const Clause &C;
  Runtime &RT;
  Type *T = nullptr;
  // Twins of the variable, its location, and of local variables that hold what came from it; by the address in the program.
  MapVector<Value *, AllocaInst *> Twins;
  SmallPtrSet<Instruction *, 16> Depends; // values computed from the variable, or from a local one that holds such
  SmallVector<LoadInst *, 8> Loads;       // of any of the mirrored addresses
  SmallVector<StoreInst *, 8> Stores;     // to them
  DenseMap<Instruction *, Value *> Clones;
  DenseMap<const Instruction *, Access *> AccessOf; // by marker
  bool Followed = true;
  bool Many = false;    // no twin: contributions of the updates
  uint64_t Count = 1;   // of elements of type T
  SmallPtrSet<CallInst *, 8> Results; // Many: marks of accesses to the variable
  AllocaInst *LastValues = nullptr;
  AllocaInst *Initial = nullptr, *Total = nullptr, *Magnitude = nullptr, *LocTotal = nullptr, *LocInitial = nullptr;
  AllocaInst *Tie = nullptr, *Last = nullptr, *Opaque = nullptr;

public:
  Mirror(FunctionState &S, Construct &K, ArrayRef<Clause> All, const Clause &C) : S(S), K(K), All(All), C(C), RT(S.RT) {}

  // False: the reduction is not evaluated a second time.
  bool run() {
    findType();
    if (!T)
      return false;
    for (Access &A : S.Accesses)
      AccessOf[A.Mark] = &A;
    Many ? collectMany() : collect();
    checkEscapes();
    if (!Followed || Stores.empty())
      return false;
    Many ? insertContributions() : insertTwins();
    return true;
  }

private:
  static Value *root(Value *P) { // through the marker
    while (auto *Call = dyn_cast<CallInst>(P)) {
      if (markerName(Call) != "__dvmm_access")
        break;
      P = Call->getArgOperand(0);
    }
    return P;
  }

  bool isNamed() const { return isa<AllocaInst>(C.Address) || isa<GlobalVariable>(C.Address); }

  void findType() {
    constexpr uint64_t MaxBytes = 16384; // on the stack, some four times
    if (!C.Address || C.Op == Unknown || !C.Count || C.ElementBytes > 16 || C.ElementBytes * C.Count > MaxBytes)
      return;
    uint64_t Bytes = C.ElementBytes;
    Count = C.Count;
    Many = Count > 1 || !isNamed() || C.Kind == 'c';
    if (C.Kind == 'c') { // a sum is that of its parts
      if (C.Op != Sum)
        return;
      Bytes /= 2;
      Count *= 2;
    }
    switch (C.Kind) {
    case 'i': case 'u':
      if (Bytes <= 8)
        T = IntegerType::get(RT.C, Bytes * 8);
      break;
    case 'f': case 'c':
      if (Bytes == 4)
        T = Type::getFloatTy(RT.C);
      else if (Bytes == 8)
        T = Type::getDoubleTy(RT.C);
      else if (Bytes == 16)
        T = Type::getX86_FP80Ty(RT.C);
      break;
    }
    if (T && T->isFloatingPointTy() && (C.Op == And || C.Op == Or || C.Op == Xor))
      T = nullptr;
  }

  bool inNest(Instruction *I) const { return K.Blocks.contains(I->getParent()); }

  // ---- What depends on the variable ----

  bool plainLocal(Value *P) const {
    auto *A = dyn_cast<AllocaInst>(P);
    Variable *V = A ? S.VariableOf.lookup(A) : nullptr;
    return V && V->Words && V->Count == 1 && !A->isArrayAllocation();
  }

  void collect() {
    mirrorAddress(C.Address);
    bool Variable = C.Location && (isa<AllocaInst>(C.Location) || isa<GlobalVariable>(C.Location));
    if (Variable && C.LocationCount == 1 && !accessType(C.Location)->isAggregateType()) // 'int at[1]' is followed no more than 'int at[2]'
      mirrorAddress(C.Location);
    for (unsigned I = 0; I < Twins.size(); ++I) { // grows
      Value *Address = Twins.begin()[I].first;
      SmallVector<LoadInst *, 4> Mine;
      usesOf(Address, Mine);
      if (I == 1 && Address == C.Location)
        continue; // the location is no partial value
      for (LoadInst *L : Mine)
        follow(L);
    }
  }

  // The same lvalue, as it is written: the update of a member, of what a pointer leads to.  That the address is the same is
  // tested where it is updated.
  bool sameText(const Access &A) const {
    StringRef Text = markerText(A.TextConstant);
    while (!Text.empty()) {
      auto [Line, Tail] = Text.split('\n');
      Text = Tail;
      if (!Line.consume_front("T "))
        continue;
      auto Next = [](StringRef &X) {
        while (!X.empty() && X[0] == ' ')
          X = X.drop_front();
        char Letter = X.empty() ? 0 : X[0];
        X = X.drop_front(X.empty() ? 0 : 1);
        return Letter;
      };
      StringRef Name = C.Name;
      for (;;) {
        char L = Next(Line), N = Next(Name);
        if (L != N)
          return false;
        if (!L)
          return true;
      }
    }
    return false;
  }

  static Value *base(Value *P) { // through marks and address arithmetic
    for (;;) {
      P = root(P);
      auto *GEP = dyn_cast<GEPOperator>(P);
      if (!GEP)
        return P;
      P = GEP->getPointerOperand();
    }
  }

  void collectMany() {
    for (const Access &A : S.Accesses)
      if (inNest(A.Mark) && ((isNamed() && base(A.Mark) == C.Address) || sameText(A)))
        Results.insert(A.Mark);
    for (CallInst *Mark : Results)
      usesOfResult(Mark);
    SmallVector<LoadInst *, 8> Mine(Loads);
    for (LoadInst *L : Mine)
      follow(L);
    for (unsigned I = 0; I < Twins.size(); ++I) { // of local variables; grows
      SmallVector<LoadInst *, 4> OfLocal;
      usesOf(Twins.begin()[I].first, OfLocal);
      for (LoadInst *L : OfLocal)
        follow(L);
    }
  }

  void usesOfResult(CallInst *Mark) {
    SmallVector<User *, 8> Work(Mark->users());
    while (!Work.empty()) {
      auto *I = cast<Instruction>(Work.pop_back_val());
      auto *L = dyn_cast<LoadInst>(I);
      auto *St = dyn_cast<StoreInst>(I);
      if (L && L->getType() == T)
        Loads.push_back(L);
      else if (St && St->getValueOperand()->getType() == T)
        Stores.push_back(St);
      else if (isa<GetElementPtrInst>(I)) // a part of a complex number
        append_range(Work, I->users());
      else
        Followed = false;
    }
  }

  bool isVariable(Value *P) const {
    if (!Many)
      return root(P) == C.Address;
    while (auto *GEP = dyn_cast<GetElementPtrInst>(P))
      P = GEP->getPointerOperand();
    auto *Mark = dyn_cast<CallInst>(P);
    return Mark && Results.contains(Mark);
  }

  void mirrorAddress(Value *P) {
    if (!Twins.count(P))
      Twins.insert({P, nullptr});
  }

  void usesOf(Value *P, SmallVectorImpl<LoadInst *> &Mine) {
    SmallVector<User *, 8> Work(P->users());
    while (!Work.empty()) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || I->getFunction() != &S.F || !inNest(I))
        continue;
      if (auto *L = dyn_cast<LoadInst>(I)) {
        if (Twins.begin() != Twins.end() && L->getType() != accessType(P))
          Followed = false;
        Loads.push_back(L);
        Mine.push_back(L);
      } else if (auto *St = dyn_cast<StoreInst>(I)) {
        if (root(St->getPointerOperand()) != P || St->getValueOperand()->getType() != accessType(P))
          Followed = false;
        else
          Stores.push_back(St);
      } else if (auto *Call = dyn_cast<CallInst>(I)) {
        StringRef Name = markerName(Call);
        if (Name == "__dvmm_access")
          append_range(Work, Call->users());
        else if (Name.empty() && !isa<IntrinsicInst>(Call))
          Followed = false; // its address goes elsewhere
      } else {
        Followed = false;
      }
    }
  }

  Type *accessType(Value *P) const {
    if (P == C.Address)
      return T;
    if (auto *A = dyn_cast<AllocaInst>(P))
      return A->getAllocatedType();
    return cast<GlobalVariable>(P)->getValueType();
  }

  // A call whose result is computed from its arguments alone: may be made twice.
  bool pure(const CallInst *Call) const {
    return (Call->doesNotAccessMemory() && !Call->isConvergent() && Call->willReturn()) || RT.Pure.contains(Call->getCalledFunction());
  }

  // An integer division that another operand might stop.
  static bool mayTrap(const Instruction *I) {
    switch (I->getOpcode()) {
    case Instruction::SDiv: case Instruction::UDiv: case Instruction::SRem: case Instruction::URem: return true;
    default: return false;
    }
  }

  void follow(Instruction *From) {
    SmallVector<Instruction *, 8> Work{From};
    while (!Work.empty()) {
      Instruction *I = Work.pop_back_val();
      for (User *U : I->users()) {
        auto *X = cast<Instruction>(U);
        if (auto *St = dyn_cast<StoreInst>(X)) {
          Value *P = root(St->getPointerOperand());
          if (St->getValueOperand() == I && plainLocal(P) && inNest(St))
            mirrorAddress(P);
          continue;
        }
        bool Value = X->isBinaryOp() || X->isUnaryOp() || isa<CastInst>(X) || isa<CmpInst>(X) || isa<PHINode>(X) ||
                     isa<FreezeInst>(X) || isa<SelectInst>(X) || (isa<CallInst>(X) && pure(cast<CallInst>(X)));
        if (auto *Sel = dyn_cast<SelectInst>(X); Sel && Sel->getCondition() == I)
          Value = Sel->getTrueValue() == I || Sel->getFalseValue() == I;
        if (Value && inNest(X) && Depends.insert(X).second) {
          Followed &= !mayTrap(X);
          Work.push_back(X);
        }
      }
    }
  }

  // ---- Escapes ----

  bool ofOtherReduction(Value *P) const {
    return any_of(All, [&](const Clause &X) { return &X != &C && (X.Address == P || X.Location == P) && P != C.Address; });
  }

  // Where the value goes, besides the update: true if that is an escape.  'Update' is set when it reaches the variable.
  bool escapes(Instruction *From, SmallPtrSetImpl<Instruction *> &Seen, bool &Update) {
    for (User *U : From->users()) {
      auto *X = cast<Instruction>(U);
      if (auto *St = dyn_cast<StoreInst>(X)) {
        Value *P = root(St->getPointerOperand());
        if (isVariable(St->getPointerOperand()))
          Update = true;
        else if (P == C.Location || ofOtherReduction(P))
          return true;
        else if (!Twins.count(P))
          return true;
        else if (throughLocal(P, Seen, Update))
          return true;
        continue;
      }
      if (auto *Br = dyn_cast<BranchInst>(X)) {
        if ((!branchAllowed() && !decidesUpdate(Br)) || decidesAboutOther(Br))
          return true;
        continue;
      }
      if (auto *Sel = dyn_cast<SelectInst>(X); Sel && Sel->getCondition() == From && !branchAllowed())
        return true;
      if (auto *Call = dyn_cast<CallInst>(X); Call && !pure(Call)) {
        // A function that computes the new value: an update that cannot be followed.
        bool Reaches = false;
        if (Call->getType()->isVoidTy() || !Seen.insert(Call).second || escapes(Call, Seen, Reaches) || !Reaches)
          return true;
        Update = true;
        Followed = false;
        continue;
      }
      if (!Depends.contains(X) && !isa<SelectInst>(X))
        return true;
      if (Seen.insert(X).second && escapes(X, Seen, Update))
        return true;
    }
    return false;
  }

  bool throughLocal(Value *P, SmallPtrSetImpl<Instruction *> &Seen, bool &Update) {
    for (LoadInst *L : Loads)
      if (root(L->getPointerOperand()) == P && Seen.insert(L).second && escapes(L, Seen, Update))
        return true;
    return false;
  }

  // 'if (x > m) m = x', 'ok = ok && x': the branch decides about the update itself.
  bool branchAllowed() const { return isExtreme(C.Op) || C.Op == And || C.Op == Or; }

  // 's > t' of two reduction variables: does the branch decide about an update of the other one?
  bool decidesAboutOther(BranchInst *Br) const {
    auto *Compare = dyn_cast<CmpInst>(Br->getCondition());
    Value *Other = nullptr;
    for (Value *Operand : Compare ? Compare->operands() : Br->operands()) {
      while (auto *Cast = dyn_cast<CastInst>(Operand))
        Operand = Cast->getOperand(0);
      if (auto *L = dyn_cast<LoadInst>(Operand); L && ofOtherReduction(root(L->getPointerOperand())))
        Other = root(L->getPointerOperand());
    }
    if (!Other)
      return false;
    SmallVector<BasicBlock *, 8> Ahead(successors(Br));
    SmallPtrSet<BasicBlock *, 8> Seen(Ahead.begin(), Ahead.end());
    for (unsigned I = 0; I < Ahead.size() && I < 16; ++I) { // the nearest update tells
      for (Instruction &X : *Ahead[I])
        if (auto *St = dyn_cast<StoreInst>(&X)) {
          Value *P = root(St->getPointerOperand());
          if (P == C.Address || P == Other)
            return P == Other;
        }
      for (BasicBlock *Next : successors(Ahead[I]))
        if (Seen.insert(Next).second)
          Ahead.push_back(Next);
    }
    return false;
  }

  bool storesVariable(const BasicBlock *BB) const {
    return any_of(*BB, [&](const Instruction &I) {
      auto *St = dyn_cast<StoreInst>(&I);
      return St && isVariable(const_cast<Value *>(St->getPointerOperand()));
    });
  }

  // The same forms under another operation: whether that is right the two evaluations tell.
  bool decidesUpdate(const BranchInst *Br) const {
    return any_of(successors(Br->getParent()), [&](const BasicBlock *BB) {
      if (BB->getSinglePredecessor() && storesVariable(BB))
        return true;
      const BasicBlock *Merge = BB->getSinglePredecessor() ? BB->getSingleSuccessor() : BB;
      return Merge && any_of(Merge->phis(), [&](const PHINode &Phi) {
               return any_of(Phi.users(), [&](const User *U) {
                 auto *St = dyn_cast<StoreInst>(U);
                 return St && isVariable(const_cast<Value *>(St->getPointerOperand()));
               });
             });
    });
  }

  void checkEscapes() {
    for (LoadInst *L : Loads) {
      if (!isVariable(L->getPointerOperand()))
        continue;
      SmallPtrSet<Instruction *, 16> Seen;
      bool Update = false;
      if (!escapes(L, Seen, Update))
        continue;
      Value *P = L->getPointerOperand();
      while (auto *GEP = dyn_cast<GetElementPtrInst>(P))
        P = GEP->getPointerOperand();
      auto *Mark = dyn_cast<CallInst>(P);
      Access *A = Mark ? AccessOf.lookup(Mark) : nullptr;
      if (!A)
        continue;
      IRBuilder<> B(Mark);
      RT.call(B, "__dvmrt_escape", {S.site(*A)});
    }
  }

  // ---- Twins ----

  Constant *neutral() const {
    if (T->isFloatingPointTy()) {
      const fltSemantics &Sem = T->getFltSemantics();
      if (isExtreme(C.Op))
        return ConstantFP::get(RT.C, APFloat::getInf(Sem, isGreatest(C.Op)));
      return ConstantFP::get(T, C.Op == Product ? 1.0 : 0.0);
    }
    unsigned Bits = T->getIntegerBitWidth();
    bool Signed = C.Kind == 'i';
    switch (C.Op) {
    case Product: return ConstantInt::get(T, 1);
    case And: return Constant::getAllOnesValue(T);
    case Max: case MaxLoc: return ConstantInt::get(RT.C, Signed ? APInt::getSignedMinValue(Bits) : APInt::getMinValue(Bits));
    case Min: case MinLoc: return ConstantInt::get(RT.C, Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits));
    default: return ConstantInt::get(T, 0);
    }
  }

  Value *better(IRBuilder<> &B, Value *A, Value *Than) const {
    if (T->isFloatingPointTy())
      return isGreatest(C.Op) ? B.CreateFCmpOGT(A, Than) : B.CreateFCmpOLT(A, Than);
    bool Signed = C.Kind == 'i';
    CmpInst::Predicate P = isGreatest(C.Op) ? (Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
                                            : (Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT);
    return B.CreateICmp(P, A, Than);
  }

  Value *combined(IRBuilder<> &B, Value *A, Value *X) const {
    bool F = T->isFloatingPointTy();
    switch (C.Op) {
    case Sum: return F ? B.CreateFAdd(A, X) : B.CreateAdd(A, X);
    case Product: return F ? B.CreateFMul(A, X) : B.CreateMul(A, X);
    case And: return B.CreateAnd(A, X);
    case Or: return B.CreateOr(A, X);
    case Xor: return B.CreateXor(A, X);
    default: return B.CreateSelect(better(B, X, A), X, A);
    }
  }

  AllocaInst *newSlot(Type *Ty, const Twine &Name) { return S.slot(Ty, "dvm.twin." + Name); }
  bool located() const { return C.Location && Twins.count(C.Location); }
  bool visible() const { // may code outside this function write it?
    auto *A = dyn_cast<AllocaInst>(C.Address);
    Variable *V = A ? S.VariableOf.lookup(A) : nullptr;
    return !V || !V->Words;
  }

  void insertTwins() {
    for (auto &[Address, Twin] : Twins)
      Twin = newSlot(accessType(Address), Address->getName());
    Initial = newSlot(T, "initial");
    Total = newSlot(T, "total");
    if (T->isFloatingPointTy() && C.Op == Sum)
      Magnitude = newSlot(Type::getDoubleTy(RT.C), "magnitude");
    if (located()) {
      LocInitial = newSlot(accessType(C.Location), "location.initial");
      LocTotal = newSlot(accessType(C.Location), "location");
      Tie = newSlot(RT.I1, "tie");
    }
    if (visible()) {
      Last = newSlot(T, "last");
      Opaque = newSlot(RT.I1, "opaque");
    }
    mirrorStores();
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

  // A local that enters the nest without a value: the optimiser may take a different one wherever it is read, and the two
  // evaluations would part without a reason.
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
    S.store(B, neutral(), Total);
    S.store(B, neutral(), Twins[C.Address]);
    if (Magnitude)
      S.store(B, ConstantFP::get(B.getDoubleTy(), 0), Magnitude);
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
    Value *Same = T->isFloatingPointTy() ? B.CreateOr(B.CreateFCmpOEQ(Now, Before), B.CreateFCmpUNO(Now, Before)) : B.CreateICmpEQ(Now, Before);
    S.store(B, B.CreateOr(S.load(B, Opaque), B.CreateNot(Same)), Opaque);
    S.store(B, Now, Last);
  }

  void endIteration(IRBuilder<> &B) {
    AllocaInst *Twin = Twins[C.Address];
    Value *X = S.load(B, Twin), *A = S.load(B, Total);
    if (located()) {
      Value *Better = better(B, X, A);
      Value *Same = T->isFloatingPointTy() ? B.CreateFCmpOEQ(X, A) : B.CreateICmpEQ(X, A);
      Same = B.CreateAnd(Same, T->isFloatingPointTy() ? B.CreateFCmpONE(X, neutral()) : B.CreateICmpNE(X, neutral()));
      S.store(B, B.CreateSelect(Better, B.getFalse(), B.CreateOr(S.load(B, Tie), Same)), Tie);
      S.store(B, B.CreateSelect(Better, S.load(B, Twins[C.Location]), S.load(B, LocTotal)), LocTotal);
    }
    S.store(B, combined(B, A, X), Total);
    if (Magnitude) {
      Value *D = T->isDoubleTy() ? X : B.CreateFPCast(X, B.getDoubleTy());
      S.store(B, B.CreateFAdd(S.load(B, Magnitude), B.CreateUnaryIntrinsic(Intrinsic::fabs, D)), Magnitude);
    }
    S.store(B, neutral(), Twin);
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
    Value *M = Magnitude ? S.load(B, Magnitude) : ConstantFP::get(B.getDoubleTy(), 0);
    Value *Replace =
        RT.call(B, "__dvmrt_reduction",
            {Site, B.getInt32(C.Number), B.CreateOr(Skip, B.CreateShl(Tied, 1)), spilled(B, S.load(B, Initial)),
             spilled(B, B.CreateLoad(T, C.Address)), spilled(B, S.load(B, Total)), M, LocBefore, LocNow, Loc,
             B.getInt64(LocBytes)});
    replaceResult(B, B.CreateIsNotNull(Replace));
  }

  // reduction=emulate: the program goes on with the value that the iterations' processors would have.
  void replaceResult(IRBuilder<> &B, Value *Replace) {
    Value *Before = S.load(B, Initial), *Partial = S.load(B, Total);
    if (located()) {
      Value *Now = B.CreateLoad(accessType(C.Location), C.Location);
      Value *Combined = B.CreateSelect(better(B, Partial, Before), S.load(B, LocTotal), S.load(B, LocInitial));
      B.CreateStore(B.CreateSelect(Replace, Combined, Now), C.Location);
    }
    B.CreateStore(B.CreateSelect(Replace, combined(B, Before, Partial), B.CreateLoad(T, C.Address)), C.Address);
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
    if (T->isFloatingPointTy() && C.Op == Sum)
      Magnitude = newSlot(ArrayType::get(Type::getDoubleTy(RT.C), Count + 1), "magnitude");
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
    Value *Sum = elementOf(B, Total, Index);
    B.CreateStore(combined(B, B.CreateLoad(T, Sum), V), Sum);
    if (Magnitude) {
      Value *M = elementOf(B, Magnitude, Index), *D = T->isDoubleTy() ? V : B.CreateFPCast(V, B.getDoubleTy());
      B.CreateStore(B.CreateFAdd(B.CreateLoad(B.getDoubleTy(), M), B.CreateUnaryIntrinsic(Intrinsic::fabs, D)), M);
    }
  }

  void contributionsBegin() {
    IRBuilder<> B(K.Begin);
    uint64_t Bytes = Count * RT.DL.getTypeAllocSize(T);
    MaybeAlign Align(1);
    B.CreateMemCpy(Initial, Align, C.Address, Align, Bytes);
    B.CreateMemCpy(LastValues, Align, C.Address, Align, Bytes);
    auto *Neutrals = ConstantArray::get(ArrayType::get(T, Count), SmallVector<Constant *, 8>(Count, neutral()));
    auto *G = new GlobalVariable(RT.M, Neutrals->getType(), true, GlobalValue::PrivateLinkage, Neutrals, "dvm.neutral");
    B.CreateMemCpy(Total, Align, G, Align, Bytes);
    if (Magnitude)
      B.CreateMemSet(Magnitude, B.getInt8(0), Count * 8, Align);
    S.store(B, B.getFalse(), Opaque);
  }

  void contributionsEnd(CallInst *Mark) {
    IRBuilder<> B(Mark);
    Value *Null = ConstantPointerNull::get(RT.Ptr);
    RT.call(B, "__dvmrt_results", {K.Site, B.getInt32(C.Number), B.CreateZExt(S.load(B, Opaque), RT.I32), Initial, C.Address, Total,
                                   LastValues, Magnitude ? static_cast<Value *>(Magnitude) : Null, B.getInt64(Count)});
  }

  // ---- Values from the twin ----

  Value *twinOf(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return V;
    if (auto *L = dyn_cast<LoadInst>(I)) {
      if (Many && isVariable(L->getPointerOperand()))
        return neutral();
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

  // The neutral element of an integer minimum is out of range when it comes back from floating point, where the program's own
  // value is not: in place of any value the nearest.
  static Value *saturate(CastInst *Cast) {
    IRBuilder<> B(Cast);
    Intrinsic::ID ID = isa<FPToSIInst>(Cast) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    Value *Saturated = B.CreateIntrinsic(ID, {Cast->getType(), Cast->getSrcTy()}, {Cast->getOperand(0)});
    Cast->eraseFromParent();
    return Saturated;
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
    if (K->Text.Kind != "parallel" || !K->Begin)
      continue;
    uint32_t Others = 0;
    auto All = clausesOf(*K);
    for (const Clause &C : All) {
      if (!K->Site)
        K->Site = S.RT.site(K->TextConstant);
      if (!Mirror(S, *K, All, C).run() && C.Number < 32)
        Others |= 1u << C.Number;
    }
    if (Others)
      insertSteps(S, *K, Others);
  }
}

// ---- Functions that may be called twice ----

// Local memory alone, no loop, nothing that can trap.
static bool isHarmless(const Instruction &I, const DenseSet<const Function *> &Pure) {
  auto Local = [](const Value *P) {
    for (;;) {
      if (markerName(P) == DVMM_ACCESS)
        P = cast<CallInst>(P)->getArgOperand(0);
      else if (auto *GEP = dyn_cast<GEPOperator>(P))
        P = GEP->getPointerOperand();
      else
        return isa<AllocaInst>(P);
    }
  };
  if (isa<LoadInst, StoreInst>(I))
    return Local(getLoadStorePointerOperand(&I));
  if (auto *Call = dyn_cast<CallInst>(&I)) {
    StringRef Name = markerName(Call);
    if (!Name.empty())
      return Name == DVMM_ACCESS || Name == DVMM_INDEX;
    return Call->doesNotAccessMemory() || Call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(Call) ||
           (Call->getCalledFunction() && Pure.contains(Call->getCalledFunction()));
  }
  switch (I.getOpcode()) {
  case Instruction::SDiv: case Instruction::UDiv: case Instruction::SRem: case Instruction::URem: return false;
  default: return !I.mayReadOrWriteMemory() && !isa<InvokeInst, CallBrInst, IndirectBrInst, UnreachableInst>(I);
  }
}

static bool isAcyclic(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> Back;
  FindFunctionBackedges(F, Back);
  return Back.empty();
}

void dvmir::findPureFunctions(Module &M, Runtime &RT) {
  bool Grows = true;
  while (Grows) {
    Grows = false;
    for (const Function &F : M)
      if (!F.isDeclaration() && !F.isInterposable() && !F.isVarArg() && !RT.Pure.contains(&F) && !F.getReturnType()->isVoidTy() &&
          isAcyclic(F) && all_of(instructions(F), [&](const Instruction &I) { return isHarmless(I, RT.Pure); })) {
        RT.Pure.insert(&F);
        Grows = true;
      }
  }
}

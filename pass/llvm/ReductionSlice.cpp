// Values of a reduction variable on their way back to it.
#include "ReductionSlice.h"
#include "Descriptors.h"
#include "pass/markers.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

bool ReductionSlice::find() {
  findType();
  if (!T)
    return false;
  for (Access &A : S.Accesses)
    AccessOf[A.Mark] = &A;
  Many ? collectMany() : collect();
  checkEscapes();
  nameUpdates();
  return Followed && !Stores.empty();
}

Value *ReductionSlice::root(Value *P) { // through the marker
  while (auto *Call = dyn_cast<CallInst>(P)) {
    if (markerName(Call) != DVMM_ACCESS)
      break;
    P = Call->getArgOperand(0);
  }
  return P;
}

// A dummy argument of Fortran has no other name while it is written.
bool ReductionSlice::isNamed() const {
  return isa<AllocaInst>(C.Address) || isa<GlobalVariable>(C.Address) || (isa<Argument>(C.Address) && isFromFlang(*S.F.getParent()));
}

void ReductionSlice::findType() {
  constexpr uint64_t MaxBytes = 16384; // on the stack, some four times
  if (!C.Address || C.Op == ReductionClause::Unknown || !C.Count || C.ElementBytes > (C.Kind == 'c' ? 32 : 16) ||
      C.ElementBytes * C.Count > MaxBytes)
    return;
  uint64_t Bytes = C.ElementBytes;
  Count = C.Count;
  Many = Count > 1 || !isNamed() || C.Kind == 'c';
  if (C.Kind == 'c') {
    if (C.Op != ReductionClause::Sum && C.Op != ReductionClause::Product)
      return;
    Bytes /= 2;
    Count *= 2;
  }
  switch (C.Kind) {
  case 'i':
  case 'u':
    if (Bytes <= 8)
      T = IntegerType::get(RT.C, Bytes * 8);
    break;
  case 'f':
  case 'c':
    if (Bytes == 4)
      T = Type::getFloatTy(RT.C);
    else if (Bytes == 8)
      T = Type::getDoubleTy(RT.C);
    else if (Bytes == 16)
      T = Type::getX86_FP80Ty(RT.C);
    break;
  }
  if (T && T->isFloatingPointTy() && C.isBitwise())
    T = nullptr;
}

bool ReductionSlice::inNest(Instruction *I) const { return K.holds(I->getParent()); }
// ---- What depends on the variable ----

// What clang makes for the value of '({ .. })', say: nothing but loaded and stored.
static bool isTemporary(const AllocaInst *A) {
  return A->getAllocatedType()->isSingleValueType() && all_of(A->users(), [&](const User *U) {
           if (auto *L = dyn_cast<LoadInst>(U))
             return L->getType() == A->getAllocatedType();
           if (auto *St = dyn_cast<StoreInst>(U))
             return St->getPointerOperand() == A && St->getValueOperand()->getType() == A->getAllocatedType();
           return isa<LifetimeIntrinsic>(U);
         });
}

bool ReductionSlice::plainLocal(Value *P) const {
  auto *A = dyn_cast<AllocaInst>(P);
  if (!A)
    return false;
  Variable *V = S.VariableOf.lookup(A);
  return V && (V->Words ? V->Count == 1 : isTemporary(A)) && !A->isArrayAllocation();
}

void ReductionSlice::collect() {
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
bool ReductionSlice::sameText(const Access &A) const {
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

Value *ReductionSlice::base(Value *P) { // through marks and address arithmetic
  for (;;) {
    P = root(P);
    auto *GEP = dyn_cast<GEPOperator>(P);
    if (!GEP)
      return P;
    P = GEP->getPointerOperand();
  }
}

void ReductionSlice::collectMany() {
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

void ReductionSlice::usesOfResult(CallInst *Mark) {
  SmallVector<User *, 8> Work(Mark->users());
  while (!Work.empty()) {
    auto *I = cast<Instruction>(Work.pop_back_val());
    auto *L = dyn_cast<LoadInst>(I);
    auto *St = dyn_cast<StoreInst>(I);
    if (C.isOfPairs() && (L || St) && partOf(getLoadStorePointerOperand(I)) < 0)
      Followed = false;
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

bool ReductionSlice::isVariable(Value *P) const {
  if (!Many)
    return root(P) == C.Address;
  while (auto *GEP = dyn_cast<GetElementPtrInst>(P))
    P = GEP->getPointerOperand();
  auto *Mark = dyn_cast<CallInst>(P);
  return Mark && Results.contains(Mark);
}

int ReductionSlice::partOf(Value *P) const {
  APInt Offset(64, 0);
  while (auto *GEP = dyn_cast<GEPOperator>(P)) {
    if (!GEP->accumulateConstantOffset(RT.DL, Offset))
      return -1;
    P = GEP->getPointerOperand();
  }
  return Offset.getZExtValue() / RT.DL.getTypeAllocSize(T) % 2;
}

void ReductionSlice::mirrorAddress(Value *P) {
  if (!Twins.count(P))
    Twins.insert({P, nullptr});
}

void ReductionSlice::usesOf(Value *P, SmallVectorImpl<LoadInst *> &Mine) {
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
      if (Name == DVMM_ACCESS)
        append_range(Work, Call->users());
      else if (Name == DVMM_SECTION || (Name.empty() && !isa<IntrinsicInst>(Call)))
        Followed = false; // its address goes elsewhere
    } else {
      Followed = false;
    }
  }
}

Type *ReductionSlice::accessType(Value *P) const {
  if (P == C.Address)
    return T;
  if (auto *A = dyn_cast<AllocaInst>(P))
    return A->getAllocatedType();
  return cast<GlobalVariable>(P)->getValueType();
}

static bool isComplexFunction(const CallInst *Call) {
  const Function *F = Call->getCalledFunction();
  StringRef Name = F ? F->getName() : "";
  return (Name.starts_with("__mul") || Name.starts_with("__div")) && Name.ends_with("c3");
}

// A call whose result is computed from its arguments alone: may be made twice.
bool ReductionSlice::pure(const CallInst *Call) const {
  return isComplexFunction(Call) || (Call->doesNotAccessMemory() && !Call->isConvergent() && Call->willReturn()) ||
         RT.Pure.contains(Call->getCalledFunction());
}

// What clang makes of 'p * z': a test of the result for NaN, and a function that then knows better.
bool ReductionSlice::ofComplexProduct(const Instruction *I) const {
  if (auto *Call = dyn_cast<CallInst>(I))
    return isComplexFunction(Call) && Call->getCalledFunction()->getName().starts_with("__mul");
  auto *Br = dyn_cast<BranchInst>(I);
  auto *Test = Br && Br->isConditional() ? dyn_cast<FCmpInst>(Br->getCondition()) : nullptr;
  return C.Kind == 'c' && Test && Test->getPredicate() == CmpInst::FCMP_UNO && Test->getOperand(0) == Test->getOperand(1);
}

// An integer division that another operand might stop.
bool ReductionSlice::mayTrap(const Instruction *I) {
  switch (I->getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem: return true;
  default: return false;
  }
}

void ReductionSlice::follow(Instruction *From) {
  SmallVector<Instruction *, 8> Work{From};
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    for (User *U : I->users()) {
      auto *X = cast<Instruction>(U);
      if (auto *St = dyn_cast<StoreInst>(X)) {
        Value *P = root(St->getPointerOperand());
        if (St->getValueOperand() == I && plainLocal(P) && inNest(St))
          mirrorAddress(P);
        else if (C.Kind == 'c' && isLocal(base(P)) && inNest(St) && Parts.insert(base(P)).second)
          for (LoadInst *L : loadsOfParts(base(P)))
            Work.push_back(L);
        continue;
      }
      if (ofComplexProduct(X))
        continue;
      if (auto *Call = dyn_cast<CallInst>(X); Call && isComplexFunction(Call) && !Call->getType()->isStructTy())
        Followed = false; // a quotient that comes back through memory
      bool Value = isa<ExtractValueInst>(X) || X->isBinaryOp() || X->isUnaryOp() || isa<CastInst>(X) || isa<CmpInst>(X) ||
                   isa<PHINode>(X) || isa<FreezeInst>(X) || isa<SelectInst>(X) || (isa<CallInst>(X) && pure(cast<CallInst>(X)));
      if (auto *Sel = dyn_cast<SelectInst>(X); Sel && Sel->getCondition() == I)
        Value = Sel->getTrueValue() == I || Sel->getFalseValue() == I;
      if (Value && inNest(X) && Depends.insert(X)) {
        Followed &= !mayTrap(X);
        Work.push_back(X);
      }
    }
  }
}

// ---- Escapes ----

bool ReductionSlice::ofOtherReduction(Value *P) const {
  return any_of(All, [&](const ReductionClause &X) { return &X != &C && (X.Address == P || X.Location == P) && P != C.Address; });
}

// Where the value goes, besides the update: true if that is an escape.  'Update' is set when it reaches the variable.
bool ReductionSlice::escapes(Instruction *From, SmallPtrSetImpl<Instruction *> &Seen, bool &Update) {
  for (User *U : From->users()) {
    auto *X = cast<Instruction>(U);
    if (auto *St = dyn_cast<StoreInst>(X)) {
      Value *P = root(St->getPointerOperand());
      if (isVariable(St->getPointerOperand()))
        Update = true;
      else if (P == C.Location || ofOtherReduction(P))
        return true;
      else if (C.Kind == 'c' && isLocal(base(St->getPointerOperand()))) {
        Followed = false; // its parts have no twins
        for (LoadInst *L : loadsOfParts(base(St->getPointerOperand())))
          if (Seen.insert(L).second && escapes(L, Seen, Update))
            return true;
      } else if (!Twins.count(P))
        return true;
      else if (throughLocal(P, Seen, Update))
        return true;
      continue;
    }
    if (ofComplexProduct(X))
      continue;
    if (auto *Br = dyn_cast<BranchInst>(X)) {
      if ((!branchAllowed() && !decidesUpdate(Br)) || decidesAboutOther(Br) || decidesAboutElse(Br))
        return true;
      continue;
    }
    if (auto *Sel = dyn_cast<SelectInst>(X); Sel && Sel->getCondition() == From && !branchAllowed())
      return true;
    if (auto *Call = dyn_cast<CallInst>(X); Call && isComplexFunction(Call) && !Call->getType()->isStructTy()) {
      Update = true; // a quotient that comes back through memory
      Followed = false;
      continue;
    }
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

bool ReductionSlice::throughLocal(Value *P, SmallPtrSetImpl<Instruction *> &Seen, bool &Update) {
  for (LoadInst *L : Loads)
    if (root(L->getPointerOperand()) == P && Seen.insert(L).second && escapes(L, Seen, Update))
      return true;
  return false;
}

bool ReductionSlice::isLocal(Value *P) const {
  auto *A = dyn_cast<AllocaInst>(P);
  return A && A != C.Address && A->getAllocatedType()->isStructTy();
}

// Of a local complex variable.
SmallVector<LoadInst *, 4> ReductionSlice::loadsOfParts(Value *P) {
  SmallVector<User *, 8> Work(P->users());
  SmallVector<LoadInst *, 4> Found;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !inNest(I))
      continue;
    auto *Call = dyn_cast<CallInst>(I);
    if (isa<GetElementPtrInst>(I) || (Call && markerName(Call) == DVMM_ACCESS))
      append_range(Work, I->users());
    else if (auto *L = dyn_cast<LoadInst>(I))
      Found.push_back(L);
  }
  return Found;
}

// 'if (x > m) m = x', 'ok = ok && x': the branch decides about the update itself.
bool ReductionSlice::branchAllowed() const { return C.isExtreme() || C.Op == ReductionClause::And || C.Op == ReductionClause::Or; }

// 's > t' of two reduction variables: does the branch decide about an update of the other one?
bool ReductionSlice::decidesAboutOther(BranchInst *Br) const {
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

// Does the value become the variable's, or that of a local variable that is mirrored for its sake?
bool ReductionSlice::reachesUpdate(Instruction *From) const {
  SmallVector<Instruction *, 8> Work{From};
  SmallPtrSet<Instruction *, 8> Seen{From};
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users()) {
      auto *X = cast<Instruction>(U);
      if (auto *St = dyn_cast<StoreInst>(X)) {
        if (isVariable(St->getPointerOperand()) || Twins.count(root(St->getPointerOperand())))
          return true;
      } else if (!isa<BranchInst>(X) && Seen.insert(X).second) {
        Work.push_back(X);
      }
    }
  return false;
}

bool ReductionSlice::mayUpdate(const CallInst *Call) const {
  return isa<GlobalVariable, Argument>(C.Address) ||
         any_of(Call->args(), [&](Value *V) { return root(V)->stripPointerCasts() == C.Address; }) || !isNamed();
}

// 'if (m > 3) x = 0': does the branch decide about something else, and about no update at all?
bool ReductionSlice::decidesAboutElse(const BranchInst *Br) {
  if (Br->isUnconditional())
    return false;
  if (!PostDominators)
    PostDominators = std::make_unique<PostDominatorTree>(S.F);
  const DomTreeNode *Node = PostDominators->getNode(Br->getParent());
  BasicBlock *End = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
  if (!End)
    return false;
  SmallVector<BasicBlock *, 8> Work;
  SmallPtrSet<BasicBlock *, 8> Region;
  auto Add = [&](const BasicBlock *BB) {
    for (BasicBlock *Next : successors(const_cast<BasicBlock *>(BB)))
      if (Next != End && Region.insert(Next).second)
        Work.push_back(Next);
  };
  Add(Br->getParent());
  bool Else = false;
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    for (Instruction &I : *BB) {
      if (auto *St = dyn_cast<StoreInst>(&I)) {
        Value *P = root(St->getPointerOperand());
        if (isVariable(St->getPointerOperand()) || P == C.Location || Twins.count(P))
          return false;
        Else = true;
      } else if (auto *Call = dyn_cast<CallInst>(&I); Call && markerName(Call).empty() && !isa<IntrinsicInst>(Call) && !pure(Call)) {
        if (mayUpdate(Call))
          return false;
        Else = true;
      }
    }
    Add(BB);
  }
  for (PHINode &Phi : End->phis()) {
    if (reachesUpdate(&Phi))
      return false;
    Else = true;
  }
  return Else;
}

// 'if (s < 100) s += x': the second evaluation takes the program's branch, where each processor would go on.
bool ReductionSlice::isBounded(const Value *New) const {
  auto *I = dyn_cast<Instruction>(New);
  return C.Op == ReductionClause::Sum && I && Depends.contains(const_cast<Instruction *>(I));
}

bool ReductionSlice::storesVariable(const BasicBlock *BB) const {
  return any_of(*BB, [&](const Instruction &I) {
    auto *St = dyn_cast<StoreInst>(&I);
    return St && isVariable(const_cast<Value *>(St->getPointerOperand())) && !isBounded(St->getValueOperand());
  });
}

// The same forms under another operation: whether that is right the two evaluations tell.
bool ReductionSlice::decidesUpdate(const BranchInst *Br) const {
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

// The runtime tells where the variable is updated, also where nothing else is asked of the update.
void ReductionSlice::nameUpdates() {
  for (StoreInst *St : Stores)
    if (isVariable(St->getPointerOperand()))
      if (Access *A = AccessOf.lookup(dyn_cast<CallInst>(St->getPointerOperand())))
        appendToCompilerUsed(RT.M, {S.site(*A)});
}

void ReductionSlice::checkEscapes() {
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

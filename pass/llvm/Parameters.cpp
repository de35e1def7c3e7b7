#include "Parameters.h"
#include "Forward.h"
#include "Function.h"
#include "pass/markers.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

// ---- Where the address goes --------------------------------------------------------------------------------------------------------

class Parameters::Uses {
  Parameters &All;
  const DataLayout &DL;
  const Argument &A;
  DenseMap<const Instruction *, uint64_t> Events; // bytes that are written from the beginning; 0: something may be read
  SmallPtrSet<const Value *, 8> Addresses;        // .. that are its beginning

  bool store(const StoreInst &I, const Value *P, bool Begins);
  bool call(const CallBase &Call, const Use &U, bool Begins);
  bool use(const Use &U, bool Begins);
  bool isNull(const BasicBlock *From, const BasicBlock *To) const;
  bool before(const BasicBlock *BB, const DenseMap<const BasicBlock *, bool> &Out) const;

public:
  Uses(Parameters &Known, const Argument &Arg) : All(Known), DL(Arg.getParent()->getParent()->getDataLayout()), A(Arg) {}
  // False: out of sight.
  bool follow(const Value *P, bool Begins);
  uint64_t assigned() const;
};

// A variable that holds the address, and nothing else ever.
bool Parameters::Uses::store(const StoreInst &I, const Value *P, bool Begins) {
  if (I.getPointerOperand() == P && I.getValueOperand() != P) {
    if (Begins)
      Events[&I] = DL.getTypeStoreSize(I.getValueOperand()->getType());
    return true;
  }
  auto *To = dyn_cast<AllocaInst>(I.getPointerOperand());
  if (!To || onlyStore(const_cast<AllocaInst *>(To)) != &I)
    return false;
  return all_of(To->users(), [&](const User *U) {
    if (isa<LoadInst>(U))
      return follow(U, Begins);
    return markerName(U) != DVMM_ACCESS || all_of(U->users(), [&](const User *By) { return follow(By, Begins); });
  });
}

bool Parameters::Uses::call(const CallBase &Call, const Use &U, bool Begins) {
  if (markerName(&Call) == DVMM_ACCESS)
    return U.getOperandNo() == 0 && follow(&Call, Begins);
  if (auto *I = dyn_cast<IntrinsicInst>(&Call); I && I->isLifetimeStartOrEnd())
    return true;
  if (auto *Set = dyn_cast<MemSetInst>(&Call)) {
    if (auto *Length = dyn_cast<ConstantInt>(Set->getLength()); Length && Begins)
      Events[&Call] = Length->getZExtValue();
    return true;
  }
  if (isa<MemTransferInst>(Call)) {
    Events[&Call] = 0;
    return U.getOperandNo() == 1;
  }
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Call.isArgOperand(&U) || Call.getArgOperandNo(&U) >= Callee->arg_size())
    return false;
  const Found There = All.of(*Callee->getArg(Call.getArgOperandNo(&U)));
  // An address that it gets twice it may read by the other one.
  Events[&Call] = Begins && !Events.contains(&Call) ? There.Assigned : 0;
  return There.Quiet;
}

bool Parameters::Uses::use(const Use &U, bool Begins) {
  const User *By = U.getUser();
  if (auto *Store = dyn_cast<StoreInst>(By))
    return store(*Store, U.get(), Begins);
  if (isa<LoadInst>(By)) {
    Events[cast<Instruction>(By)] = 0;
    return true;
  }
  if (auto *GEP = dyn_cast<GetElementPtrInst>(By))
    return U.getOperandNo() == 0 && follow(GEP, Begins && GEP->hasAllZeroIndices());
  if (auto *Test = dyn_cast<ICmpInst>(By))
    return isa<ConstantPointerNull>(Test->getOperand(1 - U.getOperandNo()));
  auto *Call = dyn_cast<CallBase>(By);
  return Call && call(*Call, U, Begins);
}

bool Parameters::Uses::follow(const Value *P, bool Begins) {
  if (Begins)
    Addresses.insert(P);
  return all_of(P->uses(), [&](const Use &U) { return use(U, Begins); });
}

// ---- What is assigned whatever happens -------------------------------------------------------------------------------------------

// 'if (result) *result = ..': of a variable the address is not null.
bool Parameters::Uses::isNull(const BasicBlock *From, const BasicBlock *To) const {
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Test || !Test->isEquality() || !Addresses.contains(Test->getOperand(0)) || !isa<ConstantPointerNull>(Test->getOperand(1)))
    return false;
  const unsigned Null = Test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
  return Branch->getSuccessor(Null) == To && Branch->getSuccessor(1 - Null) != To;
}

// Of blocks not yet known the best is assumed; the solution only gets worse.
bool Parameters::Uses::before(const BasicBlock *BB, const DenseMap<const BasicBlock *, bool> &Out) const {
  return BB != &A.getParent()->getEntryBlock() && all_of(predecessors(BB), [&](const BasicBlock *P) {
           auto Known = Out.find(P);
           return Known == Out.end() || Known->second || isNull(P, BB);
         });
}

uint64_t Parameters::Uses::assigned() const {
  uint64_t Bytes = UINT64_MAX;
  for (auto &[I, Written] : Events)
    Bytes = Written ? std::min(Bytes, Written) : Bytes;
  if (Bytes == UINT64_MAX)
    return 0;
  DenseMap<const BasicBlock *, bool> Out;
  ReversePostOrderTraversal<const Function *> Order(A.getParent());
  bool Certain = true;
  for (bool Changed = true; Changed;) {
    Changed = false;
    Certain = true;
    for (const BasicBlock *BB : Order) {
      bool Now = before(BB, Out);
      for (const Instruction &I : *BB) {
        auto Here = Events.find(&I);
        Certain &= Now || !(isa<ReturnInst>(I) || (Here != Events.end() && !Here->second));
        Now |= Here != Events.end() && Here->second;
      }
      auto [At, New] = Out.try_emplace(BB, Now);
      Changed |= !New && At->second != Now;
      At->second = Now;
    }
  }
  return Certain ? Bytes : 0;
}

// ---- Functions ---------------------------------------------------------------------------------------------------------------------

static bool isSeen(const Function &F) {
  return !F.isDeclaration() && !F.isInterposable() && !F.hasAvailableExternallyLinkage() && !F.callsFunctionThatReturnsTwice() &&
         !F.hasFnAttribute(Attribute::Naked) && none_of(instructions(F), [](const Instruction &I) { return markerName(&I) == DVMM_ENTER; });
}

Parameters::Found Parameters::of(const Argument &A) {
  auto [At, New] = All.try_emplace(&A);
  if (!New)
    return At->second;
  Found Now;
  if (A.getType()->isPointerTy() && !A.hasPassPointeeByValueCopyAttr() && !A.hasStructRetAttr() && isSeen(*A.getParent())) {
    Uses U(*this, A);
    Now.Quiet = U.follow(&A, true);
    Now.Assigned = Now.Quiet ? U.assigned() : 0;
  }
  return All[&A] = Now;
}

Parameters::Parameters(const Module &M) {
  for (const Function &F : M)
    for (const Argument &A : F.args())
      of(A);
}

const Parameters::Found *Parameters::known(const CallBase &Call, unsigned Operand) const {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Operand >= Call.arg_size() || Operand >= Callee->arg_size())
    return nullptr;
  auto At = All.find(Callee->getArg(Operand));
  return At == All.end() ? nullptr : &At->second;
}

bool Parameters::isQuiet(const CallBase &Call, unsigned Operand) const {
  const Found *There = known(Call, Operand);
  return There && There->Quiet;
}

uint64_t Parameters::assigns(const CallBase &Call, unsigned Operand) const {
  const Found *There = known(Call, Operand);
  const Value *Given = There ? Call.getArgOperand(Operand) : nullptr;
  return Given && count_if(Call.args(), [&](const Use &U) { return U.get()->stripInBoundsOffsets() == Given; }) == 1 ? There->Assigned : 0;
}

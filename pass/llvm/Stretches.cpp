// An innermost loop of a nest, in C:
//
//   turns = ..;                                       // from its header
//   if (turns >= __dvmrt_stretch_least && subscripts of the first and the last turn are in bounds && its variables have values) {
//     address[] = of each reference in the first turn;
//     if (__dvmrt_stretch(&what_it_refers_to, turns, address)) {
//       loop without marks
//       what the last turn leaves in words of variables
//       goto behind;
//     }
//   }
//   loop with checks
//
// Accesses that cannot be told by then keep their checks in the copy; the others must have nothing to do with them.
// Outside of nests it is __dvmrt_turns that is asked, and all accesses must be told.
#include "Stretches.h"
#include "Linear.h"
#include "LoopForms.h"
#include "PlainCode.h"
#include "Views.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dvmir;

namespace {

struct Reference {
  Access *A;
  LoopForms::Form Address;
  uint32_t Flags;
};

class Stretch {
  FunctionState &S;
  Construct &K;
  Runtime &RT;
  Loop &L;
  BasicBlock *Ask;
  LoopForms Forms;
  PlainCode Code;
  IRBuilder<> &B; // of Forms
  const bool Outside; // of all nests
  CallInst *Iter = nullptr; // each turn is an iteration
  Value *Fine = nullptr;    // i1: all that is tested before the runtime is asked
  std::vector<Reference> References;
  SmallPtrSet<CallInst *, 8> Kept; // marks of accesses that are judged by themselves
  SmallVector<std::pair<AllocaInst *, bool>, 4> Left; // words that the loop leaves: as assigned in the present iteration, or for good

public:
  Stretch(FunctionState &State, Construct &Nest, Loop &Inner, DominatorTree &DT)
      : S(State), K(Nest), RT(S.RT), L(Inner), Ask(BasicBlock::Create(RT.C, "dvm.ask", &S.F)), Forms(S, K, L, DT, Ask), Code(S, K),
        B(Forms.B), Outside(&K == &S.Outside) {}

  bool plan();
  // 'More': the accesses of the copy.
  void carryOut(std::vector<Access> &More);
  void giveUp();

private:
  bool checkCode();
  bool checkIteration();
  bool checkVariables();
  bool checkVariable(Variable &V);
  bool checkReferences();
  bool addReference(Access &A);
  bool addBounds(Access &A, Value *&Inside);
  bool keepApart();
  bool isApart(const Reference &R);
  bool isPartial() const { return !Kept.empty(); }
  bool always(const BasicBlock *BB) const { return Forms.DT.dominates(BB, Forms.Latch); }
  void require(Value *Cond) { Fine = B.CreateAnd(Fine, Cond); }
  Constant *table();
  void ask(BasicBlock *Without);
  BasicBlock *cloneLoop(BasicBlock *Done, std::vector<Access> &More);
  void copyMark(CallInst *Mark, CallInst *Original, ValueToValueMapTy &Map, std::vector<Access> &More);
  void finish(BasicBlock *Done);
  Value *indexValue(IRBuilder<> &At, unsigned Arg);
};

} // namespace

// ---- May it be asked? ---------------------------------------------------------------------------------------------------------

bool Stretch::plan() {
  if (!checkCode() || !checkIteration() || !Forms.run())
    return false;
  Fine = Forms.Sane;
  return checkVariables() && checkReferences();
}

void Stretch::giveUp() {
  Ask->dropAllReferences();
  Ask->eraseFromParent();
}

bool Stretch::checkCode() {
  for (BasicBlock *BB : L.blocks()) {
    if (BB->hasAddressTaken() || BB->isEHPad() || (!Outside && !K.holds(BB)))
      return false;
    for (Instruction &I : *BB) {
      StringRef Mark = markerName(&I);
      if (Code.check(I) || (!Mark.empty() && Mark != DVMM_ACCESS && Mark != DVMM_INDEX && Mark != DVMM_ITER))
        return false;
      for (User *U : I.users())
        if (!L.contains(cast<Instruction>(U)))
          return false;
      if (auto *Life = dyn_cast<IntrinsicInst>(&I); Life && Life->isLifetimeStartOrEnd())
        if (Variable *V = S.VariableOf.lookup(Life->getArgOperand(1)); V && V->Tracked)
          return false; // it is born again in each turn
    }
  }
  return true;
}

// Is each turn an iteration?  Then it begins before anything is accessed, and the counter is the innermost index variable.
bool Stretch::checkIteration() {
  for (CallInst *Mark : K.Iters)
    if (L.contains(Mark->getParent()))
      Iter = Mark;
  if (!Iter)
    return true;
  if (K.Iters.size() != 1 || K.Leaves.empty() || Iter->arg_size() < 4 || Iter->arg_size() > 2 + 2 * DVMRT_NDIMS_MAX)
    return false;
  for (unsigned Arg = 2; Arg + 1 < Iter->arg_size(); Arg += 2) {
    Variable *V = S.VariableOf.lookup(Iter->getArgOperand(Arg));
    if (!V || V->Tracked || V->isArray())
      return false;
  }
  for (const Access &A : S.Accesses)
    if (L.contains(A.Mark->getParent()) && !A.Var && !Forms.DT.dominates(Iter, A.Mark))
      return false;
  return true;
}

// ---- Variables with words of their own ----

bool Stretch::checkVariables() {
  if (Iter && Iter->getArgOperand(Iter->arg_size() - 2) != Forms.Counter)
    return false;
  SmallSetVector<Variable *, 8> Used;
  for (const Access &A : S.Accesses)
    if (A.Var && L.contains(A.Mark->getParent()))
      Used.insert(A.Var);
  for (auto &V : S.Variables)
    if (V->Words && any_of(V->Stores, [&](Instruction *I) { return L.contains(I); }))
      Used.insert(V.get());
  return all_of(Used, [&](Variable *V) { return checkVariable(*V); });
}

// What its words are before the loop must make each access in it right, and what they are behind it must be known.
bool Stretch::checkVariable(Variable &V) {
  if (V.Sure)
    return true; // it has no words
  if (V.isArray())
    return false;
  auto Stores = Forms.storesTo(V.Alloca);
  unsigned Kind = V.kind(&K);
  if (Kind == DVMRT_L_INDEX)
    return V.Alloca == Forms.Counter ? Iter != nullptr : Stores.empty();
  bool ByIteration = Kind == DVMRT_L_PRIVATE || Kind == DVMRT_L_FIRST || Kind == DVMRT_L_SHARED;
  bool Born = any_of(V.Starts, [&](Instruction *I) { return L.contains(I); }) ||
              (Iter && V.Starts.empty() && V.Inner.lookup(&K) && Kind == DVMRT_L_PLAIN);
  bool Always = any_of(Stores, [&](StoreInst *St) { return always(St->getParent()); });
  bool Unassigned = any_of(S.Accesses, [&](const Access &A) { // it is read where its turn may not have assigned it yet
    return A.Var == &V && A.Text.Reads && L.contains(A.Mark->getParent()) &&
           none_of(Stores, [&](StoreInst *St) { return Forms.DT.dominates(St, A.Mark); });
  });
  if (Born)
    return !Unassigned;
  if (Iter && ByIteration)
    return Kind == DVMRT_L_PRIVATE && !Unassigned;
  if (Unassigned || (!Stores.empty() && !Always) || Kind == DVMRT_L_FIRST || Kind == DVMRT_L_SHARED) {
    Value *Word = S.load(B, V.Words);
    require(ByIteration ? B.CreateICmpEQ(Word, S.limit(B, &K, LimitWrite)) : B.CreateICmpUGE(Word, B.getInt32(DVMRT_W_FIRST)));
  } else if (!Stores.empty()) {
    Left.push_back({V.Words, ByIteration});
  }
  return true;
}

// ---- References ----

static constexpr uint64_t MaxOutside = 16; // bytes of an access

bool Stretch::checkReferences() {
  for (Access &A : S.Accesses)
    if (L.contains(A.Mark->getParent()) && !A.Var) {
      if (A.In != (Outside ? nullptr : &K) || A.Text.Whole || A.Text.Loose)
        return false;
      if (addReference(A))
        continue;
      if (Outside)
        return false;
      Kept.insert(A.Mark);
    }
  return (!isPartial() || keepApart()) && !References.empty();
}

bool Stretch::addReference(Access &A) {
  const BasicBlock *BB = A.Mark->getParent();
  Value *P = A.Mark->getArgOperand(0);
  if (A.Text.Buffered || Code.isReduction(P) || BB == Forms.Latch)
    return false;
  uint32_t Flags = A.Text.touchFlags();
  bool Only = A.Text.Reads && !A.Text.Writes, Maybe = !always(BB);
  if (View *V = viewFor(S, A)) {
    Only &= V->ReadOnly;
  } else if (Outside) {
    Only = true; // what a condition hides matters only where something is in doubt, which is asked
    if (!isPowerOf2_64(A.Text.Size) || A.Text.Size > MaxOutside)
      return false;
    Flags |= mayLeaveArray(A) ? DVMRT_STRETCH_NAMED : 0;
  } else {
    if ((A.Text.Use && *A.Text.Use < K.Text.Uses.size()) || (A.Text.Size != 4 && A.Text.Size != 8))
      return false;
    auto *G = dyn_cast<GlobalVariable>(pointerRoot(P));
    if (Only && G && Code.isOnlyRead(G))
      Flags |= DVMRT_STRETCH_ASKS;
    Only &= (Flags & DVMRT_STRETCH_ASKS) || K.OnlyReadsData;
  }
  if (Maybe && !Only)
    return false;
  auto Address = Forms.address(P);
  Value *Inside = B.getTrue();
  if (!Address || (BB == Forms.Header && Address->Step) || !addBounds(A, Inside))
    return false;
  require(Inside);
  References.push_back({&A, *Address, Flags | (Maybe ? DVMRT_STRETCH_MAYBE : 0)});
  return true;
}

// What AccessLowering::bounds tests, for the first and for the last turn.
bool Stretch::addBounds(Access &A, Value *&Inside) {
  View *V = viewFor(S, A);
  for (unsigned D = 0; D < A.Index.size() && D < DVMRT_NDIMS_MAX; ++D) {
    Value *Limit = nullptr;
    if (D < A.Text.Extents.size() && A.Text.Extents[D]) {
      Limit = B.getInt64(*A.Text.Extents[D]);
    } else if (A.Extent[D]) {
      auto Extent = Forms.of(A.Extent[D]);
      if (!Extent || Extent->Step)
        return false;
      Limit = Extent->First;
    } else if (V) {
      Limit = S.load(B, V->Extents[D]);
    }
    if (!Limit || !A.Index[D])
      continue;
    auto X = Forms.of(A.Index[D]);
    if (!X)
      return false;
    Inside = B.CreateAnd(Inside, B.CreateICmpULT(X->First, Limit));
    if (!X->Step)
      continue;
    Value *Way = B.CreateMul(B.CreateSub(Forms.Turns, B.getInt64(1)), B.getInt64(X->Step));
    Inside = B.CreateAnd(Inside, B.CreateICmpULT(B.CreateAdd(X->First, Way), Limit));
  }
  return true;
}

// ---- Some of them only ----

// May it be judged before what is judged by itself?
bool Stretch::isApart(const Reference &R) {
  if (viewFor(S, *R.A))
    return K.Text.Uses[*R.A->Text.Use].Access == 'r' && !R.A->Text.Writes;
  if (R.Flags & DVMRT_STRETCH_ASKS || (K.OnlyReadsData && !R.A->Text.Writes))
    return true;
  GlobalVariable *G = boundedRoot(*R.A, RT.DL);
  return G && G->hasExactDefinition() && all_of(S.Accesses, [&](const Access &A) {
           GlobalVariable *Other = Kept.contains(A.Mark) ? boundedRoot(A, RT.DL) : nullptr;
           return !Kept.contains(A.Mark) || (Other && Other->hasExactDefinition() && Other != G);
         });
}

bool Stretch::keepApart() {
  for (bool Changed = true; Changed;) { // what is kept may touch another one
    Changed = false;
    for (unsigned N = 0; N < References.size(); ++N)
      if (!isApart(References[N])) {
        Kept.insert(References[N].A->Mark);
        References.erase(References.begin() + N--);
        Changed = true;
      }
  }
  return true;
}

// ---- Both loops ----------------------------------------------------------------------------------------------------------------

static GlobalVariable *privateData(Module &M, Constant *Init, bool Constant) {
  auto *G = new GlobalVariable(M, Init->getType(), Constant, GlobalValue::PrivateLinkage, Init, "dvm.stretch");
  G->setAlignment(Align(8));
  return G;
}

Constant *Stretch::table() {
  auto Word = [&](uint32_t N) { return ConstantInt::get(RT.I32, N); };
  SmallVector<Constant *, 8> Rows;
  for (const Reference &R : References) {
    bool Element = viewFor(S, *R.A) != nullptr;
    Rows.push_back(ConstantStruct::getAnon({S.site(*R.A),
                                            Word(Element   ? *R.A->Text.Use
                                                 : Outside ? R.A->Text.Size
                                                           : DVMRT_SUMMARY_DATA),
                                            Word(R.Flags), ConstantInt::getSigned(RT.I64, R.Address.Step)}));
  }
  Constant *Refs = privateData(RT.M, ConstantArray::get(ArrayType::get(Rows[0]->getType(), Rows.size()), Rows), true);
  Constant *Site = Outside ? static_cast<Constant *>(ConstantPointerNull::get(RT.Ptr)) : K.Site;
  return privateData(
      RT.M,
      ConstantStruct::getAnon({Site, Word(Rows.size()), Word(Iter ? 1 + isPartial() : 0),
                               ConstantInt::getSigned(RT.I64, Iter ? Forms.Step : 0), Refs, ConstantPointerNull::get(RT.Ptr)}),
      false);
}

Value *Stretch::indexValue(IRBuilder<> &At, unsigned Arg) {
  int64_t Bytes = cast<ConstantInt>(Iter->getArgOperand(Arg + 1))->getSExtValue();
  Value *V = At.CreateLoad(At.getIntNTy(std::abs(Bytes) * 8), Iter->getArgOperand(Arg));
  return Bytes < 0 ? At.CreateSExt(V, RT.I64) : At.CreateZExt(V, RT.I64);
}

void Stretch::ask(BasicBlock *Without) {
  auto *Least = RT.M.getOrInsertGlobal("__dvmrt_stretch_least", RT.I64);
  require(B.CreateICmpUGE(Forms.Turns, B.CreateLoad(RT.I64, Least)));
  BasicBlock *Call = BasicBlock::Create(RT.C, "dvm.call", &S.F);
  B.CreateCondBr(Fine, Call, Forms.Header);
  B.SetInsertPoint(Call);
  for (unsigned Arg = 2, Dim = 0; Iter && Arg + 1 < Iter->arg_size(); Arg += 2, ++Dim)
    RT.storeNow(B, offsetof(dvmrt_now, iv) + 8 * Dim, indexValue(B, Arg));
  auto *T = ArrayType::get(RT.I64, References.size());
  AllocaInst *Addresses = S.slot(T, "dvm.first");
  for (unsigned N = 0; N < References.size(); ++N)
    B.CreateStore(References[N].Address.First, B.CreateConstInBoundsGEP2_64(T, Addresses, 0, N));
  Value *Proved = RT.call(B, Outside ? "__dvmrt_turns" : "__dvmrt_stretch", {table(), Forms.Turns, Addresses});
  B.CreateCondBr(B.CreateIsNotNull(Proved), Without, Forms.Header);
  Forms.Before->getTerminator()->replaceSuccessorWith(Forms.Header, Ask);
}

void Stretch::copyMark(CallInst *Mark, CallInst *Original, ValueToValueMapTy &Map, std::vector<Access> &More) {
  StringRef Name = markerName(Mark);
  if (isPartial() && Name == DVMM_INDEX)
    return S.Indices.push_back(Mark);
  if (isPartial() && Name == DVMM_ITER)
    return K.Iters.push_back(Mark);
  if (Kept.contains(Original)) {
    Access &Of = *find_if(S.Accesses, [&](const Access &A) { return A.Mark == Original; });
    S.site(Of);
    Access Copy = Of;
    Copy.Mark = Mark;
    Copy.Again = true;
    for (auto *Values : {&Copy.Index, &Copy.Extent})
      for (WeakTrackingVH &V : *Values)
        if (Value *New = V ? Map.lookup(V) : nullptr)
          V = New;
    More.push_back(std::move(Copy));
    return;
  }
  if (!Mark->getType()->isVoidTy())
    Mark->replaceAllUsesWith(Mark->getArgOperand(0));
  Mark->eraseFromParent();
}

BasicBlock *Stretch::cloneLoop(BasicBlock *Done, std::vector<Access> &More) {
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Cloned;
  for (BasicBlock *BB : L.blocks()) {
    Cloned.push_back(CloneBasicBlock(BB, Map, ".stretch", &S.F));
    Map[BB] = Cloned.back();
  }
  remapInstructionsInBlocks(Cloned, Map);
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (!markerName(&I).empty())
        copyMark(cast<CallInst>(Map[&I]), cast<CallInst>(&I), Map, More);
  K.Blocks.insert(Cloned.begin(), Cloned.end());
  auto *Header = cast<BasicBlock>(Map[Forms.Header]);
  Header->getTerminator()->replaceSuccessorWith(Forms.Exit, Done);
  return Header;
}

// As the last turn leaves it: if the runtime has counted the iterations, the last one has given the index variables their values.
void Stretch::finish(BasicBlock *Done) {
  IRBuilder<> After(Done);
  After.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  if (Iter && !isPartial()) {
    Value *Write = S.loadLimit(After, LimitWrite);
    S.store(After, Write, K.Limits[LimitWrite]);
    for (unsigned Arg = 2; Arg + 1 < Iter->arg_size(); Arg += 2)
      if (AllocaInst *Words = S.VariableOf.lookup(Iter->getArgOperand(Arg))->Words)
        S.store(After, Write, Words);
  }
  for (auto [Words, ByIteration] : Left)
    S.store(After, ByIteration ? S.limit(After, &K, LimitWrite) : After.getInt32(DVMRT_W_ASSIGNED), Words);
  After.CreateBr(Forms.Exit);
}

void Stretch::carryOut(std::vector<Access> &More) {
  if (!K.Site && !Outside)
    K.Site = RT.site(K.TextConstant);
  BasicBlock *Done = BasicBlock::Create(RT.C, "dvm.done", &S.F);
  BasicBlock *Without = cloneLoop(Done, More);
  finish(Done);
  ask(Without);
  for (Access &A : S.Accesses)
    A.Asked |= Outside && L.contains(A.Mark->getParent());
}

// ---- All loops -------------------------------------------------------------------------------------------------------------------

// The construct whose iterations execute the loop; null: it is not to be told.
static Construct *nestOf(FunctionState &S, const Loop &L) {
  for (auto &[Cid, K] : S.Constructs)
    if (K->Text.Kind == "parallel" && K->Begin && K->holds(L.getHeader()))
      return K.get();
  return S.around(L.getHeader()) ? nullptr : &S.Outside;
}

// Code that nothing is optimised in is not made longer, but where distributed elements are used.
static bool mayGrow(FunctionState &S, const Loop &L) {
  return !S.F.hasOptNone() || any_of(S.Accesses, [&](const Access &A) { return A.Text.OfDistributed && L.contains(A.Mark->getParent()); });
}

void dvmir::findStretches(FunctionState &S) {
  if (S.Volatile || S.Accesses.empty())
    return;
  DominatorTree DT(S.F);
  LoopInfo LI(DT);
  std::vector<std::unique_ptr<Stretch>> Planned;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Construct *K = L->isInnermost() ? nestOf(S, *L) : nullptr;
    if (!K || (K == &S.Outside && !mayGrow(S, *L)))
      continue;
    auto Plan = std::make_unique<Stretch>(S, *K, *L, DT);
    Plan->plan() ? Planned.push_back(std::move(Plan)) : Plan->giveUp();
  }
  std::vector<Access> More;
  for (auto &Plan : Planned)
    Plan->carryOut(More);
  S.Accesses.insert(S.Accesses.end(), More.begin(), More.end());
}

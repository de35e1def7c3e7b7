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
// Outside of nests it is __dvmrt_turns that is asked, and all accesses must be told. Mostly nothing of what the loop touches is in doubt there,
// which __dvmrt_certain knows of fewer, larger pieces.
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

// Subscripts that differ by constants: of the least one, and what the greatest one adds.
struct Subscripts {
  LoopForms::Form Least, Limit;
  int64_t More;
};

// References beside each other, likewise.
struct Piece {
  LoopForms::Form Least;
  int64_t Bytes;
};

// Elements of a local array with words of its own, in all turns: bytes from its beginning.
struct Part {
  Variable *V;
  Value *Low, *Bytes;
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
  Value *Fine = nullptr; // i1: all that is tested before the runtime is asked
  std::vector<Reference> References;
  std::vector<Subscripts> Bounds;
  SmallPtrSet<CallInst *, 8> Kept; // marks of accesses that are judged by themselves
  SmallVector<Part, 4> Filled; // that the loop gives values
  bool HasArrays = false;
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
  bool checkArray(Variable &V);
  Value *turnsBefore(const Reference &Read, ArrayRef<Reference> All);
  Part partOf(Variable &V, const LoopForms::Form &Address, Value *Turns);
  void requireAssigned(const Part &P);
  bool checkReferences();
  bool addReference(Access &A);
  bool addResult(const Access &A);
  bool addBounds(Access &A);
  std::optional<LoopForms::Form> limitOf(Access &A, unsigned D);
  void addSubscript(const LoopForms::Form &X, const LoopForms::Form &Limit);
  void requireBounds();
  bool keepApart();
  bool isApart(const Reference &R);
  bool isPartial() const { return !Kept.empty(); }
  bool always(const BasicBlock *BB) const { return Forms.DT.dominates(BB, Forms.Latch); }
  void require(Value *Cond) { Fine = B.CreateAnd(Fine, Cond); }
  Constant *table();
  std::vector<Piece> pieces() const;
  bool isFirstCertain() const;
  void askCertain(BasicBlock *Without, BasicBlock *Else);
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
  Fine = B.getTrue();
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
    return checkArray(V);
  auto Stores = Forms.storesTo(V.Alloca);
  unsigned Kind = V.kind(&K);
  if (Kind == DVMRT_L_INDEX)
    return V.Alloca == Forms.Counter ? Iter != nullptr : Stores.empty();
  bool ByIteration = Kind == DVMRT_L_PRIVATE || Kind == DVMRT_L_FIRST || Kind == DVMRT_L_SHARED;
  bool Born = any_of(V.Starts, [&](Instruction *I) { return L.contains(I); }) ||
              (Iter && V.Starts.empty() && V.Inner.lookup(&K) && Kind == DVMRT_L_PLAIN);
  bool Always = any_of(Stores, [&](StoreInst *St) { return always(St->getParent()) && certainlyAssigns(S, St, Forms.DT); });
  bool Unassigned = any_of(S.Accesses, [&](const Access &A) { // it is read where its turn may not have assigned it yet
    return A.Var == &V && A.Text.Reads && L.contains(A.Mark->getParent()) &&
           none_of(Stores, [&](StoreInst *St) { return Forms.DT.dominates(St, A.Mark) && certainlyAssigns(S, St, Forms.DT); });
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

// ---- .. of several elements ----

// Has it stored by then?
static bool storesBefore(const Reference &W, const Reference &Read, const DominatorTree &DT) {
  return any_of(W.A->Mark->users(), [&](User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && Store->getPointerOperand() == W.A->Mark && DT.dominates(Store, Read.A->Mark);
  });
}

// In how many turns does the element have to have a value from before the loop?
Value *Stretch::turnsBefore(const Reference &Read, ArrayRef<Reference> All) {
  const LoopForms::Form &To = Read.Address;
  for (const Reference &W : All) {
    const LoopForms::Form &From = W.Address;
    if (!W.A->Text.Writes || !always(W.A->Mark->getParent()) || From.Terms != To.Terms || From.Step != To.Step)
      continue;
    const int64_t Way = From.Add - To.Add;
    if (!Way && storesBefore(W, Read, Forms.DT))
      return B.getInt64(0);
    if (Way && To.Step && Way % To.Step == 0 && Way / To.Step > 0) // an earlier turn has written it
      return B.CreateBinaryIntrinsic(Intrinsic::umin, Forms.Turns, B.getInt64(Way / To.Step));
  }
  return Forms.Turns;
}

Part Stretch::partOf(Variable &V, const LoopForms::Form &Address, Value *Turns) {
  Value *Low = B.CreateSub(Forms.first(B, Address), B.CreatePtrToInt(V.Alloca, RT.I64));
  Value *Way = B.CreateMul(B.CreateSub(Turns, B.getInt64(1)), B.getInt64(std::abs(Address.Step)));
  return {&V, Address.Step < 0 ? B.CreateSub(Low, Way) : Low, B.CreateAdd(Way, B.getInt64(V.ElementSize))};
}

void Stretch::requireAssigned(const Part &P) {
  require(RT.fast(B, "dvmi_local_assigned", RT.I1, {P.V->Words, B.getInt64(P.V->Count), B.getInt64(P.V->ElementSize), P.Low, P.Bytes}));
}

bool Stretch::checkArray(Variable &V) {
  auto Inside = [&](Instruction *I) { return L.contains(I); };
  if (!Outside || any_of(V.Starts, Inside) || any_of(V.Stores, Inside))
    return false;
  SmallVector<Reference, 8> All;
  for (Access &A : S.Accesses) {
    const BasicBlock *BB = A.Mark->getParent();
    if (A.Var != &V || !L.contains(BB))
      continue;
    auto Address = BB == Forms.Latch || BB == Forms.Header ? std::nullopt : Forms.address(A.Mark->getArgOperand(0));
    if (!Address || !addBounds(A))
      return false;
    All.push_back({&A, *Address, 0});
  }
  for (const Reference &R : All) {
    Value *Before = R.A->Text.Reads ? turnsBefore(R, All) : B.getInt64(0);
    const bool Exact = always(R.A->Mark->getParent()) && (!R.Address.Step || uint64_t(std::abs(R.Address.Step)) == V.ElementSize);
    if (R.A->Text.Writes && !Exact)
      Before = Forms.Turns;
    else if (R.A->Text.Writes)
      Filled.push_back(partOf(V, R.Address, Forms.Turns));
    if (auto *Known = dyn_cast<ConstantInt>(Before); !Known || !Known->isZero())
      requireAssigned(partOf(V, R.Address, Before));
  }
  return HasArrays = true;
}

// ---- References ----

static constexpr uint64_t MaxOutside = 16; // bytes of an access

bool Stretch::checkReferences() {
  for (Access &A : S.Accesses)
    if (L.contains(A.Mark->getParent()) && !A.Var) {
      if (A.In != (Outside ? nullptr : &K) || A.Text.Whole || A.Text.Loose)
        return false;
      if (addReference(A) || addResult(A))
        continue;
      if (Outside)
        return false;
      Kept.insert(A.Mark);
    }
  return (!isPartial() || keepApart()) && (HasArrays || !References.empty());
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
  auto Address = Forms.address(P, A.Text.PartOfElement ? 0 : A.Text.Size);
  if (!Address || (BB == Forms.Header && Address->Step) || !addBounds(A))
    return false;
  References.push_back({&A, *Address, Flags | (Maybe ? DVMRT_STRETCH_MAYBE : 0)});
  return true;
}

// What an earlier row has made certain.
bool Stretch::addResult(const Access &A) {
  AllocaInst *Settled = resultSlot(S, A);
  if (Settled)
    require(B.CreateIsNotNull(S.load(B, Settled)));
  return Settled;
}

// Of a dimension; a form of another step than 0 stands for what is not known before.
std::optional<LoopForms::Form> Stretch::limitOf(Access &A, unsigned D) {
  if (D < A.Text.Extents.size() && A.Text.Extents[D]) {
    LoopForms::Form F;
    F.Add = *A.Text.Extents[D];
    return F;
  }
  if (A.Extent[D]) {
    auto Extent = Forms.of(A.Extent[D]);
    return Extent && !Extent->Step ? Extent : LoopForms::Form{{}, 0, 1};
  }
  View *V = viewFor(S, A);
  return V ? std::optional(Forms.held(V->Extents[D])) : std::nullopt;
}

static bool isBeside(const LoopForms::Form &X, const LoopForms::Form &Y) { return X.Terms == Y.Terms && X.Step == Y.Step; }

void Stretch::addSubscript(const LoopForms::Form &X, const LoopForms::Form &Limit) {
  for (Subscripts &Known : Bounds) {
    int64_t Way;
    if (!isBeside(Known.Least, X) || Known.Limit.Terms != Limit.Terms || Known.Limit.Add != Limit.Add ||
        SubOverflow(X.Add, Known.Least.Add, Way))
      continue;
    if (Way < 0)
      Known.Least.Add = X.Add;
    Known.More = std::max(Way, Known.More) - std::min<int64_t>(Way, 0);
    return;
  }
  Bounds.push_back({X, Limit, 0});
}

// What AccessLowering::bounds tests.
bool Stretch::addBounds(Access &A) {
  SmallVector<std::pair<LoopForms::Form, LoopForms::Form>, 4> Found;
  for (unsigned D = 0; D < A.Index.size() && D < DVMRT_NDIMS_MAX; ++D) {
    auto Limit = limitOf(A, D);
    if (Limit && Limit->Step)
      return false;
    if (!Limit || !A.Index[D])
      continue;
    auto X = Forms.of(A.Index[D]);
    if (!X)
      return false;
    Found.push_back({*X, *Limit});
  }
  for (auto &[X, Limit] : Found)
    addSubscript(X, Limit);
  return true;
}

// For the first and for the last turn.
void Stretch::requireBounds() {
  for (const Subscripts &Some : Bounds) {
    Value *Limit = Forms.first(B, Some.Limit), *Least = Forms.first(B, Some.Least);
    Value *Greatest = B.CreateAdd(Least, B.getInt64(Some.More));
    if (Some.Least.Step) {
      Value *Way = B.CreateMul(B.CreateSub(Forms.Turns, B.getInt64(1)), B.getInt64(Some.Least.Step));
      Value *&Moves = Some.Least.Step > 0 ? Greatest : Least;
      Moves = B.CreateAdd(Moves, Way);
    }
    require(B.CreateICmpULT(Least, Limit));
    if (Greatest != Least)
      require(B.CreateICmpULT(Greatest, Limit));
  }
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

static constexpr int64_t Together = 64; // bytes between references that are one piece

std::vector<Piece> Stretch::pieces() const {
  std::vector<Piece> Found;
  for (const Reference &R : References) {
    const int64_t Size = R.A->Text.Size;
    auto Known = find_if(Found, [&](Piece &P) {
      int64_t Way;
      return isBeside(P.Least, R.Address) && !SubOverflow(R.Address.Add, P.Least.Add, Way) && Way >= -Size - Together &&
             Way <= P.Bytes + Together;
    });
    if (Known == Found.end()) {
      Found.push_back({R.Address, Size});
      continue;
    }
    const int64_t Way = R.Address.Add - Known->Least.Add;
    Known->Bytes = std::max(Known->Bytes, Way + Size) - std::min<int64_t>(Way, 0);
    Known->Least.Add += std::min<int64_t>(Way, 0);
  }
  return Found;
}

// What no iteration executes, and what cannot be distributed without being in doubt.
bool Stretch::isFirstCertain() const {
  return Outside && !RT.InLoops.contains(&S.F) && none_of(References, [](const Reference &R) { return R.Flags & DVMRT_STRETCH_NAMED; });
}

void Stretch::askCertain(BasicBlock *Without, BasicBlock *Else) {
  SmallVector<Constant *, 8> Rows;
  const std::vector<Piece> Pieces = pieces();
  auto *T = ArrayType::get(RT.I64, Pieces.size());
  AllocaInst *Addresses = S.slot(T, "dvm.pieces");
  for (unsigned N = 0; N < Pieces.size(); ++N) {
    Rows.push_back(ConstantInt::getSigned(RT.I64, Pieces[N].Least.Step));
    Rows.push_back(B.getInt64(Pieces[N].Bytes));
    B.CreateStore(Forms.first(B, Pieces[N].Least), B.CreateConstInBoundsGEP2_64(T, Addresses, 0, N));
  }
  Constant *Table = privateData(RT.M, ConstantArray::get(ArrayType::get(RT.I64, Rows.size()), Rows), true);
  Value *Certain = RT.call(B, "__dvmrt_certain", {Table, B.getInt64(Pieces.size()), Forms.Turns, Addresses});
  B.CreateCondBr(B.CreateIsNotNull(Certain), Without, Else);
}

void Stretch::ask(BasicBlock *Without) {
  auto *Least = RT.M.getOrInsertGlobal("__dvmrt_stretch_least", RT.I64);
  requireBounds();
  require(Forms.Sane);
  require(B.CreateICmpUGE(Forms.Turns, B.CreateLoad(RT.I64, Least)));
  Forms.Before->getTerminator()->replaceSuccessorWith(Forms.Header, Ask);
  if (References.empty()) {
    B.CreateCondBr(Fine, Without, Forms.Header);
    return;
  }
  BasicBlock *Call = BasicBlock::Create(RT.C, "dvm.call", &S.F);
  BasicBlock *First = isFirstCertain() ? BasicBlock::Create(RT.C, "dvm.certain", &S.F, Call) : Call;
  B.CreateCondBr(Fine, First, Forms.Header);
  B.SetInsertPoint(First);
  if (First != Call)
    askCertain(Without, Call);
  B.SetInsertPoint(Call);
  for (unsigned Arg = 2, Dim = 0; Iter && Arg + 1 < Iter->arg_size(); Arg += 2, ++Dim)
    RT.storeNow(B, offsetof(dvmrt_now, iv) + 8 * Dim, indexValue(B, Arg));
  auto *T = ArrayType::get(RT.I64, References.size());
  AllocaInst *Addresses = S.slot(T, "dvm.first");
  for (unsigned N = 0; N < References.size(); ++N)
    B.CreateStore(Forms.first(B, References[N].Address), B.CreateConstInBoundsGEP2_64(T, Addresses, 0, N));
  Value *Proved = RT.call(B, Outside ? "__dvmrt_turns" : "__dvmrt_stretch", {table(), Forms.Turns, Addresses});
  B.CreateCondBr(B.CreateIsNotNull(Proved), Without, Forms.Header);
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
  for (auto [Load, Bytes] : Forms.Strides)
    if (Value *Copy = Map.lookup(Load))
      Copy->replaceAllUsesWith(ConstantInt::get(Load->getType(), Bytes));
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
  for (const Part &P : Filled)
    RT.fast(After, "dvmi_local_part", RT.Void,
            {P.V->Words, After.getInt64(P.V->Count), After.getInt64(P.V->ElementSize), P.Low, P.Bytes, After.getInt32(DVMRT_W_ASSIGNED)});
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

#include "Function.h"
#include "NestTexts.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace dvmir;

StringRef dvmir::markerText(Value *Argument) {
  StringRef Text;
  if (!getConstantStringInfo(Argument, Text))
    report_fatal_error("dvm: a marker without a constant text");
  return Text;
}

Value *dvmir::asWord64(Runtime &RT, IRBuilderBase &B, Value *V) {
  if (V->getType()->isPointerTy())
    return B.CreatePtrToInt(V, RT.I64);
  return B.CreateSExtOrTrunc(V, RT.I64);
}

StringRef dvmir::markerName(const Value *V) {
  auto *Call = dyn_cast<CallInst>(V);
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  // The Fortran side has no variadic functions: a marker of many forms has a number behind a point.
  return Callee && Callee->getName().starts_with("__dvmm_") ? Callee->getName().take_until([](char C) { return C == '.'; }) : StringRef();
}

static unsigned textOperand(CallInst *Mark) { return markerName(Mark) == DVMM_BIND ? 1 : 0; }

Value *dvmir::markerTextArgument(CallInst *Mark) { return Mark->getArgOperand(textOperand(Mark)); }

SmallVector<Value *, 8> dvmir::markerArguments(CallInst *Mark) {
  SmallVector<Value *, 8> Args(drop_begin(Mark->args(), textOperand(Mark) + 1));
  if (markerName(Mark) == DVMM_BIND) {
    // The array's own '&' is the value, which the mark has in front.
    auto D = DirectiveText::parse(markerText(markerTextArgument(Mark)));
    auto Own = find_if(D.Args, [](const DirectiveArg &A) { return A.Line == DVMRT_DIRECTIVE_ARRAY && A.Pointer; });
    Args.insert(Args.begin() + std::min<size_t>(Own - D.Args.begin(), Args.size()), Mark->getArgOperand(0));
  }
  return Args;
}

// 's = f(s)': s is written when its value is there, behind the call.
static void moveToUse(CallInst *Mark) {
  SmallPtrSet<const Instruction *, 4> Users;
  for (User *U : Mark->users()) {
    auto *I = cast<Instruction>(U);
    if (isa<PHINode>(I) || I->getParent() != Mark->getParent())
      return;
    Users.insert(I);
  }
  // Step by step: to ask which comes first would number the whole block again after each move.
  Instruction *First = Users.empty() ? nullptr : Mark->getNextNode();
  while (First && !Users.contains(First))
    First = First->getNextNode();
  if (First)
    Mark->moveBefore(First);
}

FunctionState::FunctionState(Function &Fn, Runtime &R) : F(Fn), RT(R), Volatile(Fn.callsFunctionThatReturnsTwice()) {
  collect();
  for (Access &A : Accesses)
    if (A.Text.Whole && A.Text.Writes && !A.Text.OfDistributed)
      moveToUse(A.Mark);
  takeRanges();
  attachIndices();
  for (auto &[Cid, K] : Constructs)
    findBlocks(*K);
  for (auto &[Cid, K] : Constructs)
    for (auto &[OtherCid, Other] : Constructs)
      K->Depth += Other->holds(K->Enter->getParent());
  static const char *const Names[LimitCount] = {"dvm.write", "dvm.first_read", "dvm.first_write", "dvm.mask", "dvm.base"};
  for (auto &[Cid, K] : Constructs)
    if (K->Begin && K->hasIterations())
      for (unsigned L = 0; L < LimitCount; ++L)
        K->Limits[L] = slot(RT.I32, Names[L]);
  for (Access &A : Accesses)
    if (Construct *K = construct(A.Text.Cid); K && K->hasIterations() && K->holds(A.Mark->getParent()))
      A.In = K;
}

void FunctionState::collect() {
  SmallVector<std::pair<CallInst *, StringRef>, 16> Inner; // refer to constructs: after these
  for (Instruction &I : instructions(F)) {
    StringRef Name = markerName(&I);
    if (Name.empty())
      continue;
    auto *Call = cast<CallInst>(&I);
    if (Name == DVMM_LEAVE || Name == DVMM_ROW || Name == DVMM_ITER)
      Inner.push_back({Call, Name});
    else
      collectCall(Call, Name);
  }
  for (auto [Call, Name] : Inner)
    collectCall(Call, Name);
}

void FunctionState::collectCall(CallInst *Call, StringRef Name) {
  if (Name == DVMM_ACCESS) {
    auto *Text = cast<Constant>(Call->getArgOperand(2));
    Accesses.push_back({Call, AccessText::parse(markerText(Text)), Text});
    if (MDNode *Nest = Call->getMetadata(NestMark))
      Accesses.back().Text.Cid = unsigned(mdconst::extract<ConstantInt>(Nest->getOperand(0))->getZExtValue());
    return;
  }
  if (Name == DVMM_INDEX)
    return Indices.push_back(Call);
  if (Name == DVMM_RANGE)
    return RangeMarks.push_back(Call);
  if (Name == DVMM_ENTER)
    return collectConstruct(Call);
  if (Name == DVMM_DIRECT)
    return Directs.push_back(Call);
  if (Name == DVMM_BIND)
    return Binds.push_back(Call);
  if (Name == DVMM_SECTION)
    return Sections.push_back(Call);
  if (Name == DVMM_GIVEN)
    return; // calls look for them
  // Without its construct (dead code, a body that was moved to another function) it has nothing to say.
  auto *Cid = dyn_cast<ConstantInt>(Call->getArgOperand(0));
  Construct *K = Cid ? construct(Cid->getZExtValue()) : nullptr;
  if (!K) {
    Call->eraseFromParent();
    return;
  }
  (Name == DVMM_LEAVE ? K->Leaves : Name == DVMM_ROW ? K->Rows : K->Iters).push_back(Call);
}

void FunctionState::collectConstruct(CallInst *Enter) {
  auto K = std::make_unique<Construct>();
  K->Enter = Enter;
  K->TextConstant = cast<Constant>(Enter->getArgOperand(0));
  K->Text = DirectiveText::parse(markerText(K->TextConstant));
  K->Cid = K->Text.Cid;
  Constructs.insert({K->Cid, std::move(K)});
}

Construct *FunctionState::construct(unsigned Cid) const {
  auto It = Constructs.find(Cid);
  return It == Constructs.end() ? nullptr : It->second.get();
}

Construct *FunctionState::around(const BasicBlock *BB) const {
  Construct *Best = nullptr;
  for (auto &[Cid, K] : Constructs)
    if (K->hasIterations() && K->holds(BB) && (!Best || K->Depth > Best->Depth))
      Best = K.get();
  return Best;
}

// Marks of ranges only tie a text to an argument.
void FunctionState::takeRanges() {
  for (CallInst *Mark : RangeMarks) {
    auto *Text = cast<Constant>(Mark->getArgOperand(1));
    GlobalVariable *Site = nullptr;
    for (Use &U : Mark->uses())
      if (auto *User = dyn_cast<Instruction>(U.getUser()); isa_and_nonnull<CallBase, StoreInst>(User)) {
        if (!Site && !markerText(Text).empty())
          Site = RT.site(Text);
        RangeSites[{User, U.getOperandNo()}] = Site;
      }
    Mark->replaceAllUsesWith(Mark->getArgOperand(0));
    Mark->eraseFromParent();
  }
}

bool FunctionState::isRange(const Instruction *User, unsigned Operand) const { return RangeSites.contains({User, Operand}); }

Constant *FunctionState::rangeSite(const Instruction *User, unsigned Operand) const {
  GlobalVariable *Site = RangeSites.lookup({User, Operand});
  return Site ? static_cast<Constant *>(Site) : ConstantPointerNull::get(RT.Ptr);
}

// 'index' markers belong to accesses by id and dimension.
void FunctionState::attachIndices() {
  if (Accesses.empty())
    return;
  DenseMap<std::pair<uint64_t, uint64_t>, SmallVector<CallInst *, 1>> Marks;
  auto Number = [](CallInst *Call, unsigned Arg) { return cast<ConstantInt>(Call->getArgOperand(Arg))->getZExtValue(); };
  for (CallInst *I : Indices)
    Marks[{Number(I, 1), Number(I, 2)}].push_back(I);
  std::unique_ptr<DominatorTree> DT;
  auto Marked = [&](const Access &A, unsigned Dim) -> CallInst * {
    for (CallInst *I : reverse(Marks.lookup({Number(A.Mark, 1), Dim}))) {
      if (!DT)
        DT = std::make_unique<DominatorTree>(F);
      if (DT->dominates(I, A.Mark))
        return I;
    }
    return nullptr;
  };
  for (Access &A : Accesses)
    for (unsigned Dim = 0; Dim < A.Text.Axes.size(); ++Dim) {
      Value *V = Marked(A, Dim);
      if (auto N = A.Text.Axes[Dim]; !V && N)
        V = ConstantInt::getSigned(RT.I64, *N);
      A.Index.push_back(V);
      A.Extent.push_back(Marked(A, DVMM_EXTENT + Dim));
    }
}

// Blocks between the entry and the 'leave' markers.
void FunctionState::findBlocks(Construct &K) {
  // while (__dvmm_enter(..)): compared with zero, then branched on.
  BasicBlock *First = nullptr;
  for (User *U : K.Enter->users())
    if (auto *Cmp = dyn_cast<ICmpInst>(U))
      for (User *V : Cmp->users())
        if (auto *Br = dyn_cast<BranchInst>(V); Br && Br->getParent() == K.Enter->getParent())
          First = Br->getSuccessor(Cmp->getPredicate() == CmpInst::ICMP_NE ? 0 : 1);
  if (!First)
    return;
  K.Begin = SplitEdge(K.Enter->getParent(), First)->getTerminator();
  SmallPtrSet<BasicBlock *, 4> Last;
  for (CallInst *L : K.Leaves)
    Last.insert(L->getParent());
  SmallVector<BasicBlock *, 16> Work{First};
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (BB == K.Enter->getParent() || !K.Blocks.insert(BB) || Last.contains(BB))
      continue;
    append_range(Work, successors(BB));
  }
}

Instruction *FunctionState::entryPoint() const { return &*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(); }

GlobalVariable *FunctionState::site(Access &A) {
  if (!A.Site)
    A.Site = RT.site(A.TextConstant);
  return A.Site;
}

AllocaInst *FunctionState::slot(Type *T, const Twine &Name) {
  return new AllocaInst(T, RT.DL.getAllocaAddrSpace(), Name, F.getEntryBlock().begin());
}

Value *FunctionState::load(IRBuilderBase &B, AllocaInst *Slot) { return B.CreateLoad(Slot->getAllocatedType(), Slot, Volatile); }

void FunctionState::store(IRBuilderBase &B, Value *V, Value *Slot) { B.CreateStore(V, Slot, Volatile); }

Value *FunctionState::frame(IRBuilderBase &B) { return B.CreateIntrinsic(Intrinsic::frameaddress, {RT.Ptr}, {B.getInt32(0)}); }

static size_t limitOffset(Limit L) {
  static const size_t Offsets[LimitCount] = {offsetof(dvmrt_now, write), offsetof(dvmrt_now, first_read), offsetof(dvmrt_now, first_write),
                                             offsetof(dvmrt_now, mask), offsetof(dvmrt_now, base)};
  return Offsets[L];
}

Value *FunctionState::loadLimit(IRBuilderBase &B, Limit L) { return RT.loadNow(B, limitOffset(L)); }

Value *FunctionState::limit(IRBuilderBase &B, const Construct *In, Limit L) {
  return In && In->Limits[L] ? load(B, In->Limits[L]) : loadLimit(B, L);
}

Value *FunctionState::subscripts(IRBuilderBase &B, const Access &A) {
  if (A.Index.empty())
    return ConstantPointerNull::get(RT.Ptr);
  if (!IndexSpace)
    IndexSpace = slot(ArrayType::get(RT.I64, DVMRT_NDIMS_MAX), "dvm.ix");
  for (unsigned Dim = 0; Dim < A.Index.size() && Dim < DVMRT_NDIMS_MAX; ++Dim) {
    Value *V = A.Index[Dim] ? static_cast<Value *>(A.Index[Dim]) : ConstantInt::get(RT.I64, 0);
    B.CreateStore(V, B.CreateConstInBoundsGEP2_64(IndexSpace->getAllocatedType(), IndexSpace, 0, Dim));
  }
  return IndexSpace;
}

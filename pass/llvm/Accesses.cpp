// Marked accesses: bounds, place, word; the fast path inline, the slow paths as calls.
#include "Doubt.h"
#include "NestTexts.h"
#include "PlainCode.h"
#include "Views.h"
#include "runtime/abi.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dvmir;

namespace {
class AccessLowering {
  FunctionState &S;
  Access &A;
  Runtime &RT;
  GlobalVariable *Site;
  Chain Row;
  IRBuilder<> &B; // Row's
  Value *Address; // what the runtime is told: null for a variable of the function

  ConstantInt *flags(uint32_t More = 0) { return B.getInt32(A.Text.touchFlags() | More); }
  Value *subscripts(IRBuilder<> &SB);
  void outside(IRBuilder<> &SB, Value *Dim, Value *Extent);
  void bounds(View *V);
  void touchBlock(BasicBlock *BB, uint32_t More = 0);
  void place(View &V);
  void element(View &V);
  void memory();
  void result(AllocaInst *Settled);
  void wordsOfMemory(Value *P, BasicBlock *Slow);
  AllocaInst *knownData();
  void variable();
  void variableRead(Value *WordPtr, unsigned Kind);
  void variableWrite(Value *WordPtr, unsigned Kind);
  void variableSlow(Value *Cond, Value *Word, Value *WordPtr, unsigned Kind, uint32_t Flag);

public:
  AccessLowering(FunctionState &State, Access &Acc)
      : S(State), A(Acc), RT(S.RT), Site(S.site(A)), Row(RT, A.Mark), B(Row.B),
        Address(A.Var ? ConstantPointerNull::get(RT.Ptr) : A.Mark->getArgOperand(0)) {}
  void run();
};
} // namespace

// The text's, which those of a pointer's element are not.
Value *AccessLowering::subscripts(IRBuilder<> &SB) {
  return A.Mark->hasMetadata(LedMark) ? ConstantPointerNull::get(RT.Ptr) : S.subscripts(SB, A);
}

// What a pointer leads to may be in another row, or in no array.
void AccessLowering::outside(IRBuilder<> &SB, Value *Dim, Value *Extent) {
  if (A.Mark->hasMetadata(LedMark))
    RT.call(SB, "__dvmrt_touch", {Address, SB.getInt64(A.Text.Size), Site, subscripts(SB), flags()});
  else
    RT.call(SB, "__dvmrt_bounds", {Address, Site, subscripts(SB), Dim, Extent, flags()});
}

// if ((uint64_t)ix[d] >= extent[d]) { __dvmrt_bounds(p, site, ix, d, extent[d], flags); skip the rest; }
void AccessLowering::bounds(View *V) {
  BasicBlock *Outside = nullptr;
  PHINode *Dim = nullptr, *Extent = nullptr;
  for (unsigned D = 0; D < A.Index.size() && D < DVMRT_NDIMS_MAX; ++D) {
    Value *Limit = nullptr;
    if (D < A.Text.Extents.size() && A.Text.Extents[D])
      Limit = B.getInt64(*A.Text.Extents[D]);
    else if (A.Extent[D])
      Limit = A.Extent[D];
    else if (V)
      Limit = S.load(B, V->Extents[D]);
    if (!Limit || !A.Index[D])
      continue;
    if (!Outside) {
      Outside = Row.block();
      IRBuilder<> Phis(Outside);
      Dim = Phis.CreatePHI(RT.I32, A.Index.size());
      Extent = Phis.CreatePHI(RT.I64, A.Index.size());
      Row.slow(Outside, Row.rest(), [&](IRBuilder<> &SB) { outside(SB, Dim, Extent); });
    }
    Dim->addIncoming(B.getInt32(D), B.GetInsertBlock());
    Extent->addIncoming(Limit, B.GetInsertBlock());
    Row.test(B.CreateICmpUGE(A.Index[D], Limit), Outside);
  }
}

void AccessLowering::touchBlock(BasicBlock *BB, uint32_t More) {
  Row.slow(BB, Row.rest(),
           [&](IRBuilder<> &SB) { RT.call(SB, "__dvmrt_touch", {Address, SB.getInt64(A.Text.Size), Site, subscripts(SB), flags(More)}); });
}

// if (!settled) { if (!view->words) { touch; skip the rest; } settled = __dvmrt_place(p, site, view, ix, flags); }
// 'words' is read anew, and as volatile: the test would be the same in each access of the nest, and LLVM would thread the
// accesses together into one copy of the whole body for arrays that have words and one for those that have none.
void AccessLowering::place(View &V) {
  AllocaInst *Settled = S.slot(RT.I32, "dvm.settled");
  A.In->Settled.push_back(Settled);
  BasicBlock *Ask = Row.block(), *Unknown = Row.block(), *Known = Row.block();
  Row.test(B.CreateIsNull(S.load(B, Settled)), Ask);
  BasicBlock *Landing = Row.landing();
  IRBuilder<> AskBuilder(Ask);
  AskBuilder.SetCurrentDebugLocation(B.getCurrentDebugLocation());
  LoadInst *Words = RT.loadView(AskBuilder, S.load(AskBuilder, V.Struct), offsetof(dvmrt_view, words), RT.Ptr);
  Words->setVolatile(true);
  AskBuilder.CreateCondBr(AskBuilder.CreateIsNull(Words), Unknown, Known);
  touchBlock(Unknown, mayLeaveArray(A) ? DVMRT_NAMED : 0);
  Row.slow(Known, Landing, [&](IRBuilder<> &SB) {
    // As an int, not as a truth value: of that the hot path would know that it is 1, and would say so each time.
    S.store(SB, RT.call(SB, "__dvmrt_place", {Address, Site, S.load(SB, V.Struct), subscripts(SB), flags()}), Settled);
  });
}

void AccessLowering::element(View &V) {
  // Rare, and what goes to a buffer marks no element: the runtime decides both together.
  if (A.Text.Buffered && (A.Text.Writes || A.Text.Varies)) {
    BasicBlock *Slow = Row.block();
    Row.test(B.getTrue(), Slow);
    return touchBlock(Slow);
  }
  bounds(&V);
  place(V);
  Value *Number = B.CreateLShr(B.CreatePtrToInt(Address, RT.I64), V.Shift % DVMRT_PARTS, "", /*isExact=*/true);
  Value *Word = B.CreateGEP(RT.I32, S.load(B, V.Words), Number);
  BasicBlock *Slow = Row.block();
  Value *Write = S.limit(B, A.In, LimitWrite);
  // What the nest never writes only needs a value.
  if (A.Text.Reads && V.ReadOnly && !A.Text.Writes)
    Row.test(RT.fast(B, "dvmi_view_init", RT.I1, {Word}), Slow);
  else if (A.Text.Reads && A.Text.Buffered && !A.Text.Writes)
    Row.test(RT.fast(B, "dvmi_view_buffer", RT.I1, {Word, Write, S.load(B, V.FirstRead), S.load(B, V.Mask)}), Slow);
  else if (A.Text.Reads)
    Row.test(RT.fast(B, "dvmi_view_read", RT.I1, {Word, Write, S.load(B, V.FirstRead), S.load(B, V.Mask)}), Slow);
  if (A.Text.Writes)
    Row.test(RT.fast(B, "dvmi_view_write", RT.I1, {Word, Write, S.load(B, V.FirstWrite)}), Slow);
  touchBlock(Slow, DVMRT_PLACED);
}

// Do the loads and stores promise it?
static bool isAligned(const Access &A) {
  return !A.Text.Loose && all_of(A.Mark->users(), [&](User *U) {
    return !isa<LoadInst, StoreInst>(U) || getLoadStorePointerOperand(U) != A.Mark || getLoadStoreAlignment(U).value() >= A.Text.Size;
  });
}

// Is there no more to it than to ask whether it is in doubt?
static bool onlyLooks(const FunctionState &S, const Access &A) {
  return !A.In && !A.Var && !A.Text.OfDistributed && !S.RT.InLoops.contains(&S.F);
}

static void look(FunctionState &S, Access &A, IRBuilderBase &B) {
  emitLook(S.RT, B, A.Mark->getArgOperand(0), A.Text.Size, S.site(A), A.Text.touchFlags() | (A.Text.Whole ? DVMRT_COPIED : 0), A.Index);
  auto *Look = cast<CallInst>(&*std::prev(B.GetInsertPoint()));
  if (isAligned(A))
    Look->setMetadata("dvm.aligned", MDNode::get(S.RT.C, {}));
  if (A.Asked)
    Look->setMetadata("dvm.asked", MDNode::get(S.RT.C, {}));
}

// Does a bound have to be tested, as far as can be told without the run-time library?
static bool hasBounds(const Access &A) {
  return any_of(seq<size_t>(0, std::min<size_t>(A.Index.size(), DVMRT_NDIMS_MAX)), [&](size_t D) {
    if (A.Index[D] && A.Extent[D])
      return true;
    auto *Known = dyn_cast_or_null<ConstantInt>(static_cast<Value *>(A.Index[D]));
    const bool Limited = D < A.Text.Extents.size() && A.Text.Extents[D];
    return A.Index[D] && Limited && !(Known && Known->getValue().ult(*A.Text.Extents[D]));
  });
}

// An array that the nest only reads: asked once, at the entry of the nest.
AllocaInst *AccessLowering::knownData() {
  if (!A.Table || !(A.Fixed || A.In->OnlyReadsData))
    return nullptr;
  AllocaInst *&Slot = A.In->Data[A.Table];
  if (!Slot)
    Slot = S.slot(RT.I32, "dvm.known");
  return Slot;
}

bool dvmir::mayLeaveArray(const Access &A) {
  return A.Text.OfDistributed && any_of(seq<size_t>(0, A.Index.size()),
                                        [&](size_t D) { return !A.Extent[D] && (D >= A.Text.Extents.size() || !A.Text.Extents[D]); });
}

void AccessLowering::wordsOfMemory(Value *P, BasicBlock *Slow) {
  Value *Mask = S.limit(B, A.In, LimitMask);
  uint64_t Size = A.Text.Size;
  if (Size != 4 && Size != 8 && Size != 16)
    return Row.test(RT.fast(B, "dvmi_known", RT.I1, {P, B.getInt64(Size), Mask}), Slow);
  const uint64_t Part = std::min<uint64_t>(Size, 8); // 16 bytes are two words
  const std::string Suffix = std::to_string(Part);
  if (!isAligned(A))
    Row.test(B.CreateIsNotNull(B.CreateAnd(P, Part - 1)), Slow);
  Value *Write = S.limit(B, A.In, LimitWrite);
  for (uint64_t At = 0; At < Size; At += Part) {
    Value *Q = At ? B.CreateAdd(P, B.getInt64(At)) : P;
    if (A.Text.Reads)
      Row.test(RT.fast(B, "dvmi_read_" + Suffix, RT.I1, {Q, Write, S.limit(B, A.In, LimitFirstRead), Mask}), Slow);
    if (A.Text.Writes)
      Row.test(RT.fast(B, "dvmi_write_" + Suffix, RT.I1, {Q, Write, S.limit(B, A.In, LimitFirstWrite), Mask}), Slow);
  }
}

void AccessLowering::memory() {
  if (onlyLooks(S, A))
    return look(S, A, B);
  if (AllocaInst *Known = knownData())
    Row.done(B.CreateIsNotNull(S.load(B, Known)));
  BasicBlock *Slow = Row.block();
  if (!A.In && A.Text.OfDistributed) { // in doubt throughout
    Row.test(B.getTrue(), Slow);
    return touchBlock(Slow, mayLeaveArray(A) ? DVMRT_NAMED : 0);
  }
  Value *P = B.CreatePtrToInt(Address, RT.I64);
  if (A.In) {
    wordsOfMemory(P, Slow);
    return touchBlock(Slow);
  }
  BasicBlock *Words = Row.block();
  askDoubt(S, Row, P, A.Text.Size, isAligned(A), Words);
  B.CreateBr(Row.rest());
  B.SetInsertPoint(Words);
  // Outside of loops there is more to doubt than values: where the newest one is.
  Row.test(B.CreateIsNull(S.limit(B, A.In, LimitMask)), Slow);
  wordsOfMemory(P, Slow);
  touchBlock(Slow);
}

// ---- Variables with words of their own ----

void AccessLowering::variableSlow(Value *Cond, Value *Word, Value *WordPtr, unsigned Kind, uint32_t Flag) {
  BasicBlock *Slow = Row.block();
  Row.test(Cond, Slow);
  Row.slow(Slow, Row.landing(), [&](IRBuilder<> &SB) {
    Value *Keep = RT.call(SB, "__dvmrt_local", {Site, Word, SB.getInt32(Kind), SB.getInt32(Flag), S.subscripts(SB, A)});
    S.store(SB, Keep, WordPtr);
  });
}

void AccessLowering::variableRead(Value *WordPtr, unsigned Kind) {
  Value *Word = B.CreateLoad(RT.I32, WordPtr, S.Volatile);
  Value *Slow;
  switch (Kind) {
  default: Slow = B.CreateICmpULT(Word, B.getInt32(DVMRT_W_FIRST)); break;
  case DVMRT_L_PRIVATE:
  case DVMRT_L_INDEX: Slow = B.CreateICmpNE(Word, S.limit(B, A.In, LimitWrite)); break;
  case DVMRT_L_FIRST: {
    Value *Write = S.limit(B, A.In, LimitWrite), *Base = S.limit(B, A.In, LimitBase);
    Slow = RT.fast(B, "dvmi_first_read_slow", RT.I1, {Word, Write, Base});
    S.store(B, RT.fast(B, "dvmi_first_read_word", RT.I32, {Word, Write, Base}), WordPtr);
    break;
  }
  case DVMRT_L_SHARED: {
    Value *Write = S.limit(B, A.In, LimitWrite), *FirstRead = S.limit(B, A.In, LimitFirstRead);
    Slow = RT.fast(B, "dvmi_shared_read_slow", RT.I1, {Word, Write, FirstRead, S.limit(B, A.In, LimitMask)});
    S.store(B, RT.fast(B, "dvmi_shared_read_word", RT.I32, {Word, Write, FirstRead}), WordPtr);
    break;
  }
  }
  variableSlow(Slow, Word, WordPtr, Kind, DVMRT_READ);
}

void AccessLowering::variableWrite(Value *WordPtr, unsigned Kind) {
  // Nobody asks which iteration wrote these; a constant lets the reads' tests fold.
  if (Kind == DVMRT_L_PLAIN || Kind == DVMRT_L_REDUCTION)
    return S.store(B, B.getInt32(DVMRT_W_ASSIGNED), WordPtr);
  Value *Write = S.limit(B, A.In, LimitWrite);
  Value *Word = B.CreateLoad(RT.I32, WordPtr, S.Volatile);
  S.store(B, Write, WordPtr);
  if (Kind == DVMRT_L_FIRST)
    variableSlow(RT.fast(B, "dvmi_first_write_slow", RT.I1, {Word, S.limit(B, A.In, LimitBase)}), Word, WordPtr, Kind, DVMRT_WRITE);
  else if (Kind == DVMRT_L_SHARED)
    variableSlow(RT.fast(B, "dvmi_shared_write_slow", RT.I1, {Word, Write, S.limit(B, A.In, LimitFirstWrite)}), Word, WordPtr, Kind,
                 DVMRT_WRITE);
}

void AccessLowering::variable() {
  bounds(nullptr);
  Value *WordPtr = A.Var->Words;
  if (A.Var->isArray()) {
    Value *Number = B.CreateLShr(A.Offset, Log2_64(A.Var->ElementSize));
    Row.test(B.CreateICmpUGE(Number, B.getInt64(A.Var->Count)), Row.rest());
    WordPtr = B.CreateInBoundsGEP(A.Var->Words->getAllocatedType(), A.Var->Words, {B.getInt64(0), Number});
  }
  unsigned Kind = A.Var->kind(A.In);
  if (A.Text.Reads && !A.Sure)
    variableRead(WordPtr, Kind);
  if (A.Text.Writes)
    variableWrite(WordPtr, Kind);
}

// The load behind the mark is the first half of a struct copy, which carries the words itself: by the call that has been
// inserted before it.
static bool isCopySource(const Access &A) {
  return A.Text.Reads && !A.Text.Writes && !A.Mark->use_empty() && all_of(A.Mark->uses(), [](const Use &U) {
           auto *Call = dyn_cast<CallInst>(U.getUser());
           Function *Callee = Call ? Call->getCalledFunction() : nullptr;
           return Callee && U.getOperandNo() == 1 &&
                  (isa<MemTransferInst>(Call) || Callee->getName() == "__dvmrt_copy" || Callee->getName() == "__dvmrt_look_copy");
         });
}

// if (!settled) settled = __dvmrt_result(p, size, site, flags);
void AccessLowering::result(AllocaInst *Settled) {
  BasicBlock *Ask = Row.block();
  Row.test(B.CreateIsNull(S.load(B, Settled)), Ask);
  Row.slow(Ask, Row.rest(), [&](IRBuilder<> &SB) {
    S.store(SB, RT.call(SB, "__dvmrt_result", {Address, SB.getInt64(A.Text.Size), Site, flags()}), Settled);
  });
}

void AccessLowering::run() {
  if (A.Var)
    return variable();
  if (AllocaInst *Settled = A.Text.Whole || A.Text.Loose ? nullptr : resultSlot(S, A))
    return result(Settled);
  if ((A.Text.Whole || A.Text.Loose) && !onlyLooks(S, A)) {
    bounds(nullptr);
    BasicBlock *Slow = Row.block();
    Row.test(B.getTrue(), Slow);
    return touchBlock(Slow, A.Text.Whole ? DVMRT_COPIED : 0);
  }
  if (View *V = viewFor(S, A))
    return element(*V);
  if (View *V = partViewFor(S, A))
    return element(*V);
  bounds(nullptr);
  memory();
}

void dvmir::lowerAccesses(FunctionState &S) {
  for (CallInst *I : S.Indices) {
    I->replaceAllUsesWith(I->getArgOperand(0));
    I->eraseFromParent();
  }
  for (Access &A : S.Accesses) {
    const bool NoTest = (A.Var && A.Var->Sure) || (!A.Text.Whole && isCopySource(A));
    if (!NoTest && onlyLooks(S, A) && !hasBounds(A)) {
      IRBuilder<> B(A.Mark);
      look(S, A, B);
    } else if (!NoTest)
      AccessLowering(S, A).run();
    A.Mark->replaceAllUsesWith(A.Mark->getArgOperand(0));
    A.Mark->eraseFromParent();
  }
}

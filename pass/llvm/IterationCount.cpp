#include "IterationCount.h"
#include "RowSums.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t Spread = 0x9e3779b97f4a7c15u, Factor = 0xbf58476d1ce4e5b9u; // odd

static unsigned rankOf(const CallInst *Iter) { return (Iter->arg_size() - 2) / 2; }

namespace {
// sum += weight(outer indices) * (iterations of the row + Spread * their innermost indices)
class Counter {
  const IterationMarks &Marks;
  Type *I64;
  AllocaInst *Count, *Sum, *Row, *RowSum, *Weight;

  Value *load(IRBuilderBase &B, AllocaInst *A) { return B.CreateLoad(I64, A); }
  void add(IRBuilderBase &B, AllocaInst *To, Value *V) { B.CreateStore(B.CreateAdd(load(B, To), V), To); }
  Value *index(IRBuilderBase &B, CallInst *Iter, unsigned Number);
  Value *mix(IRBuilderBase &B, Value *X);
  Value *innermost(IRBuilderBase &B, CallInst *Iter) { return index(B, Iter, rankOf(Iter) - 1); }
  void endRow(IRBuilderBase &B);

public:
  Counter(const IterationMarks &M, IterationSlot Slot)
      : Marks(M), I64(Type::getInt64Ty(M.Enter->getContext())), Count(Slot("dvm.iterations")), Sum(Slot("dvm.iterations_sum")),
        Row(Slot("dvm.row")), RowSum(Slot("dvm.row_sum")), Weight(Slot("dvm.row_weight")) {}
  void begin();
  void iterate(CallInst *Iter);
  bool iterateRow(CallInst *Iter, IterationSlot Slot);
  void beginRow(CallInst *Mark);
  void end(CallInst *Leave, IterationTell Tell);
};
} // namespace

Value *Counter::index(IRBuilderBase &B, CallInst *Iter, unsigned Number) {
  int64_t Bytes = cast<ConstantInt>(Iter->getArgOperand(3 + 2 * Number))->getSExtValue();
  Value *V = B.CreateLoad(B.getIntNTy(std::abs(Bytes) * 8), Iter->getArgOperand(2 + 2 * Number));
  return Bytes < 0 ? B.CreateSExtOrTrunc(V, I64) : B.CreateZExtOrTrunc(V, I64);
}

Value *Counter::mix(IRBuilderBase &B, Value *X) {
  X = B.CreateMul(B.CreateXor(X, B.CreateLShr(X, 32)), B.getInt64(Spread));
  X = B.CreateMul(B.CreateXor(X, B.CreateLShr(X, 29)), B.getInt64(Factor));
  return B.CreateXor(X, B.CreateLShr(X, 32));
}

void Counter::begin() {
  IRBuilder<> B(Marks.Enter);
  for (AllocaInst *A : {Count, Sum, Row, RowSum})
    B.CreateStore(B.getInt64(0), A);
  B.CreateStore(B.getInt64(1), Weight);
}

void Counter::iterate(CallInst *Iter) {
  IRBuilder<> B(Iter);
  add(B, Row, B.getInt64(1));
  add(B, RowSum, innermost(B, Iter));
}

static int64_t constantStep(const BinaryOperator &Sum) {
  auto *Step = dyn_cast<ConstantInt>(behindAll(Sum.getOperand(1)));
  if (!Step || !Step->getValue().isSignedIntN(32))
    return 0;
  return Sum.getOpcode() == Instruction::Add ? Step->getSExtValue() : -Step->getSExtValue();
}

// By what constant each turn of the loop moves the variable: nothing else in the loop does, and it does not pass its greatest number; else 0.
static int64_t stepOf(const AllocaInst *A, const Loop &L) {
  if (!isPrivate(A))
    return 0;
  const StoreInst *Next = nullptr;
  for (const User *U : A->users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && L.contains(Store)) {
      if (Next || Store->getParent() != L.getLoopLatch() || !Store->isSimple())
        return 0;
      Next = Store;
    }
  auto *Sum = Next ? dyn_cast<BinaryOperator>(Next->getValueOperand()) : nullptr;
  if (!Sum || (Sum->getOpcode() != Instruction::Add && Sum->getOpcode() != Instruction::Sub) || A->getAllocatedType() != Sum->getType() ||
      (Sum->getType()->getIntegerBitWidth() != 64 && !Sum->hasNoSignedWrap()))
    return 0;
  auto *Load = dyn_cast<LoadInst>(behindAll(Sum->getOperand(0)));
  return Load && behindAll(Load->getPointerOperand()) == A ? constantStep(*Sum) : 0;
}

// Where the innermost loop counts and each of its turns is an iteration, once for all of them: n iterations from 'first' on, whose
// indices add up to n * first + step * n * (n - 1) / 2.
bool Counter::iterateRow(CallInst *Iter, IterationSlot Slot) {
  DominatorTree DT(*Iter->getFunction());
  LoopInfo LI(DT);
  const Loop *L = LI.getLoopFor(Iter->getParent());
  auto *A = dyn_cast<AllocaInst>(Iter->getArgOperand(2 * rankOf(Iter)));
  if (!A || !L || !isCounted(*L) || L->contains(Marks.Enter) || !DT.dominates(Iter->getParent(), L->getLoopLatch()))
    return false;
  const BinaryOperator *Next = nullptr;
  const PHINode *Turn = turnOf(A, *L, DT, &Next);
  const int64_t Step = Turn ? constantStep(*Next) : stepOf(A, *L);
  if (!Step)
    return false;
  AllocaInst *First = Slot("dvm.row_first");
  IRBuilder<> Before(L->getLoopPredecessor()->getTerminator());
  Before.CreateStore(
      Turn ? Before.CreateSExtOrTrunc(Turn->getIncomingValueForBlock(L->getLoopPredecessor()), I64) : innermost(Before, Iter), First);
  IRBuilder<> B(&*L->getExitBlock()->getFirstInsertionPt());
  Value *From = load(B, First), *Behind = Turn ? B.CreateSExtOrTrunc(const_cast<PHINode *>(Turn), I64) : innermost(B, Iter);
  Value *N = B.CreateUDiv(Step > 0 ? B.CreateSub(Behind, From) : B.CreateSub(From, Behind), B.getInt64(std::abs(Step)));
  Value *Pairs = B.CreateMul(B.CreateLShr(N, 1), B.CreateOr(B.CreateSub(N, B.getInt64(1)), 1)); // the even one of n and n - 1, halved
  add(B, Row, N);
  add(B, RowSum, B.CreateAdd(B.CreateMul(N, From), B.CreateMul(Pairs, B.getInt64(static_cast<uint64_t>(Step)))));
  return true;
}

void Counter::endRow(IRBuilderBase &B) {
  Value *InRow = load(B, Row);
  add(B, Count, InRow);
  add(B, Sum, B.CreateMul(load(B, Weight), B.CreateAdd(InRow, B.CreateMul(load(B, RowSum), B.getInt64(Spread)))));
  B.CreateStore(B.getInt64(0), Row);
  B.CreateStore(B.getInt64(0), RowSum);
}

void Counter::beginRow(CallInst *Mark) {
  IRBuilder<> B(Mark);
  CallInst *Iter = Marks.Iters.front();
  Value *W = B.getInt64(1);
  endRow(B);
  for (unsigned K = 0; K + 1 < rankOf(Iter); ++K)
    W = mix(B, B.CreateAdd(B.CreateMul(W, B.getInt64(Factor)), index(B, Iter, K)));
  B.CreateStore(B.CreateOr(W, 1), Weight);
}

void Counter::end(CallInst *Leave, IterationTell Tell) {
  IRBuilder<> B(Leave);
  endRow(B);
  Tell(B, Leave, load(B, Count), load(B, Sum));
}

static bool followed(const IterationMarks &Marks) {
  if (Marks.Iters.size() != 1 || Marks.Iters[0]->arg_size() < 4 || Marks.Leaves.empty() ||
      Marks.Rows.size() != (rankOf(Marks.Iters[0]) > 1))
    return false;
  for (unsigned K = 0; K < rankOf(Marks.Iters[0]); ++K) {
    const Value *V = Marks.Iters[0]->getArgOperand(2 + 2 * K);
    const auto *Local = dyn_cast<AllocaInst>(V);
    if (!isa<Constant>(V) && !(Local && Local->isStaticAlloca()))
      return false;
  }
  return true;
}

bool dvmir::countIterations(const IterationMarks &Marks, IterationSlot Slot, IterationTell Tell) {
  if (!followed(Marks))
    return false;
  Counter C(Marks, Slot);
  C.begin();
  if (!C.iterateRow(Marks.Iters[0], Slot))
    C.iterate(Marks.Iters[0]);
  for (CallInst *Mark : Marks.Rows)
    C.beginRow(Mark);
  for (CallInst *Mark : Marks.Leaves)
    C.end(Mark, Tell);
  return true;
}

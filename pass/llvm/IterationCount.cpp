#include "IterationCount.h"

using namespace llvm;
using namespace dvmir;

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
  void endRow(IRBuilderBase &B);

public:
  Counter(const IterationMarks &M, IterationSlot Slot)
      : Marks(M), I64(Type::getInt64Ty(M.Enter->getContext())), Count(Slot("dvm.iterations")), Sum(Slot("dvm.iterations_sum")),
        Row(Slot("dvm.row")), RowSum(Slot("dvm.row_sum")), Weight(Slot("dvm.row_weight")) {}
  void begin();
  void iterate(CallInst *Iter);
  void beginRow(CallInst *Mark);
  void end(CallInst *Leave, IterationTell Tell);
};
} // namespace

static constexpr uint64_t Spread = 0x9e3779b97f4a7c15u, Factor = 0xbf58476d1ce4e5b9u; // odd

static unsigned rankOf(const CallInst *Iter) { return (Iter->arg_size() - 2) / 2; }

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
  add(B, RowSum, index(B, Iter, rankOf(Iter) - 1));
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
  C.iterate(Marks.Iters[0]);
  for (CallInst *Mark : Marks.Rows)
    C.beginRow(Mark);
  for (CallInst *Mark : Marks.Leaves)
    C.end(Mark, Tell);
  return true;
}

#include "NestSubscripts.h"
#include "RowSums.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dvmir;

// ---- Affine in one index variable ------------------------------------------------------------------------------------------------

namespace {
// Coef * index variable 'Index' + Add; Index < 0: a number.
struct Affine {
  int Index = -1;
  int64_t Coef = 0, Add = 0;
};

class AffineForms {
  const NestIndices &N;
  const DominatorTree &DT;

  std::optional<Affine> ofLoad(const LoadInst &Load) const;

public:
  AffineForms(const NestIndices &N, const DominatorTree &DT) : N(N), DT(DT) {}
  std::optional<Affine> of(Value *V) const;
};
} // namespace

static std::optional<Affine> product(Affine X, Affine Y) {
  if (Y.Index >= 0)
    std::swap(X, Y);
  Affine R{X.Index};
  if (Y.Index >= 0 || MulOverflow(X.Coef, Y.Add, R.Coef) || MulOverflow(X.Add, Y.Add, R.Add))
    return std::nullopt;
  return R;
}

static std::optional<Affine> sum(const Affine &X, const Affine &Y) {
  if (X.Index >= 0 && Y.Index >= 0 && X.Index != Y.Index)
    return std::nullopt;
  Affine R{std::max(X.Index, Y.Index)};
  if (AddOverflow(X.Coef, Y.Coef, R.Coef) || AddOverflow(X.Add, Y.Add, R.Add))
    return std::nullopt;
  return R;
}

std::optional<Affine> AffineForms::ofLoad(const LoadInst &Load) const {
  auto At = find(N.Variables, behindAll(const_cast<Value *>(Load.getPointerOperand())));
  if (At == N.Variables.end() || !Load.isSimple() || !DT.dominates(N.Iteration, &Load))
    return std::nullopt;
  return Affine{int(At - N.Variables.begin()), 1, 0};
}

std::optional<Affine> AffineForms::of(Value *V) const {
  V = behindAll(V);
  if (auto *C = dyn_cast<ConstantInt>(V); C && C->getBitWidth() <= 64)
    return Affine{-1, 0, C->getSExtValue()};
  if (auto *Extended = dyn_cast<SExtInst>(V))
    return of(Extended->getOperand(0));
  if (auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(*Load);
  auto *Binary = dyn_cast<BinaryOperator>(V);
  if (!Binary || !isa<OverflowingBinaryOperator>(Binary) || !Binary->hasNoSignedWrap())
    return std::nullopt;
  auto X = of(Binary->getOperand(0)), Y = of(Binary->getOperand(1));
  if (!X || !Y)
    return std::nullopt;
  switch (Binary->getOpcode()) {
  case Instruction::Add: return sum(*X, *Y);
  case Instruction::Mul: return product(*X, *Y);
  case Instruction::Sub:
    if (auto Less = product(*Y, Affine{-1, 0, -1}))
      return sum(*X, *Less);
    return std::nullopt;
  default: return std::nullopt;
  }
}

std::string dvmir::axisOf(const NestIndices &N, Value *V, const DominatorTree &DT) {
  auto A = AffineForms(N, DT).of(V);
  if (!A)
    return "";
  if (A->Index < 0 || !A->Coef)
    return ("c" + Twine(A->Add)).str();
  return ("a" + Twine(A->Index) + ":" + Twine(A->Coef) + ":" + Twine(A->Add)).str();
}

// ---- Elements that an address leads to -------------------------------------------------------------------------------------------

SmallVector<Dimension, 4> dvmir::dimensionsOf(const GlobalVariable *G, uint64_t Element, const DataLayout &DL) {
  SmallVector<Dimension, 4> Dims;
  Type *T = G->getValueType();
  for (; auto *A = dyn_cast<ArrayType>(T); T = A->getElementType())
    Dims.push_back({A->getNumElements(), DL.getTypeAllocSize(A->getElementType())});
  if (T->isAggregateType() || Dims.empty() || Dims.back().Bytes != Element)
    Dims.clear();
  return Dims;
}

// Halves towards zero.
static int64_t divideNearest(int64_t Bytes, int64_t Unit) {
  const int64_t Half = (Unit - 1) / 2;
  return (Bytes < 0 ? Bytes - Half : Bytes + Half) / Unit;
}

// row[j - 1] is in that row; without a subscript that varies only what lies between its ends is.
static bool shareOut(int64_t Bytes, ArrayRef<Dimension> Dims, MutableArrayRef<Distance> By) {
  for (unsigned Dim = 0; Dim < Dims.size(); ++Dim) {
    const bool Varies = any_of(By.drop_front(Dim + 1), [](const Distance &D) { return !D.Terms.empty(); });
    const int64_t Unit = Dims[Dim].Bytes;
    By[Dim].Add = Varies ? divideNearest(Bytes, Unit) : divideFloorSigned(Bytes, Unit);
    Bytes -= By[Dim].Add * Unit;
  }
  return !Bytes;
}

static const ConstantInt *numberIn(Value *V) {
  V = behindAll(V);
  if (isa<SExtInst, ZExtInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  return dyn_cast<ConstantInt>(V);
}

// 'i * 400', of an array whose extents are parameters.
static std::pair<Value *, int64_t> withoutFactor(Value *V, int64_t Scale) {
  V = behindAll(V);
  auto *Product = dyn_cast<BinaryOperator>(V);
  if (!Product || Product->getOpcode() != Instruction::Mul || !Product->hasNoSignedWrap())
    return {V, Scale};
  for (unsigned N = 0; N < 2; ++N)
    if (const ConstantInt *C = numberIn(Product->getOperand(N)); C && C->getValue().isStrictlyPositive())
      if (int64_t Both; !MulOverflow(Scale, C->getSExtValue(), Both))
        return withoutFactor(Product->getOperand(1 - N), Both);
  return {V, Scale};
}

bool dvmir::findSubscripts(Value *P, ArrayRef<Dimension> Dims, MutableArrayRef<Distance> By, const DataLayout &DL) {
  int64_t Bytes = 0;
  for (P = behindAll(P); auto *GEP = dyn_cast<GEPOperator>(P); P = behindAll(GEP->getPointerOperand())) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(DL, 64, Scaled, Offset))
      return false;
    Bytes += Offset.getSExtValue();
    for (auto &[Given, Factor] : Scaled) {
      const auto Term = withoutFactor(Given, Factor.getSExtValue());
      auto Dim = find_if(Dims, [&](const Dimension &D) { return Term.second % int64_t(D.Bytes) == 0; });
      if (Dim == Dims.end())
        return false;
      By[Dim - Dims.begin()].Terms.push_back({Term.first, Term.second / int64_t(Dim->Bytes)});
    }
  }
  return shareOut(Bytes, Dims, By);
}

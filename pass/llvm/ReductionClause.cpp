#include "ReductionClause.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace dvmir;

static StringRef field(StringRef &Rest) {
  auto [Head, Tail] = Rest.split(' ');
  Rest = Tail;
  return Head;
}

ReductionClause::Operation ReductionClause::operation(StringRef Word) {
  return StringSwitch<Operation>(Word)
      .Case("sum", Sum)
      .Case("product", Product)
      .Case("max", Max)
      .Case("min", Min)
      .Case("and", And)
      .Case("or", Or)
      .Case("xor", Xor)
      .Case("eqv", Eqv)
      .Case("neqv", Neqv)
      .Case("maxloc", MaxLoc)
      .Case("minloc", MinLoc)
      .Default(Unknown);
}

SmallVector<ReductionClause, 2> dvmir::reductionClauses(const Construct &K) {
  SmallVector<ReductionClause, 2> Out;
  StringRef Text = markerText(K.TextConstant);
  while (!Text.empty()) {
    auto [Line, Tail] = Text.split('\n');
    Text = Tail;
    if (!Line.consume_front("R "))
      continue;
    ReductionClause C;
    C.Number = Out.size();
    C.Op = ReductionClause::operation(field(Line));
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
    if (A.Line != DVMRT_DIRECTIVE_REDUCTION || A.Count >= Out.size())
      continue;
    ReductionClause &C = Out[A.Count];
    (C.Address ? C.Location : C.Address) = Values[I];
  }
  return Out;
}

Constant *ReductionClause::neutral(Type *T) const {
  if (T->isFloatingPointTy()) {
    const fltSemantics &Sem = T->getFltSemantics();
    if (isExtreme())
      return ConstantFP::get(T->getContext(), APFloat::getInf(Sem, isGreatest()));
    return ConstantFP::get(T, Op == Product ? 1.0 : -0.0); // 0 + x is not x where x is -0
  }
  unsigned Bits = T->getIntegerBitWidth();
  bool Signed = Kind == 'i';
  switch (Op) {
  case Product:
  case Eqv: return ConstantInt::get(T, 1);
  case And: return Constant::getAllOnesValue(T);
  case Max:
  case MaxLoc: return ConstantInt::get(T->getContext(), Signed ? APInt::getSignedMinValue(Bits) : APInt::getMinValue(Bits));
  case Min:
  case MinLoc: return ConstantInt::get(T->getContext(), Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits));
  default: return ConstantInt::get(T, 0);
  }
}

Value *ReductionClause::better(IRBuilder<> &B, Value *A, Value *Than) const {
  Type *T = A->getType();
  if (T->isFloatingPointTy())
    return isGreatest() ? B.CreateFCmpOGT(A, Than) : B.CreateFCmpOLT(A, Than);
  bool Signed = Kind == 'i';
  CmpInst::Predicate P = isGreatest() ? (Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT) : (Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT);
  return B.CreateICmp(P, A, Than);
}

Value *ReductionClause::combined(IRBuilder<> &B, Value *A, Value *X) const {
  bool F = A->getType()->isFloatingPointTy();
  switch (Op) {
  case Sum: return F ? B.CreateFAdd(A, X) : B.CreateAdd(A, X);
  case Product: return F ? B.CreateFMul(A, X) : B.CreateMul(A, X);
  case And: return B.CreateAnd(A, X);
  case Or: return B.CreateOr(A, X);
  case Xor: return B.CreateXor(A, X);
  case Eqv: return B.CreateZExt(B.CreateICmpEQ(B.CreateIsNull(A), B.CreateIsNull(X)), A->getType());
  case Neqv: return B.CreateZExt(B.CreateICmpNE(B.CreateIsNull(A), B.CreateIsNull(X)), A->getType());
  default: return B.CreateSelect(better(B, X, A), X, A);
  }
}

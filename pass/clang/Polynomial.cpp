#include "Polynomial.h"

using namespace clang;
using namespace dvm;

int Unknowns::number(const Expr *E) {
  const VarDecl *V = asVariable(E);
  if (int I = V && Nest ? Nest->indexNumber(V) : -1; I >= 0)
    return ofIndex(I);
  llvm::FoldingSetNodeID ID;
  E->Profile(ID, Ctx, true);
  for (size_t I = 0; I < Known.size(); ++I)
    if (Known[I] == ID)
      return int(I);
  Known.push_back(ID);
  return int(Known.size()) - 1;
}

void Polynomial::add(const std::vector<int> &Product, uint64_t Factor) {
  uint64_t &Sum = Terms[Product];
  Sum += Factor;
  if (!Sum)
    Terms.erase(Product);
}

Polynomial Polynomial::constant(uint64_t Value) {
  Polynomial P;
  P.add({}, Value);
  return P;
}

Polynomial Polynomial::unknown(int Number) {
  Polynomial P;
  P.add({Number}, 1);
  return P;
}

Polynomial Polynomial::operator+(const Polynomial &X) const {
  Polynomial P = *this;
  for (const auto &[Product, Factor] : X.Terms)
    P.add(Product, Factor);
  return P;
}

Polynomial Polynomial::operator*(const Polynomial &X) const {
  Polynomial P;
  for (const auto &[Mine, A] : Terms)
    for (const auto &[Its, B] : X.Terms) {
      std::vector<int> Product(Mine);
      Product.insert(Product.end(), Its.begin(), Its.end());
      llvm::sort(Product);
      P.add(Product, A * B);
    }
  return P;
}

// Casts that keep every value.
static const Expr *bare(const ASTContext &Ctx, const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
    QualType To = E->getType(), From = Cast ? Cast->getSubExpr()->getType() : QualType();
    if (!Cast || !To->isIntegralOrEnumerationType() || !From->isIntegralOrEnumerationType() || Ctx.getTypeSize(To) < Ctx.getTypeSize(From))
      return E;
    E = Cast->getSubExpr();
  }
}

Polynomial Polynomial::of(const Expr *E, Unknowns &U) {
  int64_t V;
  if (!E || constantOf(U.context(), E, V))
    return constant(E ? uint64_t(V) : 0);
  E = bare(U.context(), E);
  if (const auto *X = dyn_cast<UnaryOperator>(E)) {
    if (X->getOpcode() == UO_Plus)
      return of(X->getSubExpr(), U);
    if (X->getOpcode() == UO_Minus)
      return constant(0) - of(X->getSubExpr(), U);
  }
  if (const auto *X = dyn_cast<BinaryOperator>(E)) {
    Polynomial L, R;
    if (X->isAdditiveOp() || X->getOpcode() == BO_Mul)
      L = of(X->getLHS(), U), R = of(X->getRHS(), U);
    if (X->isAdditiveOp())
      return X->getOpcode() == BO_Add ? L + R : L - R;
    if (X->getOpcode() == BO_Mul)
      return L * R;
  }
  return unknown(U.number(E));
}

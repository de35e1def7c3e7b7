// Expressions as sums of products of what cannot be taken apart, so that the same value written in two ways is recognised.
#ifndef DVM_CLANG_POLYNOMIAL_H
#define DVM_CLANG_POLYNOMIAL_H

#include "Rewriter.h"
#include <map>

namespace dvm {

// What polynomials that are compared with each other are made of.  Expressions are the same if they are so as trees.
class Unknowns {
  const clang::ASTContext &Ctx;
  const Construct *Nest; // or null
  std::vector<llvm::FoldingSetNodeID> Known;

public:
  Unknowns(const clang::ASTContext &Ctx, const Construct *Nest) : Ctx(Ctx), Nest(Nest) {}
  const clang::ASTContext &context() const { return Ctx; }
  int number(const clang::Expr *E);
  static int ofIndex(unsigned Index) { return -1 - int(Index); } // of an index variable of the nest
};

class Polynomial {
  std::map<std::vector<int>, uint64_t> Terms; // factor of each product of unknowns (sorted numbers), modulo 2^64; none is 0

  void add(const std::vector<int> &Product, uint64_t Factor);

public:
  static Polynomial of(const clang::Expr *E, Unknowns &U); // null: 0
  static Polynomial constant(uint64_t Value);
  static Polynomial unknown(int Number);
  Polynomial operator+(const Polynomial &X) const;
  Polynomial operator*(const Polynomial &X) const;
  Polynomial operator-(const Polynomial &X) const { return *this + X * constant(-uint64_t(1)); }
  bool operator==(const Polynomial &X) const { return Terms == X.Terms; }
};

} // namespace dvm
#endif

// The clauses 'reduction' of a nest, and the arithmetic of their operations.
#ifndef DVM_LLVM_REDUCTIONCLAUSE_H
#define DVM_LLVM_REDUCTIONCLAUSE_H
#include "Function.h"

namespace dvmir {

struct ReductionClause {
  enum Operation { Sum, Product, Max, Min, And, Or, Xor, Eqv, Neqv, MaxLoc, MinLoc, Unknown };

  unsigned Number;      // R line, from 0
  llvm::StringRef Name; // as the directive writes it
  Operation Op;
  char Kind; // f i u c o
  uint64_t ElementBytes, Count, LocationCount = 0;
  llvm::Value *Address = nullptr, *Location = nullptr;

  static Operation operation(llvm::StringRef Word);
  bool isExtreme() const { return Op == Max || Op == Min || Op == MaxLoc || Op == MinLoc; }
  bool isBitwise() const { return Op == And || Op == Or || Op == Xor || isOfLogicals(); }
  bool isOfLogicals() const { return Op == Eqv || Op == Neqv; } // of Fortran: what is not zero is true
  bool isGreatest() const { return Op == Max || Op == MaxLoc; }
  // A product of complex numbers, whose parts belong together; a sum is that of its parts.
  bool isOfPairs() const { return Kind == 'c' && Op == Product; }
  // Of values of type 'T'.
  llvm::Constant *neutral(llvm::Type *T) const;
  llvm::Value *better(llvm::IRBuilder<> &B, llvm::Value *A, llvm::Value *Than) const;
  llvm::Value *combined(llvm::IRBuilder<> &B, llvm::Value *A, llvm::Value *X) const;
};

llvm::SmallVector<ReductionClause, 2> reductionClauses(const Construct &K);

} // namespace dvmir
#endif

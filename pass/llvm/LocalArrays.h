// Small arrays of a nest's body: each element that is read has been given a value by the same iteration, and no subscript is outside.
#ifndef DVM_LLVM_LOCALARRAYS_H
#define DVM_LLVM_LOCALARRAYS_H
#include "Linear.h"
#include <map>

namespace dvmir {

// By counting: where subscripts are linear in the variables of inner loops whose bounds are constants, every turn of theirs is looked at.
class LocalArrays {
public:
  LocalArrays(FunctionState &State, Construct &Nest, NestForms &Known) : S(State), K(Nest), Forms(Known) {}

  // Are all subscripts of the access, to a variable that is an array, inside of it?
  bool isInside(const Access &A);
  // Has the iteration given a value to each element that the access may read?
  bool isAssigned(const Access &Read);

private:
  FunctionState &S;
  Construct &K;
  NestForms &Forms;
  // By number of a variable of Forms.Inners: its value.
  using Turn = std::map<unsigned, int64_t>;
  // The number of the element: a sum over variables of inner loops.
  struct Place {
    std::map<unsigned, int64_t> Coef;
    int64_t Add = 0;
    int64_t in(const Turn &T) const;
  };

  std::optional<Place> placeOf(const Access &A);
  bool eachTurn(llvm::ArrayRef<unsigned> Loops, Turn &T, llvm::function_ref<bool(const Turn &)> Holds);
  llvm::SmallVector<unsigned, 4> variablesOf(const Place &P) const;
  bool isCounted(unsigned Inner) const;
  bool isDoneBefore(const Access &Write, const Access &Read);
  void addStored(const Access &Read, llvm::SmallVectorImpl<bool> &Has);
  llvm::SmallVector<unsigned, 4> countersBeside(const Place &P, const Access &Read) const;
  void addWritten(const Place &At, llvm::ArrayRef<unsigned> Own, const Turn &Now, llvm::SmallVectorImpl<bool> &Has);
};

} // namespace dvmir
#endif

// Where accesses to data of a nest's iterations go: to variables that begin to live in its body, and to those that are private in it.
#ifndef DVM_LLVM_OWNPLACES_H
#define DVM_LLVM_OWNPLACES_H
#include "Linear.h"
#include <map>

namespace dvmir {

// By counting: where the place is linear in the variables of inner loops whose bounds are constants, every turn of theirs is looked at.  One counter
// may have bounds that are known at the entry of the nest alone: what has to hold for them is asked there.
class OwnPlaces {
public:
  OwnPlaces(FunctionState &State, Construct &Nest, NestForms &Known) : S(State), K(Nest), Forms(Known) {}

  // Is what the pointer leads to, behind marks and subscripts, an iteration's own?
  bool isOwn(llvm::Value *P);
  // Are all subscripts of the access inside, and all of it in the variable?
  bool isInside(const Access &A) { return placeOf(A).has_value(); }
  // Does it give own data a value, all inside of them, as an initialiser does?
  bool isInitialiser(llvm::Instruction &I);
  // Is it the array of variable length of an iteration, or does it take room on the stack for one, or gives that back?
  bool isOfRow(const llvm::Instruction &I);
  // What has to hold at the entry of the nest, computed there, for all that has been answered with yes.
  llvm::ArrayRef<llvm::Value *> conditions() const { return Conditions; }

  // By number of a variable of Forms.Inners: its value.
  using Turn = std::map<unsigned, int64_t>;
  // Has the variable constant bounds, not too far apart?
  bool isCounted(unsigned Inner) const;
  // False: it does not hold in one of them, or they are too many.  'T' has the values of what is not counted here, and gets the others.
  bool eachTurn(llvm::ArrayRef<unsigned> Counters, Turn &T, llvm::function_ref<bool(const Turn &)> Holds);

protected:
  static constexpr int64_t MostOfTurns = 1 << 14, MostOfBytes = 1 << 16; // of one access; of a variable

  FunctionState &S;
  Construct &K;
  NestForms &Forms;
  llvm::SmallVector<llvm::Value *, 8> Conditions;
  // The first byte, as a sum over variables of inner loops.
  struct Place {
    llvm::Value *Root = nullptr;
    std::map<unsigned, int64_t> Coef;
    int64_t Add = 0, Size = 0;
    std::optional<unsigned> Open; // the variable whose bounds are no constants
    int64_t Factor = 0; // .. and what it counts
    int64_t in(const Turn &T) const;
    llvm::SmallVector<unsigned, 4> counters() const;
  };
  // First and last byte at which something begins, at the entry of the nest.
  struct Range {
    llvm::Value *Low, *High;
  };

  // Of an object, in bytes; 'Open': at the entry of the nest, and of what is counted at compile time only MostOfBytes can be in it.
  struct Extent {
    int64_t Bytes = 0;
    llvm::Value *Open = nullptr;
  };

  bool isRow(const llvm::Value *Root);
  Extent extentOf(llvm::Value *Root);
  std::optional<Place> placeOf(const Access &A);
  std::optional<Place> placeOf(llvm::Instruction &Initialiser);
  std::optional<std::pair<int64_t, int64_t>> countedRange(const Place &P);
  Range rangeOf(const Place &P, std::pair<int64_t, int64_t> Counted);
  int64_t turnsOf(llvm::ArrayRef<unsigned> Counters) const;

private:
  bool addIndex(Place &P, llvm::Value *Index, int64_t Factor, const llvm::BasicBlock *At);
  bool addCounter(Place &P, unsigned Inner, int64_t Factor);
  bool isOpen(unsigned Inner) const;
  bool inExtents(const Access &A);
  bool isIn(const Place &P, const Extent &All);
};

} // namespace dvmir
#endif

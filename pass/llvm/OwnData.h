// Data of a nest's iterations: variables that begin to live in its body, and those that are private in it.  Each byte that is read has been given a
// value by the same iteration, and no access is outside.
#ifndef DVM_LLVM_OWNDATA_H
#define DVM_LLVM_OWNDATA_H
#include "Linear.h"
#include "llvm/ADT/BitVector.h"
#include <map>

namespace dvmir {

// By counting: where the place is linear in the variables of inner loops whose bounds are constants, every turn of theirs is looked at.  One counter
// may have bounds that are known at the entry of the nest alone: what has to hold for them is asked there.
class OwnData {
public:
  OwnData(FunctionState &State, Construct &Nest, NestForms &Known) : S(State), K(Nest), Forms(Known) {}

  // Is what the pointer leads to, behind marks and subscripts, an iteration's own?
  bool isOwn(llvm::Value *P);
  // Are all subscripts of the access inside, and all of it in the variable?
  bool isInside(const Access &A);
  // Has the iteration given a value to all that the access may read?
  bool isAssigned(const Access &Read);
  // What has to hold at the entry of the nest, computed there, for all that has been answered with yes.
  llvm::ArrayRef<llvm::Value *> conditions() const { return Conditions; }
  // Does it give own data a value, all inside of them, as an initialiser does?
  bool isInitialiser(llvm::Instruction &I);

private:
  FunctionState &S;
  Construct &K;
  NestForms &Forms;
  // By number of a variable of Forms.Inners: its value.
  using Turn = std::map<unsigned, int64_t>;
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

  llvm::SmallVector<llvm::Value *, 8> Conditions;
  struct Range {
    llvm::Value *Low, *High;
  };

  bool addIndex(Place &P, llvm::Value *Index, int64_t Factor, const llvm::BasicBlock *At);
  bool addCounter(Place &P, unsigned Inner, int64_t Factor);
  bool isOpen(unsigned Inner) const;
  std::optional<std::pair<int64_t, int64_t>> countedRange(const Place &P);
  Range rangeOf(const Place &P, std::pair<int64_t, int64_t> Counted);
  bool inExtents(const Access &A);
  std::optional<Place> placeOf(const Access &A);
  std::optional<Place> placeOf(llvm::Instruction &Initialiser);
  bool isIn(const Place &P, int64_t Bytes);
  int64_t turnsOf(llvm::ArrayRef<unsigned> Counters) const;
  bool eachTurn(llvm::ArrayRef<unsigned> Counters, Turn &T, llvm::function_ref<bool(const Turn &)> Holds);
  bool isCounted(unsigned Inner) const;
  bool isWriteOf(const Access &W, const llvm::Value *Root) const;
  bool isCounted(const Access &Read, const Place &At, const llvm::BitVector &Always, llvm::ArrayRef<Place> InTurn);
  bool isCovered(const Access &Read, const Place &At, const llvm::BitVector &Has);
  llvm::Value *covers(const Place &Written, const Place &Read, const llvm::BitVector &Has);
  bool hasEarlierTurns(const Access &Write, const Place &Written, const Access &Read, const Place &At, const llvm::BitVector &Has);
  bool isExecuted(const llvm::Loop &L, const Place &Written);
  bool givesValues(const Access &Write) const;
  bool isDoneBefore(const Access &Write, const Place &Written, const Access &Read);
  void addInitialised(const Access &Read, const Place &At, llvm::BitVector &Has);
  llvm::SmallVector<unsigned, 4> countersBeside(const Place &P, const Access &Read) const;
  llvm::SmallVector<unsigned, 4> countersShared(llvm::ArrayRef<Place> Written, const Access &Read) const;
  void addWritten(const Place &At, llvm::ArrayRef<unsigned> Own, const Turn &Now, llvm::BitVector &Has);
};

} // namespace dvmir
#endif

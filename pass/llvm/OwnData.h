// Data of a nest's iterations: each byte that is read has been given a value by the same iteration.
#ifndef DVM_LLVM_OWNDATA_H
#define DVM_LLVM_OWNDATA_H
#include "OwnPlaces.h"
#include "llvm/ADT/BitVector.h"

namespace dvmir {

class OwnData : public OwnPlaces {
public:
  using OwnPlaces::OwnPlaces;

  // Has the iteration given a value to all that the access may read?
  bool isAssigned(const Access &Read);

private:
  bool isEachThere(const Access &Read, const Place &At, const llvm::BitVector &Always, llvm::ArrayRef<Place> InTurn);
  bool isCovered(const Access &Read, const Place &At, const llvm::BitVector &Has);
  llvm::Value *covers(const Place &Written, const Place &Read, const llvm::BitVector &Has);
  bool hasEarlierTurns(const Access &Write, const Place &Written, const Access &Read, const Place &At, const llvm::BitVector &Has);
  bool isWriteOf(const Access &W, const llvm::Value *Root) const;
  bool givesValues(const Access &Write) const;
  bool isExecuted(const llvm::Loop &L, const Place &Written);
  bool isDoneBefore(const Access &Write, const Place &Written, const Access &Read);
  void addInitialised(const Access &Read, const Place &At, llvm::BitVector &Has);
  void addWritten(const Place &At, llvm::ArrayRef<unsigned> Own, const Turn &Now, llvm::BitVector &Has);
  llvm::SmallVector<unsigned, 4> countersBeside(const Place &P, const Access &Read) const;
  llvm::SmallVector<unsigned, 4> countersShared(llvm::ArrayRef<Place> Written, const Access &Read) const;
};

} // namespace dvmir
#endif

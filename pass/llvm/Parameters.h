// What functions of the module do with what they are given an address of.  A variable whose address goes nowhere else needs nobody to know of it, and one
// that a call certainly assigns has a value behind it.
#ifndef DVM_LLVM_PARAMETERS_H
#define DVM_LLVM_PARAMETERS_H
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace dvmir {

class Parameters {
public:
  // Before any marker is lowered.
  explicit Parameters(const llvm::Module &M);
  // Does the call only read and write through this operand, with nothing copied there and the address kept nowhere?
  bool isQuiet(const llvm::CallBase &Call, unsigned Operand) const;
  // Bytes from its beginning that the call certainly assigns before it returns, and before it reads any; 0: it cannot be told.
  uint64_t assigns(const llvm::CallBase &Call, unsigned Operand) const;

private:
  struct Found {
    bool Quiet = false;
    uint64_t Assigned = 0;
  };
  class Uses;
  Found of(const llvm::Argument &A);
  const Found *known(const llvm::CallBase &Call, unsigned Operand) const;

  llvm::DenseMap<const llvm::Argument *, Found> All; // of one that is being looked at: not quiet
};

} // namespace dvmir
#endif

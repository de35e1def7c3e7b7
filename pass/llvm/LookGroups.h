// Questions of one block about bytes that lie beside each other: one test is enough for all of them while nothing is in doubt.
#ifndef DVM_LLVM_LOOKGROUPS_H
#define DVM_LLVM_LOOKGROUPS_H
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include <optional>

namespace dvmir {

struct LookGroup {
  struct Part {
    llvm::WeakTrackingVH Look;
    int64_t At; // of its bytes, from 'Base'
    uint64_t Size;
  };
  llvm::Value *Base;
  int64_t Low, End;             // what all parts touch, from 'Base'
  std::optional<unsigned> Base8; // where 'Base' lies among eight bytes, as far as an access promises it
  llvm::SmallVector<Part, 4> Parts; // in their order; it is asked before the first one
  bool ReadsPassed = false, WritesPassed = false; // questions about other memory since the first one

  // A bit for each byte from 'Low' that a part touches.
  uint64_t bytes() const;
  std::optional<unsigned> place() const; // of 'Low' among eight bytes
};

class LookGroups {
  const llvm::DataLayout &DL;
  llvm::SmallVector<LookGroup, 16> Open;
  std::vector<LookGroup> Closed;

  void noteOthers(const LookGroup &Own, bool Write);

public:
  explicit LookGroups(const llvm::DataLayout &Layout) : DL(Layout) {}
  // Of few bytes, and no birth.
  void add(llvm::CallInst *Look);
  // What is in doubt may be other bytes from here on, or the next instruction may not be reached.
  void close();
  std::vector<LookGroup> take();
};

// Whether questions behind the instruction may be asked before it.
bool mayAskBefore(const llvm::Instruction &I);

} // namespace dvmir
#endif

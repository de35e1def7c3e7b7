// Which instructions of a nest a body without checks may hold: what they do is seen from the marks and the local variables alone.
#ifndef DVM_LLVM_PLAINCODE_H
#define DVM_LLVM_PLAINCODE_H
#include "Function.h"

namespace dvmir {

// A function of the standard library that computes and does nothing else (errno aside).
bool isMathematical(const llvm::Function *F);

class PlainCode {
public:
  // 'Nest' may be no construct, but code that is in none: without 'Enter'.
  PlainCode(FunctionState &State, Construct &Nest) : S(State), K(Nest) {}

  // Null, or why not.
  const char *check(llvm::Instruction &I) const;
  // Does the nest call what may touch arrays out of our sight?
  bool callsOthers() const;
  // Is 'G' known to this function alone, which writes it nowhere in the nest?
  bool isOnlyRead(llvm::GlobalVariable *G) const;
  // May what it calls execute this function?
  bool mayComeBack() const;
  // Is it the address of a reduction variable of the nest?
  bool isReduction(llvm::Value *P) const;
  // Those addresses.
  llvm::SmallVector<llvm::Value *, 4> results() const;

private:
  FunctionState &S;
  Construct &K;

  const char *checkCall(llvm::CallBase &Call) const;
  const char *checkStore(llvm::Value *P) const;
};

// Of an access to a result of a reduction of its nest that is no variable of the function: i32, need it not be judged any more in this
// execution?  Null: each has to be.
llvm::AllocaInst *resultSlot(FunctionState &S, const Access &A);
// Of an array of the file or the function, 'Root', that is accessed by subscripts whose bounds are tested, and that are all that it has: how many
// elements.
std::optional<int64_t> elementsOf(const Access &A, const llvm::Value *Root, const llvm::DataLayout &DL);
// An array of the file that is accessed in its bounds, which are tested.
llvm::GlobalVariable *boundedRoot(const Access &A, const llvm::DataLayout &DL);
// Finds Access::Table and Access::Fixed, before anything is lowered.
void findTables(FunctionState &S);

} // namespace dvmir
#endif

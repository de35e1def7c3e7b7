// Subscripts of a nest's accesses, found in the instructions.
#ifndef DVM_LLVM_NESTSUBSCRIPTS_H
#define DVM_LLVM_NESTSUBSCRIPTS_H
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include <string>

namespace llvm {
class DominatorTree;
class GlobalVariable;
} // namespace llvm

namespace dvmir {

// Variables that have the nest's own values behind 'Iteration'.
struct NestIndices {
  llvm::SmallVector<llvm::Value *, 4> Variables; // outermost first
  const llvm::Instruction *Iteration = nullptr;
};
// As a SUBSCRIPT line tells it: a number or affine in one index variable; empty: neither.
std::string axisOf(const NestIndices &N, llvm::Value *V, const llvm::DominatorTree &DT);

struct Dimension {
  uint64_t Extent, Bytes; // of what it consists of
};
// Outermost first; empty: its elements are not so large.
llvm::SmallVector<Dimension, 4> dimensionsOf(const llvm::GlobalVariable *G, uint64_t Element, const llvm::DataLayout &DL);

// sum of times * value, + Add
struct Distance {
  llvm::SmallVector<std::pair<llvm::Value *, int64_t>, 2> Terms;
  int64_t Add = 0;
};
// The subscripts, one per dimension, of what an address leads to in an array.  False: not an element.
bool findSubscripts(llvm::Value *P, llvm::ArrayRef<Dimension> Dims, llvm::MutableArrayRef<Distance> By, const llvm::DataLayout &DL);

} // namespace dvmir
#endif

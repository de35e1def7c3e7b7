// What the text of an access could not say and its instructions can: that a subscript is affine in an index variable of the nest by way of locals, and which nest
// the text of a function stands in that has been put inline there.
#ifndef DVM_LLVM_NESTTEXTS_H
#define DVM_LLVM_NESTTEXTS_H
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include <string>

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace dvmir {

// The number that ties subscripts to their access: its place among the operands of their marks.
constexpr unsigned IdOperand = 1;
// Metadata of the mark of an access through a pointer whose subscripts are those of the element that it leads to.
constexpr char LedMark[] = "dvm.led";
// .. and of one whose text stands elsewhere, or names a pointer: the number of the nest that it is executed in.  For the run-time library it stays in none
// (C 0), with an array of the nest (D): no clause of the directive can name it.
constexpr char NestMark[] = "dvm.nest";

// Arrays of the file that a directive distributes, with the names that it calls them.
using DistributedArrays = llvm::DenseMap<const llvm::Value *, std::string>;
DistributedArrays distributedArraysOf(const llvm::Module &M);
// Behind forwardLocals, before any marker is lowered.
void completeNestTexts(llvm::Function &F, const llvm::DominatorTree &DT, const DistributedArrays &Known);

} // namespace dvmir
#endif

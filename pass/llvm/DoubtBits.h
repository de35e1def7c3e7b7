// The map of doubt in the code that is made: a bit for each byte (runtime/abi.h).
#ifndef DVM_LLVM_DOUBTBITS_H
#define DVM_LLVM_DOUBTBITS_H
#include "Doubt.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dvmir {

// bits, mask = now.mask ? all, 0 : map;   for the whole function: a callee leaves the loops that it enters
DoubtMap loadMap(Runtime &RT, llvm::IRBuilderBase &B);

// Where it may be loaded for all of these blocks: outside of loops, and not before it is known that one of them is executed.
llvm::Instruction *placeBefore(llvm::Function &F, const llvm::SmallPtrSetImpl<llvm::BasicBlock *> &Asking);

// How many bits hold those of an access, wherever among eight bytes it begins.
unsigned bitsAround(uint64_t Size, bool Aligned);
// Do these bits hold others too?
bool holdsOthers(uint64_t Size, bool Aligned);
// The bits of the eight bytes around 'P', and as many more as are asked for.
llvm::Value *loadBits(Runtime &RT, const DoubtMap &Map, llvm::IRBuilderBase &B, llvm::Value *P, llvm::Type *T);
// Those of 'Bits' that are of 'Bytes', a bit for each of the 'Size' bytes at 'P'; or of all of these.
llvm::Value *ownBits(llvm::IRBuilderBase &B, llvm::Value *Bits, llvm::Value *P, uint64_t Bytes, uint64_t Size);
llvm::Value *ownBits(llvm::IRBuilderBase &B, llvm::Value *Bits, llvm::Value *P, uint64_t Size);

} // namespace dvmir
#endif
